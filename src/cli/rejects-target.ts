import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isSameFile, type OutRequest, outTarget } from './out-target.ts';

/** Where rejects go when nobody says where, for the help. */
export const DEFAULT_REJECTS = './rejects.csv';
/** What every header of rejects has; the header of contacts is no longer than this. */
const OUR_COLUMN = 'tuma_reason';
const MOST_HEADER_BYTES = 65_536;
const MOST_NAMES = 99;

/**
 * Where rejects go; `file` null: ./rejects.csv, or ./rejects-2.csv where that one is read, for rejects that were mended are
 * contacts. Throws as `outTarget` does.
 */
export function rejectsTarget(request: Omit<OutRequest, 'file' | 'flag'> & { file: string | null }): string {
  return outTarget({ ...request, file: request.file ?? ownName(request.reads ?? []), flag: '--rejects' });
}

/** With all names taken, the first: it is refused as what is read. */
function ownName(reads: readonly (string | null)[]): string {
  const isRead = (name: string) => reads.some((file) => file !== null && isSameFile(file, name));
  if (!isRead(DEFAULT_REJECTS)) return DEFAULT_REJECTS;
  for (let number = 2; number <= MOST_NAMES; number += 1) {
    const name = `./rejects-${number}.csv`;
    if (!isRead(name) && isFree(name)) return name;
  }
  return DEFAULT_REJECTS;
}

/** Older rejects give way to newer ones, as ./rejects.csv does; what anybody else wrote stays. */
function isFree(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && isRejects(file));
}

function isRejects(file: string): boolean {
  const bytes = Buffer.alloc(MOST_HEADER_BYTES);
  try {
    const handle = openSync(file, 'r');
    try {
      const length = readSync(handle, bytes, 0, bytes.length, 0);
      const [header = ''] = bytes.toString('utf8', 0, length).split(/[\r\n]/, 1);
      return header.includes(OUR_COLUMN);
    } finally {
      closeSync(handle);
    }
  } catch {
    return false;
  }
}
