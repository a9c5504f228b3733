import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { TumaError } from '../domain/errors.ts';
import type { RedisAddress } from './redis-address.ts';
import { onceOptions } from './redis-options.ts';
import { findRedisServer } from './redis-server.ts';

/** A socket's path may have 103 bytes on macOS and 107 on Linux. */
const MOST_SOCKET_PATH_BYTES = 100;
const START_PATIENCE_MS = 10_000;
const POLL_MS = 20;
/** The umask covers the moment between the making of the socket and its chmod. */
const START_SCRIPT = 'umask 077; exec "$0" "$1"';

const recordSchema = z.object({
  pid: z.int(),
  port: z.int().optional(),
  password: z.string().optional(),
});

/** The content of `redis.json` (0600): the server that was last started in this home. */
export type ServerRecord = z.infer<typeof recordSchema>;

/** The record of this home, or null when there is none that can be read. */
export function readRecord(home: string): ServerRecord | null {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(recordFile(home), 'utf8')));
  } catch {
    return null;
  }
}

/** Removes the record of a server that has ended. The caller holds the lock. */
export function removeRecord(home: string): void {
  rmSync(recordFile(home), { force: true });
}

/** The address of the server that was last started in this home, or null when none is known. */
export function knownAddress(home: string): RedisAddress | null {
  const path = socketPath(home);
  if (path !== null) return { path };
  const { port, password } = readRecord(home) ?? {};
  return port === undefined || password === undefined ? null : { host: '127.0.0.1', port, password };
}

/** An address for a new server: the socket, or a free port of the loopback with a new password. */
export async function newAddress(home: string): Promise<RedisAddress> {
  const path = socketPath(home);
  if (path !== null) return { path };
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const bound = probe.address();
  probe.close();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return { host: '127.0.0.1', port, password: randomBytes(24).toString('base64url') };
}

/** True: a server answers there within that time. Never rejects. */
export async function answers(address: RedisAddress, timeoutMs: number): Promise<boolean> {
  const client = new Redis(onceOptions(address, timeoutMs));
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}

/**
 * Starts a server at that address and waits for its answer. The server has a session of its own, so that no
 * Ctrl-C reaches it. The caller holds the lock. Throws redis_missing, or redis_unreachable with the last line
 * of its log.
 */
export async function startServer(home: string, address: RedisAddress): Promise<void> {
  const { file, env } = await findRedisServer();
  const [settings, log] = [join(home, 'redis.conf'), join(home, 'redis.log')];
  for (const old of [settings, log, recordFile(home)]) rmSync(old, { force: true });
  // The password goes into a file, because everybody can read argv.
  writeFileSync(settings, configuration(home, { log, address }), { mode: 0o600 });
  const child = spawn('/bin/sh', ['-c', START_SCRIPT, file, settings], {
    cwd: home,
    detached: true,
    env,
    stdio: 'ignore',
  });
  writeRecord(home, { pid: child.pid ?? 0, port: address.port, password: address.password });
  await once(child, 'spawn');
  child.unref();
  if (await answersSoon(child, address)) return;
  child.kill('SIGKILL');
  throw new TumaError('redis_unreachable', {
    message: `The private Redis did not start: ${lastLine(log)}`,
    hint: `Look into ${log}, or set TUMA_REDIS_URL to a Redis that runs.`,
  });
}

function recordFile(home: string): string {
  return join(home, 'redis.json');
}

/** `$home/redis.sock`, or null where that is too long for a socket. */
function socketPath(home: string): string | null {
  const socket = join(home, 'redis.sock');
  return Buffer.byteLength(socket) <= MOST_SOCKET_PATH_BYTES ? socket : null;
}

function writeRecord(home: string, record: Record<keyof ServerRecord, unknown>): void {
  writeFileSync(recordFile(home), JSON.stringify(record), { mode: 0o600 });
}

/** The queue is rebuilt from the ledger, so nothing is written to disk; and it must never evict a job. */
function configuration(home: string, { log, address }: { log: string; address: RedisAddress }): string {
  const { path, port = 0, password } = address;
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    ...(path === undefined ? [] : [`unixsocket ${quoted(path)}`, 'unixsocketperm 600']),
    ...(password === undefined ? [] : [`requirepass ${password}`]),
    'save ""',
    'appendonly no',
    'maxmemory-policy noeviction',
    'daemonize no',
    'loglevel warning',
    `dir ${quoted(home)}`,
    `logfile ${quoted(log)}`,
  ].join('\n');
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

async function answersSoon(child: ChildProcess, address: RedisAddress): Promise<boolean> {
  const deadlineMs = performance.now() + START_PATIENCE_MS;
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadlineMs) {
    if (await answers(address, START_PATIENCE_MS)) return true;
    await sleep(POLL_MS);
  }
  return false;
}

function lastLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').at(-1) || 'it wrote no log';
  } catch {
    return 'it wrote no log';
  }
}
