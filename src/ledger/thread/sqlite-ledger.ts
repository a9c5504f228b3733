import type { Ledger } from '../contracts/ledger.ts';
import { backUp } from '../sqlite/backup.ts';
import { rewriteLedger } from '../sqlite/purge-rewrite.ts';
import { type LedgerOperations, ledgerOver } from './ledger-over.ts';
import { type Caller, startLedgerThread, type ThreadLog, threadFile } from './ledger-thread.ts';

/** The file, and the receivers of its log and commits. */
export interface SqliteLedgerOptions {
  /** The ledger's file; it and its folder are created when they are missing. */
  file: string;
  /** The folder for the notes of claims, which reveal an older ledger; null and by default: none. */
  stateFolder?: string | null;
  log?: ThreadLog;
  /** Called with the milliseconds of each commit. */
  committed?: (ms: number) => void;
}

/**
 * Opens the ledger and updates its schema. Rejects with `ledger_invalid` (damaged, read-only, on a network
 * file system), `ledger_newer`, `ledger_busy` or `sqlite_too_old`.
 */
export async function openSqliteLedger(options: SqliteLedgerOptions): Promise<Ledger> {
  const entry = threadFile('writer-thread', import.meta.url);
  return sqliteLedgerOver(await startLedgerThread<LedgerOperations>({ entry, ...options }), options.file);
}

/** The write contract over any runner of the operations of the ledger in this file. */
export function sqliteLedgerOver(caller: Caller<LedgerOperations>, file: string): Ledger {
  return ledgerOver(caller, {
    rewrite: () => rewriteLedger(file),
    backup: (target) => backUp({ file, target }),
  });
}
