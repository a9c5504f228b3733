import { DatabaseSync } from 'node:sqlite';
import { busyError, faultOf, ledgerError, whenFree } from './sqlite-errors.ts';

/** The longest wait for another connection's transaction. */
const PATIENCE_MS = 5_000;

/**
 * Writes the ledger anew without its unused space. Pages that were divided while the ledger grew left copies
 * of rows behind. No later change of those rows reaches them; only this rewrite removes them. It needs as
 * much space as the ledger. False: another process had the ledger.
 */
export async function rewriteLedger(file: string): Promise<boolean> {
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    database.exec('PRAGMA secure_delete = ON');
    await whenFree(() => database.exec('VACUUM'), PATIENCE_MS);
    const checkpoint = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    // SQLite itself waits for writers and readers, but not for another process that copies the log back.
    await whenFree(() => {
      if (checkpoint.get()?.['busy'] !== 0) throw busyError('the log could not be copied whole');
    }, PATIENCE_MS);
    return true;
  } catch (error) {
    if (faultOf(error) === 'busy') return false;
    throw ledgerError(error);
  } finally {
    database.close();
  }
}
