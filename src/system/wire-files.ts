import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { InheritedNote, Log, NoteFile, WireFiles } from '../campaign/env.ts';
import { type FileLock, tryFileLock } from './file-lock.ts';

/*
 * The wire notes of a home: `wire/<worker>` and its lock `wire/<worker>.lock`, for this user only. Nothing is
 * synced, because written bytes survive a killed process, and a note of another boot proves nothing. The
 * first line of a note is the identity of its file, so that a note in a copied home proves nothing.
 */

const LOCK = '.lock';
const MODE = 0o600;

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
  readonly #folder: string;
  readonly #lock: FileLock;
  #lockFile: string;
  #worker: number | null = null;
  #descriptor: number | null = null;

  /** The lock begins under another name, so that a worker's own file is always locked. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#lockFile = join(folder, `${randomUUID()}${LOCK}`);
    const lock = tryFileLock(this.#lockFile);
    if (lock === null) throw new Error(`${this.#lockFile} is locked`);
    this.#lock = lock;
  }

  replace(worker: number, text: string): void {
    // The lock comes first: a note must never stand beside the lock of a former worker of that number.
    this.#nameLock(worker);
    const file = join(this.#folder, String(worker));
    const next = `${file}.next`;
    rmSync(next, { force: true });
    const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants;
    const descriptor = openSync(next, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, MODE);
    try {
      writeWhole(descriptor, `${identityOf(descriptor) ?? ''}\n${text}`);
      renameSync(next, file);
    } catch (error) {
      closeSync(descriptor);
      rmSync(next, { force: true });
      throw error;
    }
    this.#take(descriptor);
  }

  append(text: string): void {
    if (this.#descriptor === null) throw new Error('there is no note');
    writeWhole(this.#descriptor, text);
  }

  remove(): void {
    if (this.#worker !== null) rmSync(join(this.#folder, String(this.#worker)), { force: true });
    this.#take(null);
  }

  unlock(): void {
    rmSync(this.#lockFile, { force: true });
    this.#lock.release();
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

function inherit(folder: string, worker: number): ReturnType<WireFiles['inherit']> {
  const file = join(folder, String(worker));
  const lockFile = `${file}${LOCK}`;
  if (!existsSync(lockFile)) return { state: 'none' };
  const lock = tryFileLock(lockFile);
  if (lock === null) return { state: 'held' };
  const release: InheritedNote['release'] = ({ remove }) => {
    if (remove) for (const each of [file, `${file}.next`, lockFile]) rmSync(each, { force: true });
    lock.release();
  };
  return { state: 'left', text: textOf(file), release };
}

/** Removes the notes of forgotten workers, and locks that never got a number. */
function clear(folder: string, known: ReadonlySet<number>): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((each) => each.endsWith(LOCK))) {
    const file = join(folder, name.slice(0, -LOCK.length));
    if (known.has(Number(name.slice(0, -LOCK.length)))) continue;
    const lock = orElse(() => tryFileLock(join(folder, name)), null);
    if (lock === null) continue;
    for (const each of [file, `${file}.next`, join(folder, name)]) rmSync(each, { force: true });
    lock.release();
  }
}

/** Null: there is no note, or it is a copy. */
function textOf(file: string): string | null {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const text = readFileSync(descriptor, 'utf8');
      const end = text.indexOf('\n');
      const identity = identityOf(descriptor);
      return identity !== null && end >= 0 && text.slice(0, end) === identity ? text.slice(end + 1) : null;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

/** The identity of a file, which no copy shares; null: the file system lacks creation times. */
function identityOf(descriptor: number): string | null {
  const { ino, birthtimeNs } = fstatSync(descriptor, { bigint: true });
  return birthtimeNs === 0n ? null : `${ino} ${birthtimeNs}`;
}

/** A full disk takes a part of a write and says nothing. */
function writeWhole(descriptor: number, text: string): void {
  const written = writeSync(descriptor, text);
  if (written !== Buffer.byteLength(text)) throw new Error('the disk is full');
}
