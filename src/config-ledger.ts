import { statSync } from 'node:fs';
import { TumaError } from './domain/errors.ts';
import type { Config } from './config.ts';

/**
 * Whether there is a ledger. Throws `ledger_invalid` where that cannot be seen: to somebody who may not look into the
 * home of another user nothing must seem to have been launched.
 */
export function ledgerThere({ ledgerFile }: Pick<Config, 'ledgerFile'>): boolean {
  try {
    return statSync(ledgerFile, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new TumaError('ledger_invalid', {
      message: `The ledger cannot be looked at (${code}).`,
      hint: 'Run tuma as the user whose ledger it is, or point TUMA_HOME at your own.',
      where: ledgerFile,
      cause: error,
    });
  }
}
