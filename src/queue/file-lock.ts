import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { TumaError } from '../domain/errors.ts';

const PATIENCE_MS = 30_000;
const POLL_MS = 20;
const SQLITE_BUSY = 5;

/**
 * Does `work` while no other process of this machine does work under the same file. The lock is SQLite's own on an
 * empty database, for Node has no flock: the kernel drops it when its process dies, so that it can never be stale. Nothing
 * is ever written to it.
 * Throws redis_unreachable after 30 s of waiting.
 */
export async function withFileLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  makeLockable(path);
  const lock = new DatabaseSync(path);
  try {
    await acquire(lock, path);
    return await work();
  } finally {
    lock.close();
  }
}

/**
 * Who can read the file could hold it, and who cannot write it would lock nobody out. One that is there is not opened: closing it
 * again would drop the lock that this process may hold by it, for the kernel keeps them by process and file.
 */
function makeLockable(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    accessSync(path, constants.R_OK | constants.W_OK);
  }
}

async function acquire(lock: DatabaseSync, path: string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (performance.now() < deadlineMs) {
    if (tryToLock(lock)) return;
    await sleep(POLL_MS);
  }
  throw new TumaError('redis_unreachable', {
    message: 'Another process has been starting or stopping the private Redis for 30 s',
    hint: `End the process that holds ${path}, and try again.`,
  });
}

function tryToLock(lock: DatabaseSync): boolean {
  try {
    // A journal in a file would need space, which a full disk has not.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
