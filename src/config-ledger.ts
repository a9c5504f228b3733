import { statSync } from 'node:fs';
import type { Config } from './config.ts';
import { TumaError } from './domain/errors.ts';
import { refuseLostLedger } from './ledger/lost-ledger.ts';

/**
 * Whether there is a ledger. Throws `ledger_invalid` where that cannot be seen, because a home of another user that nobody
 * else may look into must not seem empty; and where only the ledger's log is there.
 */
export function ledgerThere({ ledgerFile }: Pick<Config, 'ledgerFile'>): boolean {
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
