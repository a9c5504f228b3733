import type { Log } from '../campaign/env.ts';
import { makeFolder } from '../system/folder.ts';
import type { Config } from '../config/config.ts';
import { readPasswordFile } from '../config/database-url.ts';
import { ledgerThere } from '../config/ledger-there.ts';
import { TumaError } from '../domain/errors.ts';
import type { Ledger } from '../ledger/contracts/ledger.ts';
import type { LedgerMove } from '../ledger/contracts/ledger-move.ts';
import { refuseLostLedger } from '../ledger/sqlite/lost-ledger.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';
import type { PostgresAddress } from '../ledger/postgres/address.ts';
import {
  openSqliteLedger,
  openSqliteReader,
  type SqliteLedgerOptions,
} from '../ledger/sqlite/sqlite-ledger.ts';
import type { FollowingClock } from '../system/clock.ts';

/* Opens the ledger that the settings name: a file of SQLite, or a schema of Postgres. No rule of sending knows which it is. */

/** Where the ledger is. It holds no secret, so it may cross to another process. */
export type LedgerSettings = Pick<Config, 'home' | 'ledgerFile' | 'ledgerPlace' | 'postgres' | 'stateFolder'>;

/** The settings of a ledger alone, to hand them on. */
export function ledgerSettings(config: LedgerSettings): LedgerSettings {
  const { home, ledgerFile, ledgerPlace, postgres, stateFolder } = config;
  return { home, ledgerFile, ledgerPlace, postgres, stateFolder };
}

/** The ways to open a ledger in a file: in threads, but tests may do without. */
export interface LedgerOpeners {
  write: typeof openSqliteLedger;
  read: typeof openSqliteReader;
}

/** As every process opens one. */
export const IN_THREADS: LedgerOpeners = { write: openSqliteLedger, read: openSqliteReader };

/** Who hears of the log, the commits and the time of a ledger. */
export type Told = Pick<SqliteLedgerOptions, 'log' | 'committed'> & { clock: FollowingClock };

/** Opens the ledger, and makes one that is not there. On Postgres `clock` follows the time of the database from now on. */
export async function openLedger(
  settings: LedgerSettings,
  { clock, ...told }: Told,
  { write }: LedgerOpeners = IN_THREADS,
): Promise<Ledger> {
  const { ledgerFile: file, stateFolder } = settings;
  const address = await addressOf(settings);
  if (address === null) refuseLostLedger(file);
  await makeFolder(settings.home);
  if (address === null) return await write({ file, stateFolder, ...told });
  const { openPostgresLedger } = await import('../ledger/postgres/postgres-ledger.ts');
  return await openPostgresLedger({ address, stateFolder }, { ...told, clock: (now) => clock.follow(now) });
}

/** Opens the ledger for reading. Throws `not_found` where there is none. */
export async function openReader(
  settings: LedgerSettings,
  { read }: LedgerOpeners = IN_THREADS,
): Promise<LedgerReader> {
  const address = await addressOf(settings);
  if (address !== null) {
    const { openPostgresReader } = await import('../ledger/postgres/postgres-ledger.ts');
    return await openPostgresReader({ address });
  }
  if (!ledgerThere(settings))
    throw new TumaError('not_found', {
      message: 'There is no ledger here: nothing was launched yet.',
      hint: 'TUMA_HOME says where it is looked for.',
      advice: { action: 'launch_first' },
      where: settings.ledgerPlace,
    });
  return await read({ file: settings.ledgerFile });
}

/** What opens a ledger for a move: where its file is, and the password of the target. */
export type MoveSettings = LedgerSettings & Pick<Config, 'databasePasswordFile'>;

/** Opens the ledger in its file for a move to Postgres at `url`; null: only to take one back. Rejects as `openMove`. */
export async function openMove(
  settings: MoveSettings,
  { url, ...asked }: { url: string | null; by: string; now: () => number; log: Log },
): Promise<LedgerMove> {
  const { ledgerFile: file, stateFolder, databasePasswordFile: passwordFile } = settings;
  const address = await addressOf({ postgres: url === null ? null : { url, passwordFile } });
  const move = await import('../ledger/move/move-ledger.ts');
  return await move.openMove({ file, stateFolder, address, ...asked });
}

/** Null: the ledger is in a file. The password is read anew each time, so that a changed one counts. */
async function addressOf({ postgres }: Pick<Config, 'postgres'>): Promise<PostgresAddress | null> {
  if (postgres === null) return null;
  const { url, passwordFile } = postgres;
  const { postgresAddress } = await import('../ledger/postgres/address.ts');
  return postgresAddress(url, passwordFile === null ? null : readPasswordFile(passwordFile).reveal());
}
