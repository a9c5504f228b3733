import { TumaError } from '../../domain/errors.ts';
import type { Ledger } from '../contracts/ledger.ts';
import type { LedgerReader } from '../contracts/reader.ts';
import type { ReaderOperations } from '../operations/reader.ts';
import { type LedgerOperations, ledgerOver } from '../thread/ledger-over.ts';
import { type Caller, startLedgerThread, threadFile, type ThreadStart } from '../thread/ledger-thread.ts';
import { readerOver } from '../thread/reader.ts';
import type { PostgresAddress } from './address.ts';

/** What a thread needs to open a ledger on Postgres. */
export interface PlaceOfLedger {
  address: PostgresAddress;
  /** The folder for the notes of claims; null: no notes. */
  stateFolder: string | null;
}

/** Opens the ledger, and makes or updates its schema. Rejects as `connect`, and with `ledger_newer`. */
export async function openPostgresLedger(
  data: PlaceOfLedger,
  told: Pick<ThreadStart, 'log' | 'committed' | 'clock'> = {},
): Promise<Ledger> {
  const entry = threadFile('writer-thread', import.meta.url);
  return postgresLedgerOver(await startLedgerThread<LedgerOperations>({ entry, data, ...told }));
}

/** Opens the ledger for reading, on a thread and a connection of its own. Rejects as `connect`, and with `not_found`. */
export async function openPostgresReader(data: Pick<PlaceOfLedger, 'address'>): Promise<LedgerReader> {
  const entry = threadFile('reader-thread', import.meta.url);
  return readerOver(await startLedgerThread<ReaderOperations>({ entry, data }));
}

/** The write contract over any runner of the operations of a ledger on Postgres. */
export function postgresLedgerOver(caller: Caller<LedgerOperations>): Ledger {
  return ledgerOver(caller, {
    // Postgres gives space back by itself (autovacuum).
    rewrite: async () => true,
    backup: async () => {
      throw new TumaError('usage', {
        message: 'The ledger is on Postgres, which makes its backups itself.',
        hint: 'pg_dump copies it as of one moment; pg_basebackup and an archive of its log copy it to the second.',
      });
    },
  });
}
