import { execFile, type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { TumaError } from '../domain/errors.ts';
import type { RedisAddress } from './redis-address.ts';
import { onceOptions } from './redis-options.ts';
import { findRedisServer } from './redis-server.ts';
import { clearPlace, readRecord, type ServerPlace, type ServerRecord, writeRecord } from './server-place.ts';

const START_PATIENCE_MS = 10_000;
const KILL_PATIENCE_MS = 3_000;
const POLL_MS = 20;
/** Of a configuration that is whole. */
const LAST_LINE = '# end';

/**
 * What starts the server ($0) with the configuration on its standard input. Whoever starts it may be killed before all of
 * that is written: a server that read nothing would listen on every address, at the port of everybody's Redis, and nobody
 * would end it. The umask covers the moment between the making of the socket and its chmod.
 */
export const START_SCRIPT = `umask 077
settings=$(cat)
case $settings in *'${LAST_LINE}') ;; *) exit 1 ;; esac
exec "$0" - <<END
$settings
END`;

/** An address for a new server: the socket, or a free port of the loopback with a new password. */
export async function newAddress(place: ServerPlace): Promise<RedisAddress> {
  if (place.socket !== null) return { path: place.socket };
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const bound = probe.address();
  probe.close();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return { host: '127.0.0.1', port, password: randomBytes(24).toString('base64url') };
}

/** Whether a server answers there within that time. Never rejects. */
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
 * Starts a server at that address, in a session of its own so that no Ctrl-C reaches it, and waits for its answer.
 * The caller holds the lock. Throws redis_missing, or redis_unreachable with the end of the server's own log.
 */
export async function startServer(place: ServerPlace, address: RedisAddress): Promise<void> {
  const { file, env } = await findRedisServer();
  rmSync(place.logFile, { force: true });
  const child = spawn('/bin/sh', ['-c', START_SCRIPT, file], {
    cwd: place.home,
    detached: true,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(child, 'spawn');
  child.unref();
  // The password goes in by stdin: everybody can read argv.
  child.stdin?.on('error', () => undefined).end(configuration(place, address));
  await remember(place, address, child);
  await awaitAnswer(place, address, child);
}

/** Waits so long for the server to end, then kills it, and removes its files. The caller holds the lock. */
export async function endServer(place: ServerPlace, graceMs: number): Promise<void> {
  const record = readRecord(place);
  if (record !== null && !(await endsWithin(record, graceMs))) {
    kill(record.pid);
    await endsWithin(record, KILL_PATIENCE_MS);
  }
  clearPlace(place);
}

async function endsWithin({ pid, start }: ServerRecord, patienceMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + patienceMs;
  while ((await processStart(pid)) === start) {
    if (performance.now() >= deadlineMs) return false;
    await sleep(POLL_MS);
  }
  return true;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in this moment.
  }
}

/** The queue is rebuilt from the ledger, so nothing is ever written to disk; and it must never evict a job. */
function configuration(place: ServerPlace, { path, port = 0, password }: RedisAddress): string {
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
    `dir ${quoted(place.home)}`,
    `logfile ${quoted(place.logFile)}`,
    LAST_LINE,
  ].join('\n');
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

async function remember(
  place: ServerPlace,
  { port, password }: RedisAddress,
  child: ChildProcess,
): Promise<void> {
  const pid = child.pid ?? 0;
  const start = await processStart(pid);
  if (start === null) return;
  const login = port === undefined || password === undefined ? {} : { port, password };
  writeRecord(place, { pid, start, ...login });
}

async function awaitAnswer(place: ServerPlace, address: RedisAddress, child: ChildProcess): Promise<void> {
  const deadlineMs = performance.now() + START_PATIENCE_MS;
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadlineMs) {
    if (await answers(address, START_PATIENCE_MS)) return;
    await sleep(POLL_MS);
  }
  await endServer(place, 0);
  throw new TumaError('redis_unreachable', {
    message: `The private Redis did not start: ${lastLine(place.logFile)}`,
    hint: `Look into ${place.logFile}, or set TUMA_REDIS_URL to a Redis that runs.`,
  });
}

function lastLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').at(-1) || 'it wrote no log';
  } catch {
    return 'it wrote no log';
  }
}

/**
 * When a process started, as the system tells it (an opaque text), or null when there is none of that id. The id with
 * this text is one process for ever; the id alone may be given to another.
 */
export async function processStart(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat !== null) return startOf(stat);
  if (process.platform === 'linux') return null;
  const ps = await promisify(execFile)('/bin/ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => null);
  return ps?.stdout.trim() || null;
}

/** The state is field 3 and the start field 22; the name before them is in brackets and may hold anything. */
function startOf(stat: string): string | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isGone = fields[0] === 'Z' || fields[0] === 'X';
  return isGone ? null : (fields[19] ?? null);
}
