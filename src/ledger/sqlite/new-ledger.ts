import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import { refuseLostLedger } from './lost-ledger.ts';
import { migrate } from './migrate.ts';
import { faultOf, ledgerError } from './sqlite-errors.ts';
import { syncPath } from './disk-space.ts';

/*
 * A new ledger is made whole under another name and then linked, so a file without schema and id is never a
 * new ledger. When several processes start first, one link succeeds, and the others use that ledger.
 */

/** Makes a missing ledger. Throws `ledger_invalid` when that fails, or when only its log is there. */
export async function makeLedger(file: string): Promise<void> {
  if (existsSync(file)) return;
  refuseLostLedger(file);
  await makeAndLink(file);
}

/** Makes the missing folder of a ledger. Throws `ledger_invalid`. */
export function makeFolderOf(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unmade(file, error);
  }
}

async function makeAndLink(file: string): Promise<void> {
  const begun = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.new`;
  try {
    // SQLite gives its log and its shared memory the mode of the main file.
    closeSync(openSync(begun, 'wx', 0o600));
    await fill(begun);
    syncPath(begun);
    linkSync(begun, file);
    rmSync(begun);
    syncPath(dirname(file));
  } catch (error) {
    // Another process was first.
    if (!existsSync(file)) throw unmade(file, error);
  } finally {
    for (const part of ['', '-wal', '-shm']) rmSync(`${begun}${part}`, { force: true });
  }
}

/** Nothing is synced here, because the whole file is synced before it becomes the ledger. */
async function fill(begun: string): Promise<void> {
  const database = new DatabaseSync(begun, { timeout: 0, enableForeignKeyConstraints: false });
  try {
    database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL');
    await migrate(database);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

function unmade(file: string, cause: unknown): Error {
  if (faultOf(cause) !== 'other') return ledgerError(cause);
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return new TumaError('ledger_invalid', {
    message: `The ledger ${file} cannot be made (${code}).`,
    hint: 'Make TUMA_HOME writable for this user, on a local disk with hard links, or point it at another folder.',
    cause,
  });
}
