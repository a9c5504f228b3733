import { whenFree } from './sqlite-errors.ts';
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { TumaError } from '../../domain/errors.ts';
import type { ThreadLog } from '../thread/ledger-thread.ts';
import { makeFolderOf, makeLedger } from './new-ledger.ts';
import { refuseEmpty, requireLedger } from './require-ledger.ts';

/** Opens a connection to the ledger's file with all settings that its promises need. */

/** Below this, two processes on one file can lose acknowledged commits (the WAL-reset bug). */
const OLDEST_SQLITE = [3, 51, 3];
/** The cache for sending and reports. SQLite walks through all of it at each commit that split a page. */
export const CACHE_KIB = 6_000;
/** A reader walks through the ledger once, so a larger cache would not help. */
const READER_CACHE_KIB = 4_000;
/** A commit that finds more pages than these in the log copies them to the main file (32 MB). */
export const CHECKPOINT_PAGES = 8_000;
/** The log file is cut back to this after a checkpoint. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;
/** Files up to this size are checked at every start: about 0.1 s for the largest. */
const CHECKED_BYTES = 64 * 1024 * 1024;
/** A worker gives a sign of life every few seconds. */
const ALIVE_MS = 30_000;

/** statfs types of file systems on which SQLite's locks or shared memory do not hold between machines. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
]);
const TMPFS = 0x01021994;

/** The file to open, and the target of warnings. */
export interface OpenOptions {
  file: string;
  log: ThreadLog;
  /** A larger file is checked only when its last process left its log; 64 MB by default. */
  checkedBytes?: number;
}

/** A connection that may write. Makes a missing folder and ledger, readable by this user only. */
export async function openForWriting({
  file,
  log,
  checkedBytes = CHECKED_BYTES,
}: OpenOptions): Promise<DatabaseSync> {
  refuseOldSqlite();
  makeFolderOf(file);
  if (process.platform === 'linux') checkFileSystem({ file, log }, statfsSync(dirname(file)).type);
  await makeLedger(file);
  const leftBehind = existsSync(`${file}-wal`);
  refuseEmpty(file);
  const database = new DatabaseSync(existing(file), { timeout: 0, enableForeignKeyConstraints: false });
  try {
    await whenFree(() => requireLedger(database, file));
    await whenFree(() => database.exec('PRAGMA journal_mode = WAL'));
    database.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES};
    `);
    if (statSync(file).size <= checkedBytes || (leftBehind && !inUse(database)))
      refuseDamaged(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A connection that cannot write. The ledger must exist. */
export function openForReading(file: string): DatabaseSync {
  refuseOldSqlite();
  if (!existsSync(file)) throw new TumaError('not_found', { message: `There is no ledger at ${file}.` });
  refuseEmpty(file);
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  try {
    requireLedger(database, file);
    database.exec(`PRAGMA cache_size = -${READER_CACHE_KIB}; PRAGMA temp_store = MEMORY;`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite must not create this file: a ledger removed at this moment stays missing. */
function existing(file: string): URL {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw');
  return url;
}

/** Throws `sqlite_too_old` for an old `version` (three numbers with dots); default: this Node's. */
export function refuseOldSqlite(version: string = process.versions['sqlite'] ?? '0'): void {
  const found = version.split('.').map(Number);
  const difference = OLDEST_SQLITE.map((wanted, index) => (found[index] ?? 0) - wanted);
  if ((difference.find((part) => part !== 0) ?? 0) >= 0) return;
  throw new TumaError('sqlite_too_old', {
    message: `This Node brings SQLite ${version}; before ${OLDEST_SQLITE.join('.')} commits can be lost.`,
    hint: 'Use a newer Node (24.15 or later).',
  });
}

/** `type` comes from statfs(2). Throws `ledger_invalid` if locks fail there, warns if files do not last. */
export function checkFileSystem({ file, log }: OpenOptions, type: number): void {
  const network = NETWORK_FILE_SYSTEMS.get(type);
  if (network !== undefined) {
    throw new TumaError('ledger_invalid', {
      message: `The ledger ${file} is on a network file system (${network}), where SQLite's locks do not hold.`,
      hint: 'Point TUMA_HOME at a local disk.',
    });
  }
  if (type === TMPFS)
    log.warn({ file }, 'the ledger is in memory (tmpfs): it is gone when the machine restarts');
}

/**
 * True when a worker of this boot had a recent heartbeat. Then the log is its own, it has checked the file,
 * and the power was never cut since. So a person who pauses a large sending campaign does not wait for a
 * second check.
 */
function inUse(database: DatabaseSync): boolean {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const alive = database.prepare(
      'SELECT 1 FROM worker WHERE ended_at IS NULL AND boot_id = ? AND abs(heartbeat_at - ?) < ? LIMIT 1',
    );
    return alive.get(bootId, Date.now(), ALIVE_MS) !== undefined;
  } catch {
    // Another system, or a ledger without that table, because it is new or damaged.
    return false;
  }
}

function refuseDamaged(database: DatabaseSync, file: string): void {
  const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (found === 'ok') return;
  throw new TumaError('ledger_invalid', {
    message: `The ledger ${file} is damaged: ${String(found)}.`,
    hint: 'Nothing is sent from a damaged ledger. Restore the latest backup.',
  });
}
