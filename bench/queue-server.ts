import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRedisServer } from '../src/queue/redis-server.ts';
import { Program } from './program.ts';

const PATIENCE_MS = 10_000;
const LOOK_MS = 20;

/** A Redis of the bench's own. */
export interface QueueServer extends AsyncDisposable {
  /** Path of its socket. */
  socket: string;
}

/** Starts a Redis in that folder, with nothing written to disk, as Tuma's private one is. Disposing it ends it. */
export async function startQueueServer(folder: string): Promise<QueueServer> {
  const { file, env } = await findRedisServer();
  const socket = join(folder, 'redis.sock');
  const settings = ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'no'];
  const server = new Program([file, ...settings, '--maxmemory-policy', 'noeviction'], { env, talks: false });
  const deadline = performance.now() + PATIENCE_MS;
  while (!existsSync(socket)) {
    if (performance.now() > deadline) throw server.failure('made no socket');
    await sleep(LOOK_MS);
  }
  return { socket, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
