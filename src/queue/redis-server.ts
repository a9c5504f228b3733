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

interface Program {
  file: string;
  /** The whole environment that it needs; nothing of ours is passed on. */
  env: Record<string, string>;
}

/** A server program that runs, and the answer to `--version`. */
export interface RedisServer extends Program {
  version: string;
}

/** Finds valkey-server or redis-server: on PATH, else unpacked in `.runtime/redis`. Throws redis_missing. */
export async function findRedisServer(unpacked: string = UNPACKED): Promise<RedisServer> {
  for (const server of [await onPath(), unpackedServer(unpacked)]) {
    const version = server && (await versionOf(server));
    if (server && version) return { ...server, version };
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
async function onPath(): Promise<Program | null> {
  const found = await run('/bin/sh', ['-c', FIND_ON_PATH]).catch(() => null);
  const file = found?.stdout.trim();
  return file === undefined || file === '' ? null : { file, env: {} };
}

function unpackedServer(root: string): Program | null {
  const file = join(root, 'usr/bin/redis-server');
  if (!existsSync(file)) return null;
  const libraries = globSync('{usr/,}lib/*-linux-gnu', { cwd: root }).map((path) => join(root, path));
  return { file, env: { LD_LIBRARY_PATH: libraries.join(':') } };
}

/** Null for a binary that does not start, such as one of another Debian. */
async function versionOf({ file, env }: Program): Promise<string | null> {
  const answer = await run(file, ['--version'], { env, timeout: 5_000 }).catch(() => null);
  return answer !== null && /v=\d/.test(answer.stdout) ? answer.stdout.trim() : null;
}
