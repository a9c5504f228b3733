import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { GenericContainer, getContainerRuntimeClient } from 'testcontainers';
import type { RedisAddress } from '../../src/queue/redis-address.ts';
import { findRedisServer } from '../../src/queue/redis-server.ts';
import { atFileEnd } from './file-end.ts';
import { freePort } from './free-port.ts';
import { makeTempDir } from './temp-home.ts';
import { waitFor } from './wait-for.ts';

const IMAGE = 'valkey/valkey:8-alpine';
const running = new Set<TestRedis>();

atFileEnd(async () => {
  await Promise.all([...running].map((redis) => redis.close()));
});

/** A Redis of the test's own, without persistence, with `noeviction`. */
export interface TestRedis {
  address: RedisAddress;
  /** Starts it again after `kill`, empty, at the same address. */
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Any other signal: SIGSTOP, SIGCONT. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** One command on a connection of its own, as redis-cli would. */
  command(name: string, ...args: (string | number)[]): Promise<unknown>;
  close(): Promise<void>;
}

export interface RedisOptionsForTests {
  /** More settings: ['--requirepass', 'x']. */
  args?: string[];
  /** Its configuration file, such as a Sentinel needs. */
  file?: string;
  /** Never a container, which sees neither the files nor the ports of this machine. */
  here?: boolean;
}

/**
 * Starts a Redis: a container where a Docker engine answers, else the local binary on a unix socket. It is stopped at
 * the end of the test file.
 */
export async function startRedis(options: RedisOptionsForTests = {}): Promise<TestRedis> {
  const isHere = options.here === true || options.file !== undefined || !(await hasDocker());
  const redis = isHere ? inProcess(options) : await inContainer(options);
  running.add(redis);
  await redis.start();
  return redis;
}

let dockerProbe: Promise<boolean> | undefined;

function hasDocker(): Promise<boolean> {
  dockerProbe ??= getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
  return dockerProbe;
}

function inProcess({ args = [], file }: RedisOptionsForTests): TestRedis {
  const path = join(makeTempDir(), 'redis.sock');
  const settings = ['--port', '0', '--unixsocket', path, '--save', '', '--maxmemory-policy', 'noeviction'];
  let child: ChildProcess | null = null;
  const redis: TestRedis = {
    address: { path },
    async start() {
      const server = await findRedisServer();
      const all = [...(file === undefined ? [] : [file]), ...settings, ...args];
      child = spawn(server.file, all, { stdio: 'ignore', env: server.env });
      await waitFor(() => answers(redis.address), { what: 'redis-server to answer' });
    },
    kill: () => end('SIGKILL'),
    async signal(signal) {
      child?.kill(signal);
    },
    command: (name, ...rest) => command(redis.address, name, rest),
    async close() {
      running.delete(redis);
      await end('SIGKILL');
    },
  };
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return redis;
}

async function inContainer({ args = [] }: RedisOptionsForTests): Promise<TestRedis> {
  const port = await freePort();
  const settings = ['--save', '', '--maxmemory-policy', 'noeviction', '--protected-mode', 'no'];
  const container = await new GenericContainer(IMAGE)
    .withCommand(['valkey-server', ...settings, ...args])
    .withExposedPorts({ container: 6379, host: port })
    .start();
  const docker = (...words: string[]) => promisify(execFile)('docker', [...words, container.getId()]);
  const redis: TestRedis = {
    address: { host: container.getHost(), port },
    async start() {
      await docker('start');
      await waitFor(() => answers(redis.address), { what: 'the Redis container to answer' });
    },
    async kill() {
      await docker('kill');
    },
    async signal(signal) {
      await docker('kill', '--signal', signal);
    },
    command: (name, ...rest) => command(redis.address, name, rest),
    async close() {
      running.delete(redis);
      await container.stop({ timeout: 0 });
    },
  };
  return redis;
}

async function command(address: RedisAddress, name: string, args: (string | number)[]): Promise<unknown> {
  const client = new Redis({ ...address, lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}

/** Any answer will do: a server that wants a password has started, too. */
async function answers({ path, host, port }: RedisAddress): Promise<boolean> {
  const socket = path === undefined ? createConnection(port ?? 0, host) : createConnection(path);
  try {
    socket.write('PING\r\n');
    await once(socket, 'data');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
