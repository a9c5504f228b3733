import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebServer, type WebServerOptions, startWebServer } from '../../src/web/server.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { LEDGERS_HERE } from '../support/ledger-here.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { resolveConfig } from '../../src/config/config.ts';
import { openServices } from '../../src/runtime/services.ts';

const running: WebServer[] = [];
const disposals: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  await Promise.all(disposals.splice(0).map((dispose) => dispose()));
});

async function homeServices() {
  const home = makeTempDir();
  const config = resolveConfig({ cwd: home, env: { TUMA_HOME: home } });
  const services = await openServices(config, new MemoryLog(), LEDGERS_HERE);
  await services.ledger();
  disposals.push(() => services.dispose());
  return services;
}

async function start(options: Partial<WebServerOptions> = {}): Promise<WebServer> {
  const server = await startWebServer({
    env: await homeServices(),
    host: '127.0.0.1',
    port: 0,
    token: null,
    render: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'tuma_up 1\n' }),
    ...options,
  });
  running.push(server);
  return server;
}

/** fetch does not let anybody choose the Host. */
async function statusWithHost(
  server: WebServer,
  host: string,
  path = '/metrics',
): Promise<number | undefined> {
  const asked = request({ host: '127.0.0.1', port: server.port, path, headers: { host } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

describe('the server for people', () => {
  it('shows the metrics and its health to everybody, and nothing else: no page of the queue, nothing that changes anything [X22 X23]', async () => {
    const { url } = await start();
    const metrics = await fetch(`${url}/metrics`);
    expect([metrics.status, await metrics.text()]).toEqual([200, 'tuma_up 1\n']);
    expect(metrics.headers.get('content-type')).toContain('version=0.0.4');
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
    expect((await fetch(`${url}/health`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${url}/metrics`, { method: 'HEAD' })).status).toBe(401);
    for (const path of ['/', '/admin/queues', '/queues', '/ui', '/bull', '/api', '/metrics/', '//metrics'])
      expect((await fetch(`${url}${path}`)).status, path).toBe(401);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const path of ['/metrics', '/health', '/'])
        expect((await fetch(`${url}${path}`, { method })).status, `${method} ${path}`).toBe(401);
  });

  it('cuts who is slow with a request within a second or so of its time [X5]', async () => {
    const server = await start({ requestTimeoutMs: 300 });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n');
    socket.resume();
    // Node by itself looks only each 30 s.
    await once(socket, 'close', { signal: AbortSignal.timeout(25_000) });
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  it('cuts strangers who are slow with a body, which only lists of operators may be [X5]', async () => {
    const server = await start({ requestTimeoutMs: 300 });
    for (const path of ['/sign-in', '/campaigns', '/nothing']) {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n`);
      socket.write('Content-Type: application/x-www-form-urlencoded\r\n\r\na');
      socket.resume();
      await once(socket, 'close', { signal: AbortSignal.timeout(10_000) });
    }
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  it('refuses a name that somebody else pointed here [X21]', async () => {
    const server = await start();
    expect(await statusWithHost(server, 'evil.example')).toBe(403);
    expect(await statusWithHost(server, 'localhost.evil.example')).toBe(403);
    expect(await statusWithHost(server, '127.0.0.1.evil.example:8081')).toBe(403);
    for (const own of ['localhost', 'LOCALHOST:8081', '127.0.0.1:8081', '[::1]:8081', '10.0.0.7'])
      expect(await statusWithHost(server, own)).toBe(200);
    expect(await statusWithHost(server, 'tuma:8081', '/health')).toBe(200);
  });

  it('asks for the token when there is one, whatever the Host [X21]', async () => {
    const { url, ...server } = await start({ token: 'CANARY-token' });
    const status = async (authorization: string) =>
      (await fetch(`${url}/metrics`, { headers: { authorization } })).status;
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect(await status('Bearer wrong')).toBe(401);
    expect(await status('Basic CANARY-token')).toBe(401);
    expect(await status('Bearer ')).toBe(401);
    expect(await status('Bearer CANARY-token')).toBe(200);
    expect((await fetch(`${url}/metrics?token=CANARY-token`)).status).toBe(401);
    expect(await statusWithHost({ url, ...server }, 'tuma:8081')).toBe(401);
  });

  it('says so when another program listens on the port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(start({ port })).rejects.toMatchObject({
      code: 'port_in_use',
      where: 'TUMA_DASHBOARD_PORT',
    });
    other.close();
  });
});
