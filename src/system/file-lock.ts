import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** A lock until its release, or until this process ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock of this file, which is made where it is missing; null while another process holds it. Node
 * has no flock, so this is SQLite's lock on an empty database. The kernel drops it when its process dies, so
 * it is never stale, and it holds between containers of one machine.
 */
export function tryFileLock(path: string): FileLock | null {
  makeLockable(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    // A journal in a file would need space, and a full disk has none.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null;
    throw error;
  }
  return { release: () => void (lock.isOpen && lock.close()) };
}

/**
 * Makes the file for this user only. An existing file is not opened here, because the kernel keeps locks by
 * process and file: closing it again would drop a lock that this process holds by it.
 */
function makeLockable(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    accessSync(path, constants.R_OK | constants.W_OK);
  }
}
