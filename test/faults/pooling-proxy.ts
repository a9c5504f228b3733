import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { waitFor } from '../support/wait-for.ts';

/* Proxies that stand between Tuma and a Postgres without a password, and share its sessions among those who connect. */

/** `transaction`: each transaction gets a session that is free. `session`: a connection keeps its session. */
export type PoolMode = 'transaction' | 'session';

const PGBOUNCER = 'pgbouncer';

/** Whether pgbouncer is installed. */
export function hasPgBouncer(): boolean {
  return spawnSync(PGBOUNCER, ['--version']).status === 0;
}

/** Starts pgbouncer in front of the server at this socket, and returns its address. It ends with the test. */
export async function startPgBouncer(postgresUrl: string, mode: PoolMode): Promise<string> {
  const folder = mkdtempSync('/tmp/tuma-pgbouncer-');
  const port = await freePort();
  const [config, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users')];
  writeFileSync(users, '"tuma" ""\n');
  writeFileSync(
    config,
    `[databases]
* = host=${socketOf(postgresUrl)} port=5432
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
`,
  );
  // It refuses to run as root, and nobody but the user of the server reaches its socket.
  chmodSync(folder, 0o755);
  const { uid, gid } = statSync(socketOf(postgresUrl));
  const child = spawn(PGBOUNCER, [config], { stdio: 'ignore', cwd: '/', uid, gid });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
    rmSync(folder, { recursive: true });
  });
  const url = overTcp(postgresUrl, port);
  await waitFor(() => letsIn(url), { what: 'pgbouncer to let one in' });
  return url;
}

/**
 * Starts a proxy of this process in front of the server at this socket, which gives each transaction the session that was
 * used last of those that are free. Returns its address; it ends with the test.
 */
export async function startPool(postgresUrl: string): Promise<string> {
  const free: Session[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client.on('error', () => undefined));
    let session: Promise<Session> | null = null;
    client.once('data', (startup: Buffer) => {
      client.write(WELCOME);
      client.on('data', (chunk: Buffer) => {
        session ??= Promise.resolve(free.pop() ?? openSession(socketOf(postgresUrl), startup));
        void session.then((own) => {
          sockets.add(own.socket);
          own.serve(client, () => {
            session = null;
            free.push(own);
          });
          own.socket.write(chunk);
        });
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return overTcp(postgresUrl, (server.address() as { port: number }).port);
}

/** AuthenticationOk, and ReadyForQuery outside of a transaction. */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');
const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

/** A session at the server. */
class Session {
  readonly socket: Socket;
  #rest = Buffer.alloc(0);
  #client: Socket | null = null;
  #isIdle: () => void = () => undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => this.#took(chunk));
  }

  /** Answers go to this client. `isIdle` is called when its transaction has ended. */
  serve(client: Socket | null, isIdle: () => void): void {
    this.#client = client;
    this.#isIdle = isIdle;
  }

  #took(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 5 && this.#rest.length > this.#rest.readInt32BE(1)) {
      const message = this.#rest.subarray(0, this.#rest.readInt32BE(1) + 1);
      this.#rest = this.#rest.subarray(message.length);
      this.#client?.write(message);
      if (message[0] === READY && message[5] === IDLE) this.#isIdle();
    }
  }
}

async function openSession(socketPath: string, startup: Buffer): Promise<Session> {
  const session = new Session(connect(join(socketPath, '.s.PGSQL.5432')));
  session.socket.write(startup);
  await new Promise<void>((resolve) => session.serve(null, resolve));
  return session;
}

function socketOf(postgresUrl: string): string {
  return new URL(postgresUrl).searchParams.get('host') ?? '';
}

function overTcp(postgresUrl: string, port: number): string {
  const url = new URL(postgresUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

async function letsIn(url: string): Promise<true> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.end();
  return true;
}
