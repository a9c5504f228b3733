import { statSync } from 'node:fs';
import { isStamped } from '../contacts/rejects-stamp.ts';
import { TumaError } from '../domain/errors.ts';

/** Where rejects go when nobody says where, for the help. */
export const DEFAULT_REJECTS = './rejects.csv';
const MOST_NAMES = 99;

/**
 * The name for rejects that nobody has named: ./rejects.csv, or ./rejects-2.csv where that one is read or was mended. Older rejects
 * give way to newer ones only while nobody has touched them. Throws `usage` when all names are taken.
 */
export function ownRejects(isRead: (name: string) => boolean): string {
  for (let number = 1; number <= MOST_NAMES; number += 1) {
    const name = number === 1 ? DEFAULT_REJECTS : `./rejects-${number}.csv`;
    if (!isRead(name) && isFree(name)) return name;
  }
  throw new TumaError('usage', {
    message: `${DEFAULT_REJECTS} and all up to ./rejects-${MOST_NAMES}.csv were changed since they were written.`,
    hint: 'Remove those that are done with, or name another file: --rejects FILE.',
    where: DEFAULT_REJECTS,
  });
}

function isFree(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && isStamped(file));
}
