import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { TumaError } from '../../domain/errors.ts';

/* The words for a missing ledger or a file that is no ledger, and the advice for a person. */

/** SQLite would replay these onto any file with the ledger's name. */
const LOGS = ['-wal', '-journal'];

/**
 * Throws `ledger_invalid` when the ledger is missing but its log is there, because a new ledger would get
 * that log. Throws it also when a copy was rescued at the removal, because that copy is the ledger.
 */
export function refuseLostLedger(file: string): void {
  const log = LOGS.map((part) => `${file}${part}`).find(holdsSomething);
  const rescued = rescuedBeside(file);
  // This check comes after the log's, because another process may have made the ledger a moment ago.
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

/** The advice about a missing ledger; names the latest rescued copy beside it. */
export function putBackHint(file: string): string {
  const rescued = rescuedBeside(file);
  const backup = 'the latest backup';
  return `Put ${rescued === null ? backup : `${rescued} or ${backup}`} in its place.`;
}

/** The latest copy that was saved when the open ledger was removed or replaced; null: none. */
export function rescuedBeside(file: string): string | null {
  const { dir, name, ext } = parse(file);
  const copies = namesIn(dir).filter((each) => each.startsWith(`${name}.rescued-`) && each.endsWith(ext));
  const latest = copies.toSorted((one, other) => changedAt(join(dir, other)) - changedAt(join(dir, one)))[0];
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

function holdsSomething(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
