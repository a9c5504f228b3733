import { spaceGuard, webhookRoomGuard } from './disk-space.ts';
import { FirstCheckpoint } from './first-checkpoint.ts';
import { GroupCommit } from './group-commit.ts';
import { HomeNotes, type HomeNotesOptions } from './home-notes.ts';
import { LedgerPlace } from './ledger-place.ts';
import { migrate } from './migrate.ts';
import { openForWriting } from './open.ts';
import { ledgerIdOf, StaleLedgerGuard } from './stale-ledger-guard.ts';
import { Rescue } from './rescue.ts';
import { gatedBySchema } from './schema-gate.ts';
import type { ThreadData } from './ledger-thread.ts';
import type { Port, Served } from './thread.ts';
import { PATIENCE_MS, UNSYNCED, writerOperations } from './writer.ts';

/** What the thread that writes serves; there is one a process. Throws what `openSqliteLedger` rejects with. */
export async function serveWriter({ file, stateFolder }: ThreadData, port: Port): Promise<Served> {
  const database = await openForWriting({ file, log: port.log });
  try {
    const place = new LedgerPlace(file);
    const schema = await migrate(database);
    const ledgerId = ledgerIdOf(database);
    const guard = new StaleLedgerGuard(
      database,
      openNotes({ folder: stateFolder, ledgerFile: file, ledgerId }, port),
    );
    const plain = writerOperations(database, {
      requireSpace: spaceGuard(file),
      requireRoom: webhookRoomGuard(file),
    });
    const operations = place.over(gatedBySchema(database, guard.over(plain), schema));
    const runner = new GroupCommit({
      database,
      operations,
      port: guard.noting(port),
      patienceMs: PATIENCE_MS,
      unsynced: UNSYNCED,
    });
    const checkpointed = new FirstCheckpoint(runner, { database, port });
    return { database, runner: new Rescue(checkpointed, { database, file, place, port }) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Null where nothing can be noted: the guard against an older ledger is off then, and the worker says so. */
function openNotes(
  { folder, ...ledger }: Omit<HomeNotesOptions, 'folder'> & { folder: string | null },
  { log }: Port,
): HomeNotes | null {
  if (folder === null) return null;
  try {
    const notes = new HomeNotes({ folder, ...ledger });
    if (notes.unwritable !== null)
      log.warn(
        { folder, error: notes.unwritable },
        'claims cannot be noted: a copy of this ledger would not be noticed',
      );
    return notes;
  } catch (error) {
    log.warn(
      { folder, error: String(error) },
      'claims cannot be noted: an older ledger would not be noticed',
    );
    return null;
  }
}
