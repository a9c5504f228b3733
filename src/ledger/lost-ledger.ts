import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { TumaError } from '../domain/errors.ts';

/* What is said of a ledger whose file is missing, or is no ledger, and what a person can do then. */

/** SQLite would replay them onto whatever file has the ledger's name. */
const LOGS = ['-wal', '-journal'];

/**
 * Throws `ledger_invalid` where the ledger's log is there and the ledger is not, because a new ledger would be given that
 * log; and where a copy was rescued when the ledger was removed, because that copy is the ledger.
 */
export function refuseLostLedger(file: string): void {
  const log = LOGS.map((part) => `${file}${part}`).find(holdsSomething);
  const rescued = rescuedBeside(file);
  // Looked at after the log: another process may have made the ledger a moment ago.
  if ((log === undefined && rescued === null) || existsSync(file)) return;
  if (log === undefined)
    throw new TumaError('ledger_invalid', {
      message: `The ledger was removed while it was in use, and was saved as ${rescued}.`,
      hint: `Put it back: mv ${rescued} ${file}`,
      where: file,
    });
  throw new TumaError('ledger_invalid', {
    message: `The ledger is missing, and its log ${basename(log)} is there.`,
    hint: `Put the ledger back beside its log. If it is gone, move the log away. ${putBackHint(file)}`,
    where: file,
  });
}

/** What to put in the place of a ledger that is gone; names the latest rescued copy that lies beside it. */
export function putBackHint(file: string): string {
  const rescued = rescuedBeside(file);
  const backup = 'the latest copy of `tuma backup`';
  return `Put ${rescued === null ? backup : `${rescued} or ${backup}`} in its place.`;
}

/** The latest copy that was saved when the ledger was removed or replaced in use; null: there is none. */
export function rescuedBeside(file: string): string | null {
  const { dir, name, ext } = parse(file);
  const copies = namesIn(dir).filter((each) => each.startsWith(`${name}.rescued-`) && each.endsWith(ext));
  const latest = copies.toSorted((one, other) => changedAt(join(dir, other)) - changedAt(join(dir, one)))[0];
  return latest === undefined ? null : join(dir, latest);
}

/** None where nobody may look. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function holdsSomething(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
