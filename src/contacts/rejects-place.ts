import { closeSync, linkSync, openSync, renameSync } from 'node:fs';
import { TumaError } from '../domain/errors.ts';

/** The place of a rejects file. */
export interface RejectsPlace {
  path: string;
  /** If `path` exists, it is refused, gets a number (`rejects-2.csv`), or is replaced. */
  ifTaken: 'refuse' | 'number' | 'replace';
}

/** The bound of the search for a free name. */
const MOST_NAMES = 9_999;
const OWNER_ONLY = 0o600;

/**
 * Gives a whole file its name and returns that name; the temporary name may stay. Two plans at once get two
 * names, unless `place` says `replace`. Throws `usage` for a taken name, and the errors of the file system.
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

function taken(path: string, most: number): TumaError {
  const message =
    most === 1 ? `${path} exists already.` : `${path} and all up to ${numbered(path, most)} exist already.`;
  const hint =
    most === 1
      ? 'Name another file, or add --force.'
      : 'Remove those that are done with, or name another file: --rejects FILE.';
  return new TumaError('usage', { message, hint, where: path });
}
