import { randomUUID } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { InheritedNote, LeftFile, Log, NoteFile, WireFiles } from '../campaign/env.ts';
import { type FileLock, tryFileLock } from './file-lock.ts';

/*
 * The wire notes of a home: `wire/<worker>` and its lock `wire/<worker>.lock`, for this user only. Nothing is
 * synced, because written bytes survive a killed process, and a note of another boot proves nothing. A copy
 * of a file, or another file in its place, has another identity.
 */

const LOCK = '.lock';
const MODE = 0o600;
/** No note is larger. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The notes in this folder. The first note makes the folder. */
export function systemWireFiles(folder: string, log: Log): WireFiles {
  return {
    open: () => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        return new LockedNote(folder);
      } catch (error) {
        log.warn(
          { error: String(error) },
          'requests on the wire cannot be noted: a kill makes every claimed message uncertain',
        );
        return null;
      }
    },
    inherit: (worker) => orElse(() => inherit(folder, worker), { state: 'none' }),
    clear: (known) => orElse(() => clear(folder, known), undefined),
  };
}

/** A lock that cannot be opened proves nothing, and holds up no start. */
function orElse<Result>(attempt: () => Result, otherwise: Result): Result {
  try {
    return attempt();
  } catch {
    return otherwise;
  }
}

class LockedNote implements NoteFile {
  readonly lock: string | null;
  readonly #folder: string;
  readonly #kernelLock: FileLock;
  /** Opened before the lock, and closed after it: the kernel drops a lock when its process closes the file. */
  readonly #lockDescriptor: number;
  #isLocked = true;
  #lockFile: string;
  #worker: number | null = null;
  #descriptor: number | null = null;

  /** The lock begins under another name, so that a worker's own file is always locked. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#lockFile = join(folder, `${randomUUID()}${LOCK}`);
    this.#lockDescriptor = openSync(this.#lockFile, 'wx', MODE);
    const lock = tryFileLock(this.#lockFile);
    if (lock === null) throw new Error(`${this.#lockFile} is locked`);
    this.#kernelLock = lock;
    this.lock = identityOf(fstatSync(this.#lockDescriptor, { bigint: true }));
  }

  begin(worker: number): string {
    // The lock comes first: a note must never stand beside the lock of a former worker of that number.
    this.#nameLock(worker);
    this.remove();
    const descriptor = openSync(join(this.#folder, String(worker)), 'wx', MODE);
    this.#take(descriptor);
    return identityOf(fstatSync(descriptor, { bigint: true })) ?? '';
  }

  now(): number {
    return Date.now();
  }

  /** A full disk takes a part of a write and says nothing. */
  write(bytes: Buffer, at: number): void {
    if (this.#descriptor === null) throw new Error('there is no note');
    const written = writeSync(this.#descriptor, bytes, 0, bytes.length, at);
    if (written !== bytes.length) throw new Error('the disk is full');
  }

  /** The count is the lock's modification time in seconds, which no change of the note's content touches. */
  count(writes: number): void {
    futimesSync(this.#lockDescriptor, writes, writes);
  }

  /** The file is emptied, too, because its folder may have been moved, and its path then leads to nothing. */
  remove(): void {
    if (this.#descriptor !== null) ftruncateSync(this.#descriptor, 0);
    if (this.#worker !== null) rmSync(join(this.#folder, String(this.#worker)), { force: true });
    this.#take(null);
  }

  unlock(): void {
    if (!this.#isLocked) return;
    this.#isLocked = false;
    rmSync(this.#lockFile, { force: true });
    this.#kernelLock.release();
    closeSync(this.#lockDescriptor);
  }

  #take(descriptor: number | null): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = descriptor;
  }

  /** The lock moves with its file. */
  #nameLock(worker: number): void {
    this.#worker = worker;
    const name = join(this.#folder, `${worker}${LOCK}`);
    if (this.#lockFile === name) return;
    renameSync(this.#lockFile, name);
    this.#lockFile = name;
  }
}

/**
 * A free lock proves a death only on the very file that the worker locked. So the file is compared before the
 * lock is taken, and afterwards, because it may have been replaced in between.
 */
function inherit(
  folder: string,
  { worker, lock: locked }: Parameters<WireFiles['inherit']>[0],
): ReturnType<WireFiles['inherit']> {
  const file = join(folder, String(worker));
  const lockFile = `${file}${LOCK}`;
  if (locked === null || identityAt(lockFile) !== locked) return { state: 'none' };
  const lock = tryFileLock(lockFile);
  if (lock === null) return { state: 'held' };
  if (identityAt(lockFile) !== locked) {
    lock.release();
    return { state: 'none' };
  }
  const release: InheritedNote['release'] = ({ remove }) => {
    if (remove) removeNote(file, lockFile);
    lock.release();
  };
  return { state: 'left', file: leftFile(file, lockFile), release };
}

/** Removes the notes of forgotten workers, and locks that never got a number. */
function clear(folder: string, known: ReadonlySet<number>): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((each) => each.endsWith(LOCK))) {
    const file = join(folder, name.slice(0, -LOCK.length));
    if (known.has(Number(name.slice(0, -LOCK.length)))) continue;
    const lock = orElse(() => tryFileLock(join(folder, name)), null);
    if (lock === null) continue;
    removeNote(file, join(folder, name));
    lock.release();
  }
}

/** What cannot be removed proves nothing, and holds up no start. */
function removeNote(file: string, lockFile: string): void {
  for (const each of [file, lockFile]) orElse(() => rmSync(each, { force: true }), undefined);
}

/** Null: there is no readable note, or the file system cannot tell it from a copy. */
function leftFile(path: string, lockFile: string): LeftFile | null {
  return orElse(() => {
    // A pipe in its place must not hold up the reader.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const before = fstatSync(descriptor);
      if (!before.isFile() || before.size > MOST_BYTES) return null;
      const bytes = readFileSync(descriptor);
      const stats = fstatSync(descriptor, { bigint: true });
      const identity = identityOf(stats);
      if (identity === null) return null;
      const lock = statSync(lockFile, { bigint: true });
      return {
        bytes,
        identity,
        changedAt: Number(stats.ctimeNs) / 1e6,
        counted: Number(lock.mtimeNs) / 1e9,
        countedAt: Number(lock.ctimeNs) / 1e6,
      };
    } finally {
      closeSync(descriptor);
    }
  }, null);
}

/** Null: there is no file, or the file system lacks creation times. */
function identityAt(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : identityOf(stats);
}

/** The identity of a file, which no copy shares; null: the file system lacks creation times. */
function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string | null {
  return birthtimeNs === 0n ? null : `${dev} ${ino} ${birthtimeNs}`;
}
