import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { TumaError } from '../../domain/errors.ts';

/* The words for a ledger that was lost, and the advice for a person. */

/** What helps where a file is no ledger. */
export const PUT_BACK = 'Put the latest backup in its place.';

/** SQLite would replay these onto any file with the ledger's name. */
const LOGS = ['-wal', '-journal'];

/**
 * Throws `ledger_invalid` beside a ledger that was saved when its file was removed or replaced in use, because that copy
 * is the ledger: another one would send its messages again, and its STOPs would be lost. Throws it also when the ledger
 * is missing but its log is there, because a new ledger would get that log.
 */
export function refuseLostLedger(file: string): void {
  const rescued = rescuedBeside(file);
  if (rescued !== null)
    throw new TumaError('ledger_invalid', {
      message: `The ledger was removed or replaced while it was in use, and was saved as ${rescued}. Nothing works on another one.`,
      hint: `End every tuma of this home. Then mv ${rescued} ${file}, and move any other ${parse(file).name}.rescued-* and ${basename(file)}-* away.`,
      where: file,
    });
  const log = LOGS.map((part) => `${file}${part}`).find(holdsSomething);
  // This check comes after the log's, because another process may have made the ledger a moment ago.
  if (log === undefined || existsSync(file)) return;
  throw new TumaError('ledger_invalid', {
    message: `The ledger is missing, and its log ${basename(log)} is there.`,
    hint: `Put the ledger back beside its log. If it is gone, move the log away. ${PUT_BACK}`,
    where: file,
  });
}

/** The latest copy that was saved when the open ledger was removed or replaced; null: none. */
function rescuedBeside(file: string): string | null {
  const { dir, name, ext } = parse(file);
  const copies = namesIn(dir).filter((each) => each.startsWith(`${name}.rescued-`) && each.endsWith(ext));
  // The name holds the time.
  const latest = copies.toSorted().at(-1);
  return latest === undefined ? null : join(dir, latest);
}

/** No names when the folder cannot be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Where nobody may look, the ledger itself cannot be looked at, and whoever opens it says so. */
function holdsSomething(file: string): boolean {
  try {
    return statSync(file).size > 0;
  } catch {
    return false;
  }
}
