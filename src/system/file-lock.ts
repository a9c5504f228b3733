import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** A lock that is held until it is released, or until this process ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock of this file, or answers null where another process holds it. The file is made where it is missing. The
 * lock is SQLite's own on an empty database, because Node has no flock: the kernel drops it when its process dies, so it
 * is never stale, and it holds between containers of one machine. Nothing is ever written to the file.
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
 * A process that can read the file could hold its lock, and one that cannot write it would lock nobody out. A file that is
 * there is not opened here: closing it again would drop the lock that this process may hold by it, because the kernel
 * keeps locks by process and file.
 */
function makeLockable(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    accessSync(path, constants.R_OK | constants.W_OK);
  }
}
