import { once } from 'node:events';
import net from 'node:net';
import { Worker } from 'node:worker_threads';

export interface DeafListener extends AsyncDisposable {
  port: number;
  /** Whether a further connection really hangs. */
  isDeaf: boolean;
}

/** A port whose queue of connections is full and whose owner never takes one: what an unroutable host looks like. */
export async function startDeafListener(): Promise<DeafListener> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer();
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 50);
     });`,
    { eval: true },
  );
  const [port] = (await once(worker, 'message')) as [number];
  await new Promise((resolve) => setTimeout(resolve, 150));
  const fillers = Array.from({ length: 8 }, () => net.connect(port, '127.0.0.1').on('error', () => {}));
  await new Promise((resolve) => setTimeout(resolve, 150));
  const isDeaf = fillers.some((filler) => filler.connecting);
  return {
    port,
    isDeaf,
    async [Symbol.asyncDispose]() {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}
