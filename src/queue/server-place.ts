import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { RedisAddress } from './redis-address.ts';

/** A socket's path may have 103 bytes on macOS and 107 on Linux. */
const MOST_SOCKET_PATH_BYTES = 100;

const recordSchema = z.object({
  pid: z.int(),
  /** From `processStart`: with the pid it names one process for ever. */
  start: z.string(),
  port: z.int().optional(),
  password: z.string().optional(),
});

/** What `redis.json` (0600) tells the next process about the server that runs. */
export type ServerRecord = z.infer<typeof recordSchema>;

/** The files of the private Redis of one home, all directly in it. */
export interface ServerPlace {
  home: string;
  /** `$home/redis.sock`, or null where that is too long for a socket. */
  socket: string | null;
  lock: string;
  record: string;
  logFile: string;
}

/** Names the files. */
export function serverPlace(home: string): ServerPlace {
  const socket = join(home, 'redis.sock');
  return {
    home,
    socket: Buffer.byteLength(socket) <= MOST_SOCKET_PATH_BYTES ? socket : null,
    lock: join(home, 'redis.lock'),
    record: join(home, 'redis.json'),
    logFile: join(home, 'redis.log'),
  };
}

/** The address of the server that was last started here, or null when nothing is known of one. */
export function knownAddress(place: ServerPlace): RedisAddress | null {
  if (place.socket !== null) return { path: place.socket };
  const { port, password } = readRecord(place) ?? {};
  return port === undefined || password === undefined ? null : { host: '127.0.0.1', port, password };
}

/** The record, or null when there is none that can be read. */
export function readRecord(place: ServerPlace): ServerRecord | null {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(place.record, 'utf8')));
  } catch {
    return null;
  }
}

/** Writes the record. The caller holds the lock. */
export function writeRecord(place: ServerPlace, record: ServerRecord): void {
  rmSync(place.record, { force: true });
  writeFileSync(place.record, JSON.stringify(record), { mode: 0o600 });
}

/** Removes the record and the socket of a server that has ended. The caller holds the lock. */
export function clearPlace(place: ServerPlace): void {
  for (const path of [place.record, place.socket]) if (path !== null) rmSync(path, { force: true });
}
