import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TumaError } from '../domain/errors.ts';

const run = promisify(execFile);

/** Where `npm start` and `npm test` unpack Debian's Redis when there is none: beside package.json. */
const UNPACKED = fileURLToPath(new URL('../../.runtime/redis', import.meta.url));
const FIND_ON_PATH = 'command -v valkey-server || command -v redis-server';

/** A server program that ran once with `--version`. */
export interface RedisServer {
  file: string;
  /** The whole environment that it needs; nothing of ours is passed on. */
  env: Record<string, string>;
}

/** Finds valkey-server or redis-server: on PATH, else unpacked in `.runtime/redis`. Throws redis_missing. */
export async function findRedisServer(unpacked: string = UNPACKED): Promise<RedisServer> {
  for (const server of [await onPath(), unpackedServer(unpacked)]) {
    if (server !== null && (await runs(server))) return server;
  }
  throw new TumaError('redis_missing', {
    message: 'No Redis or Valkey server was found to start',
    hint: [
      'Choose one:',
      '  sudo apt-get install redis-server        (Debian, Ubuntu)',
      '  brew install valkey                      (macOS)',
      '  TUMA_REDIS_URL=redis://host:6379         (one that runs already)',
    ].join('\n'),
  });
}

/** The shell looks, so that reading the environment stays with the configuration. */
async function onPath(): Promise<RedisServer | null> {
  const found = await run('/bin/sh', ['-c', FIND_ON_PATH]).catch(() => null);
  const file = found?.stdout.trim();
  return file === undefined || file === '' ? null : { file, env: {} };
}

function unpackedServer(root: string): RedisServer | null {
  const file = join(root, 'usr/bin/redis-server');
  if (!existsSync(file)) return null;
  const libraries = globSync('{usr/,}lib/*-linux-gnu', { cwd: root }).map((path) => join(root, path));
  return { file, env: { LD_LIBRARY_PATH: libraries.join(':') } };
}

/** A binary that was unpacked for another Debian does not start: its libraries differ. */
async function runs({ file, env }: RedisServer): Promise<boolean> {
  const answer = await run(file, ['--version'], { env, timeout: 5_000 }).catch(() => null);
  return answer !== null && /v=\d/.test(answer.stdout);
}
