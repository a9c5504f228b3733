import { statSync } from 'node:fs';
import type { Config } from './config.ts';
import { TumaError } from '../domain/errors.ts';
import { refuseLostLedger, rescuedBeside } from '../ledger/contracts/lost-ledger.ts';

/** The copy saved when the open ledger was replaced, with its message; null: there is none. */
export function rescuedLedger({
  ledgerFile,
  postgres,
}: Pick<Config, 'ledgerFile' | 'postgres'>): { file: string; words: string } | null {
  const file = postgres === null ? rescuedBeside(ledgerFile) : null;
  if (file === null) return null;
  const words = `The ledger was replaced while it was in use; that one was saved as ${file}. Put it back, and move any other ledger.rescued-*.db away.`;
  return { file, words };
}

/** Throws `ledger_invalid` beside such a copy, because it may have messages that this ledger sends again. */
export function refuseRescued(config: Pick<Config, 'ledgerFile' | 'postgres'>): void {
  const rescued = rescuedLedger(config);
  if (rescued === null) return;
  throw new TumaError('ledger_invalid', {
    message: 'The ledger was replaced while it was in use, so nothing is written to this one.',
    hint: `End every tuma of this home. Then mv ${rescued.file} ${config.ledgerFile}, and move any other ledger.rescued-*.db away.`,
    where: config.ledgerFile,
  });
}

/**
 * True: there is a ledger, or Postgres says it when it is opened. Throws `ledger_invalid` when that is unclear, and when
 * only its log is there.
 */
export function ledgerThere({ ledgerFile, postgres }: Pick<Config, 'ledgerFile' | 'postgres'>): boolean {
  if (postgres !== null) return true;
  try {
    // Not with `throwIfNoEntry: false`, to which a home that is a file is one without a ledger.
    statSync(ledgerFile);
    return true;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      throw new TumaError('ledger_invalid', {
        message: `The ledger cannot be looked at (${code}).`,
        hint: 'Run tuma as the user whose ledger it is, or point TUMA_HOME at a folder of your own.',
        where: ledgerFile,
        cause: error,
      });
    refuseLostLedger(ledgerFile);
    return false;
  }
}
