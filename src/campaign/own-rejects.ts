import { statSync } from 'node:fs';
import { isStamped } from '../contacts/rejects-stamp.ts';
import { TumaError } from '../domain/errors.ts';

/** Where rejects of contacts go when nobody says where. */
export const DEFAULT_REJECTS = './rejects.csv';
/** Where those of an import of opt-outs go: people who are not opted out yet, whom no plan's rejects may write over. */
export const DEFAULT_OPT_OUT_REJECTS = './optouts-rejects.csv';
const MOST_NAMES = 99;

/**
 * The name for rejects that nobody has named: `first` (./rejects.csv), or ./rejects-2.csv where that one is used (read, or
 * launched) or was mended. Older rejects give way to newer ones only while nobody has touched them. Throws `usage` when all names are taken.
 */
export async function ownRejects(first: string, isUsed: (name: string) => Promise<boolean>): Promise<string> {
  const numbered = (number: number) => (number === 1 ? first : first.replace(/\.csv$/, `-${number}.csv`));
  for (let number = 1; number <= MOST_NAMES; number += 1) {
    const name = numbered(number);
    if (isFree(name) && !(await isUsed(name))) return name;
  }
  throw new TumaError('usage', {
    message: `${first} and all up to ${numbered(MOST_NAMES)} were changed since they were written, or launched.`,
    hint: 'Remove those that are done with, or name another file: --rejects FILE.',
    where: first,
  });
}

function isFree(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && isStamped(file));
}
