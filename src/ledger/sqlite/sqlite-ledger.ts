import type { Ledger } from '../contracts/ledger.ts';
import type { LedgerReader } from '../contracts/reader.ts';
import type { ReaderOperations } from '../operations/reader.ts';
import { readerOver } from '../thread/reader.ts';
import { backUp } from './backup.ts';
import { rewriteLedger } from './purge-rewrite.ts';
import { type LedgerOperations, ledgerOver } from '../thread/ledger-over.ts';
import { type Caller, startLedgerThread, threadFile, type ThreadStart } from '../thread/ledger-thread.ts';

/** What a thread needs to open a ledger in a file. */
export interface FileOfLedger {
  file: string;
  /** The folder for the notes of claims, outside of the homes; null: no notes. */
  stateFolder: string | null;
}

/** The file, which is created with its folder when it is missing, and the receivers of its log and commits. */
export type SqliteLedgerOptions = Pick<FileOfLedger, 'file'> &
  Partial<FileOfLedger> &
  Pick<ThreadStart, 'log' | 'committed'>;

/**
 * Opens the ledger and updates its schema. Rejects with `ledger_invalid` (damaged, read-only, on a network
 * file system), `ledger_newer`, `ledger_busy` or `sqlite_too_old`.
 */
export async function openSqliteLedger({
  file,
  stateFolder = null,
  ...told
}: SqliteLedgerOptions): Promise<Ledger> {
  const entry = threadFile('writer-thread', import.meta.url);
  const data: FileOfLedger = { file, stateFolder };
  return sqliteLedgerOver(await startLedgerThread<LedgerOperations>({ entry, data, ...told }), file);
}

/**
 * Opens the ledger for reading, on a thread of its own. Counts read messages page by page. Each message is
 * seen once, whole, so the numbers always add up, although a sending campaign moves on between two pages.
 */
export async function openSqliteReader(data: Pick<FileOfLedger, 'file'>): Promise<LedgerReader> {
  const entry = threadFile('reader-thread', import.meta.url);
  return readerOver(await startLedgerThread<ReaderOperations>({ entry, data }));
}

/** The write contract over any runner of the operations of the ledger in this file. */
export function sqliteLedgerOver(caller: Caller<LedgerOperations>, file: string): Ledger {
  return ledgerOver(caller, {
    rewrite: () => rewriteLedger(file),
    backup: (target) => backUp({ file, target }),
  });
}
