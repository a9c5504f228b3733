import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import { openForReading } from './open.ts';
import { syncPath } from './disk-space.ts';

/** Pages copied in one go (1 MB), so that other work does not wait for long. */
const PAGES_A_TURN = 256;

/**
 * Copies the ledger while it is in use, as of one moment, on a connection of its own. The writing thread goes
 * on. The copy gets its name only when it is whole. Rejects when `target` exists.
 */
export async function backUp({ file, target }: { file: string; target: string }): Promise<void> {
  refuseExisting(target);
  // Each backup writes a file of its own, because two may run at once. The command removes remains of a kill.
  const partial = `${target}.${process.pid}.${randomBytes(4).toString('hex')}.partial`;
  const database = openForReading(file);
  try {
    closeSync(openSync(partial, 'wx', 0o600));
    // The snapshot begins here. Without it, every commit of another connection restarts the copy.
    database.exec('BEGIN; SELECT count(*) FROM fact');
    await backup(database, partial, { rate: PAGES_A_TURN });
    syncPath(partial);
    refuseExisting(target);
    renameSync(partial, target);
    syncPath(dirname(target));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error instanceof TumaError ? error : unwritten(target, error);
  } finally {
    database.close();
  }
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
