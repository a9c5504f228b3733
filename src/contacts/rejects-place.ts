import { closeSync, linkSync, openSync, renameSync } from 'node:fs';
import { TumaError } from '../domain/errors.ts';

/** Where a rejects file goes. */
export interface RejectsPlace {
  path: string;
  /** Where `path` exists: it is refused, `rejects-2.csv` and so on is taken, or it is written over. */
  ifTaken: 'refuse' | 'number' | 'replace';
}

/** The bound of the search for a free name. */
const MOST_NAMES = 9_999;
const OWNER_ONLY = 0o600;

/**
 * Gives a whole file its name and answers that name; the temporary name may stay. A name that is taken goes to nobody else, unless
 * `place` says `replace`: two plans at once get two names. Throws `usage` for a taken name, and the errors of the file system.
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
  return number === 1 ? path : path.replace(/\.csv$/, `-${number}.csv`);
}

/** False: something has that name, a link that leads nowhere included. */
function takeName(temporary: string, name: string): boolean {
  try {
    linkSync(temporary, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // Some file systems have no hard links: that of a USB stick, or a folder shared with a virtual machine.
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
