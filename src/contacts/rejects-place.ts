import { closeSync, linkSync, lstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { TumaError } from '../domain/errors.ts';

/** The place of a rejects file. */
export interface RejectsPlace {
  path: string;
  /** If `path` exists, it is refused, is a numbered one (`rejects-2.csv`), or is replaced. */
  ifTaken: 'refuse' | 'number' | 'replace';
  /**
   * Notes the temporary file beside `path`, so that it goes also after a kill. The returned function ends the note.
   * Left out: a kill leaves it.
   */
  noteUnfinished?: (file: string) => () => void;
}

/** The bound of the search for a free name. */
const MOST_NAMES = 9_999;
const OWNER_ONLY = 0o600;
/** Read at once where two files are compared. */
const COMPARED_BYTES = 64 * 1024;

/**
 * Gives a whole file its name and returns that name; the temporary name may stay. Where names are numbered, the same
 * file as before keeps its name, so that a plan that is made again adds none. Different files get different names. Throws `usage` for a taken name, and the errors of the file system.
 */
export function putInPlace(temporary: string, { path, ifTaken }: RejectsPlace): string {
  if (ifTaken === 'replace') {
    renameSync(temporary, path);
    return path;
  }
  const most = ifTaken === 'number' ? MOST_NAMES : 1;
  for (let number = 1; number <= most; number += 1) {
    const name = numbered(path, number);
    if (takeName(temporary, name)) return name;
    if (ifTaken === 'number' && isSameFile(temporary, name)) return name;
  }
  throw taken(path, most);
}

function numbered(path: string, number: number): string {
  return number === 1 ? path : path.replace(/\.(\w+)$/, `-${number}.$1`);
}

/** False: the name is taken, also by a link without a target. */
function takeName(temporary: string, name: string): boolean {
  try {
    linkSync(temporary, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // Some file systems have no hard links: a USB stick, or a folder shared with a virtual machine.
    closeSync(openSync(name, 'wx', OWNER_ONLY));
    renameSync(temporary, name);
  }
  return true;
}

/** Whether a regular file has the same bytes: what is behind a link is somebody else's. */
function isSameFile(one: string, other: string): boolean {
  const found = lstatSync(other, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size !== statSync(one).size) return false;
  const files: number[] = [];
  try {
    for (const path of [one, other]) files.push(openSync(path, 'r'));
    return haveSameBytes(files as [number, number]);
  } catch {
    // Of a file that cannot be read nobody knows what it is.
    return false;
  } finally {
    for (const file of files) closeSync(file);
  }
}

function haveSameBytes([one, other]: [number, number]): boolean {
  const bytes = [Buffer.alloc(COMPARED_BYTES), Buffer.alloc(COMPARED_BYTES)] as const;
  for (;;) {
    const read = readSync(one, bytes[0]);
    if (readSync(other, bytes[1]) !== read || !bytes[0].subarray(0, read).equals(bytes[1].subarray(0, read)))
      return false;
    if (read === 0) return true;
  }
}

function taken(path: string, most: number): TumaError {
  const message =
    most === 1 ? `${path} exists already.` : `${path} and all up to ${numbered(path, most)} exist already.`;
  const hint = most === 1 ? null : 'Remove those that are done with.';
  return new TumaError('usage', {
    message,
    hint,
    advice: { action: 'name_rejects', overwrite: most === 1 },
    where: path,
  });
}
