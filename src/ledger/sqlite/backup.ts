import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import { openForReading } from './open.ts';

/** Pages copied in one go (1 MB), so that nothing waits for long behind it. */
const PAGES_A_TURN = 256;
/** What follows the name of the backup in that of a copy under way, which is written to all the time, and of its journal. */
const PARTIAL = /^\d+\.[\da-f]{8}\.partial(?:-journal)?$/;
const KILLED_AFTER_MS = 86_400_000;

/**
 * Copies the ledger while it is in use, as of one moment, on a connection of its own: the writing thread goes on. The
 * copy appears under its name only when it is whole. Rejects when `target` exists.
 */
export async function backUp({ file, target }: { file: string; target: string }): Promise<void> {
  refuseExisting(target);
  removeKilled(target);
  // Each its own: of two backups to one file neither may write into the other's copy.
  const partial = `${target}.${process.pid}.${randomBytes(4).toString('hex')}.partial`;
  const database = openForReading(file);
  try {
    closeSync(openSync(partial, 'wx', 0o600));
    // A snapshot held from here on: without it every commit of another connection would begin the copy anew.
    database.exec('BEGIN; SELECT count(*) FROM fact');
    await backup(database, partial, { rate: PAGES_A_TURN });
    sync(partial);
    refuseExisting(target);
    renameSync(partial, target);
    sync(dirname(target));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error instanceof TumaError ? error : unwritten(target, error);
  } finally {
    database.close();
  }
}

/**
 * Removes what a kill left of copies to this name a day ago or longer: they hold full numbers, and a disk full of them takes no
 * backup. Where the folder cannot be listed they stay.
 */
function removeKilled(target: string): void {
  const begins = `${basename(target)}.`;
  try {
    for (const name of readdirSync(dirname(target))) {
      const left = join(dirname(target), name);
      if (name.startsWith(begins) && PARTIAL.test(name.slice(begins.length)) && isOld(left)) rmSync(left);
    }
  } catch {
    // Nothing depends on it.
  }
}

function isOld(file: string): boolean {
  return Date.now() - statSync(file).mtimeMs > KILLED_AFTER_MS;
}

function refuseExisting(target: string): void {
  if (!existsSync(target)) return;
  throw new TumaError('file_unwritable', {
    message: 'The file exists already.',
    hint: 'A backup never overwrites: choose another name.',
    where: target,
  });
}

function unwritten(target: string, cause: unknown): TumaError {
  return new TumaError('file_unwritable', {
    message: 'The backup cannot be written.',
    hint: 'Check that the folder exists, is yours and has space for a copy of the ledger.',
    where: target,
    cause,
  });
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
