import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { faultOf, ledgerError } from './sqlite-errors.ts';

/** The longest wait for another connection's transaction. */
const PATIENCE_MS = 5_000;
const LOOK_AGAIN_MS = 20;

/**
 * Writes the ledger anew without its unused space. Pages that were divided while the ledger grew left copies
 * of rows behind. No later change of those rows reaches them; only this rewrite removes them. It needs as
 * much space as the ledger. False: another process had the ledger.
 */
export async function rewriteLedger(file: string): Promise<boolean> {
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    database.exec('PRAGMA secure_delete = ON');
    const written = await patiently(() => database.exec('VACUUM') === undefined);
    const checkpoint = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    return written && (await patiently(() => checkpoint.get()?.['busy'] === 0));
  } finally {
    database.close();
  }
}

/** SQLite itself waits for writers and readers, but not for another process that copies the log back. */
async function patiently(attempt: () => boolean): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  while (!unlessBusy(attempt)) {
    if (performance.now() > until) return false;
    await sleep(LOOK_AGAIN_MS);
  }
  return true;
}

function unlessBusy(attempt: () => boolean): boolean {
  try {
    return attempt();
  } catch (error) {
    if (faultOf(error) === 'busy') return false;
    throw ledgerError(error);
  }
}
