import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that the system gives to who asks for any: else the server of another test could be given this one
 * before its own server listens, and would meet whoever waits for that.
 */
const RANGE = { from: 10_000, to: 32_000 };

/** A TCP port on 127.0.0.1 that nobody listens on at the moment. Prefer port 0 where the server can tell its port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = RANGE.from + Math.floor(Math.random() * (RANGE.to - RANGE.from));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
