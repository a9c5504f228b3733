import { DatabaseSync } from 'node:sqlite';
import { faultOf, ledgerError } from './sqlite-errors.ts';

/** How long somebody else's transaction is waited for. */
const PATIENCE_MS = 5_000;

/**
 * Writes the ledger anew without its unused space. When pages were divided while the ledger grew, they left copies of
 * rows behind that no later change of those rows can reach; only this removes them. Needs as much space as the ledger
 * takes. False: another process held the ledger.
 */
export async function rewriteLedger(file: string): Promise<boolean> {
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    database.exec('PRAGMA secure_delete = ON; VACUUM');
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
  } catch (error) {
    if (faultOf(error) === 'busy') return false;
    throw ledgerError(error);
  } finally {
    database.close();
  }
}
