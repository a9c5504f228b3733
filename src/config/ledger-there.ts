import { statSync } from 'node:fs';
import type { Config } from './config.ts';
import { TumaError } from '../domain/errors.ts';
import { refuseLostLedger } from '../ledger/sqlite/lost-ledger.ts';

/** True: there is a ledger. Throws `ledger_invalid` when that is unclear, and where the ledger was lost (lost-ledger.ts). */
export function ledgerThere({ ledgerFile, postgres }: Pick<Config, 'ledgerFile' | 'postgres'>): boolean {
  // Whoever opens it finds out.
  if (postgres !== null) return true;
  refuseLostLedger(ledgerFile);
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
    return false;
  }
}
