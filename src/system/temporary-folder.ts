import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { folderError } from './folder.ts';
import { type FileLock, tryFileLock } from './file-lock.ts';

/*
 * What must not outlive its process: copies of contacts, ledgers of plans, files that are not whole yet. All of it
 * lies in `tmp/<pid>-<random>` of the home, or is named there by a link. The process holds the lock
 * `tmp/<pid>-<random>.lock`, which the kernel drops when it dies. So a free lock, and not a pid, proves that what is
 * there belongs to nobody, and the next command removes it. The lock gets its name when it is held, and goes last.
 */

const NAME = /^\d+-[\da-f]{12}$/;
const LOCK = '.lock';
/** The name of a lock that is not held yet. */
const NEW_LOCK = '.new';
/** Links to files beside their targets. */
const UNFINISHED = 'unfinished-';
/** Another process may remove the new lock, or the folder around it, before it is held. */
const MOST_TRIES = 100;

/** The name of a file beside `file` until it is whole. Only such names are removed after a kill. */
export function unfinishedName(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}.tmp`;
}

const UNFINISHED_NAME = /\.[\da-f]{12}\.tmp$/;

/** The temporary folder of this process. It is made when it is first needed. */
export class TemporaryFolder {
  readonly #parent: string;
  #held: { path: string; lock: FileLock } | null = null;
  /** The missing folders that were made for it, the deepest first. */
  #made: string[] = [];

  /** `parent` is the `tmp` of the home. */
  constructor(parent: string) {
    this.#parent = parent;
  }

  /** The folder, for this user only. Throws `file_unwritable`. */
  get path(): string {
    this.#held ??= this.#make();
    return this.#held.path;
  }

  /** What its file system has left. */
  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  /** Notes a file elsewhere that is not whole (`unfinishedName`). The returned function ends the note. */
  noteUnfinished(file: string): () => void {
    const link = join(this.path, `${UNFINISHED}${randomBytes(6).toString('hex')}`);
    symlinkSync(resolve(file), link);
    return () => rmSync(link, { force: true });
  }

  /** Removes the folder, and the ones above it that were made for it and are empty. */
  close(): void {
    if (this.#held === null) return;
    const { path, lock } = this.#held;
    this.#held = null;
    for (const left of [path, `${path}${LOCK}`]) orNot(() => rmSync(left, { recursive: true, force: true }));
    lock.release();
    // A home that only a plan needed would become the home of every folder below.
    for (const folder of [this.#parent, ...this.#made]) orNot(() => rmdirSync(folder));
  }

  #make(): { path: string; lock: FileLock } {
    this.#made = missingFolders(dirname(this.#parent));
    try {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        mkdirSync(this.#parent, { recursive: true, mode: 0o700 });
        const path = join(this.#parent, `${process.pid}-${randomBytes(6).toString('hex')}`);
        const lock = heldLock(path);
        if (lock === null) continue;
        mkdirSync(path, { mode: 0o700 });
        return { path, lock };
      }
    } catch (error) {
      throw folderError(this.#parent, error);
    }
    throw new Error(`no lock of ${this.#parent} could be held`);
  }
}

/** Null: somebody took the new lock for a dead one. */
function heldLock(path: string): FileLock | null {
  let lock: FileLock | null = null;
  try {
    lock = tryFileLock(`${path}${NEW_LOCK}`);
    if (lock !== null) renameSync(`${path}${NEW_LOCK}`, `${path}${LOCK}`);
    return lock;
  } catch (error) {
    lock?.release();
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Removes what dead processes left below `parent`. Never throws: what cannot be removed holds nobody up. */
export function removeLeftovers(parent: string): void {
  for (const name of orNot(() => readdirSync(parent)) ?? []) {
    const ending = [LOCK, NEW_LOCK].find((each) => name.endsWith(each));
    if (ending === undefined || !NAME.test(name.slice(0, -ending.length))) continue;
    const lockFile = join(parent, name);
    const lock = orNot(() => tryFileLock(lockFile)) ?? null;
    if (lock === null) continue;
    orNot(() => {
      if (ending === LOCK) removeFolder(lockFile.slice(0, -LOCK.length));
      rmSync(lockFile, { force: true });
    });
    lock.release();
  }
}

/** Removes a dead process's folder, and before it the files that its links name. */
function removeFolder(path: string): void {
  for (const name of orNot(() => readdirSync(path)) ?? []) {
    if (name.startsWith(UNFINISHED)) orNot(() => removeUnfinished(readlinkSync(join(path, name))));
  }
  rmSync(path, { recursive: true, force: true });
}

function removeUnfinished(file: string): void {
  if (UNFINISHED_NAME.test(basename(file)) && lstatSync(file).isFile()) rmSync(file);
}

function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))];
}

function orNot<Result>(attempt: () => Result): Result | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
