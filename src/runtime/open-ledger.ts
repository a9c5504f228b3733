import { type Config, type PostgresPlace } from '../config/config.ts';
import { readPasswordFile } from '../config/database-url.ts';
import type { Ledger } from '../ledger/contracts/ledger.ts';
import type { LedgerMove } from '../ledger/contracts/ledger-move.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';
import type { PostgresAddress } from '../ledger/postgres/address.ts';
import { openSqliteLedger, openSqliteReader } from '../ledger/sqlite/sqlite-ledger.ts';
import type { ThreadLog, ThreadStart } from '../ledger/thread/ledger-thread.ts';

/** Where the ledger is, as a process of its own is told by its standard input. It holds no secret. */
export type LedgerPlace = Pick<Config, 'ledgerFile' | 'stateFolder' | 'postgres'>;

/** The ways to open a ledger in a file: in threads, but tests may do without. */
export interface LedgerOpeners {
  write: typeof openSqliteLedger;
  read: typeof openSqliteReader;
}

const IN_THREADS: LedgerOpeners = { write: openSqliteLedger, read: openSqliteReader };

/** Where this configuration has its ledger. */
export function placeOfLedger({ ledgerFile, stateFolder, postgres }: LedgerPlace): LedgerPlace {
  return { ledgerFile, stateFolder, postgres };
}

/** Opens the ledger to write; creates and updates it. Rejects as `openSqliteLedger` and `openPostgresLedger`. */
export async function openLedgerAt(
  { ledgerFile: file, stateFolder, postgres }: LedgerPlace,
  told: Pick<ThreadStart, 'log' | 'committed'>,
  { write }: Pick<LedgerOpeners, 'write'> = IN_THREADS,
): Promise<Ledger> {
  if (postgres === null) return write({ file, stateFolder, ...told });
  const address = await addressOf(postgres);
  const { openPostgresLedger } = await import('../ledger/postgres/postgres-ledger.ts');
  return openPostgresLedger({ address, stateFolder }, told);
}

/** Opens it to read. Rejects as `openSqliteReader` and `openPostgresReader`. */
export async function openReaderAt(
  { ledgerFile: file, postgres }: Pick<LedgerPlace, 'ledgerFile' | 'postgres'>,
  { read }: Pick<LedgerOpeners, 'read'> = IN_THREADS,
): Promise<LedgerReader> {
  if (postgres === null) return read({ file });
  const address = await addressOf(postgres);
  const { openPostgresReader } = await import('../ledger/postgres/postgres-ledger.ts');
  return openPostgresReader({ address });
}

/** Opens the ledger in the file for a move to Postgres. Rejects as `openMove`. */
export async function openMoveAt(
  { ledgerFile: file, stateFolder, databasePasswordFile }: Pick<
    Config,
    'ledgerFile' | 'stateFolder' | 'databasePasswordFile'
  >,
  { url, ...asked }: { url: string | null; by: string; now: () => number; log: ThreadLog },
): Promise<LedgerMove> {
  const address = url === null ? null : await addressOf({ url, passwordFile: databasePasswordFile });
  const { openMove } = await import('../ledger/move/move-ledger.ts');
  return openMove({ file, stateFolder, address, ...asked });
}

/** The password is read at each opening, so that a new one is taken without a restart of what is told the place. */
async function addressOf({ url, passwordFile }: PostgresPlace): Promise<PostgresAddress> {
  const { postgresAddress } = await import('../ledger/postgres/address.ts');
  return postgresAddress(url, passwordFile === null ? null : readPasswordFile(passwordFile).reveal());
}
