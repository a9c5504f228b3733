import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atFileEnd } from './file-end.ts';

/** A home is a temporary directory, or not far below one. */
const MOST_DEPTH = 3;
const made: string[] = [];
/** A file system in memory: half of a test's time on a disk is spent waiting for it. */
const MEMORY = '/dev/shm';
/** The homes of tests that run side by side; a container's memory may be smaller. */
const LEAST_BYTES = 2_000_000_000;

atFileEnd(removeTempDirs);

async function removeTempDirs(): Promise<void> {
  for (const path of made.splice(0)) {
    await endPrivateRedis(path).catch(() => undefined);
    rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Makes an empty directory of its own, mode 0700; it is removed when the test file is done. Returns its path. `disk`: for
 * a process that must not warn of a ledger in memory.
 */
export function makeTempDir(place: 'memory' | 'disk' = 'memory'): string {
  const path = mkdtempSync(join(place === 'disk' ? tmpdir() : baseFolder(), 'tuma-test-'));
  made.push(path);
  return path;
}

function baseFolder(): string {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < LEAST_BYTES ? tmpdir() : MEMORY;
}

/** A process that a test killed leaves its private Redis to the next one; with its home gone nobody would find it. */
async function endPrivateRedis(home: string, depth = 0): Promise<void> {
  for (const entry of readdirSync(home, { withFileTypes: true })) {
    if (entry.name === 'redis.json') {
      const { readRecord } = await import('../../src/queue/private-server.ts');
      const record = readRecord(home);
      if (record !== null) process.kill(record.pid, 'SIGKILL');
    }
    if (entry.isDirectory() && depth < MOST_DEPTH) await endPrivateRedis(join(home, entry.name), depth + 1);
  }
}
