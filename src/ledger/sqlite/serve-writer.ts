import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LEAST_FREE_FOR_WEBHOOKS_BYTES, spaceGuard } from './disk-space.ts';
import { FirstCheckpoint } from './first-checkpoint.ts';
import { GroupCommit } from './group-commit.ts';
import { HomeNotes, type HomeNotesOptions } from './home-notes.ts';
import { LedgerPlace } from './ledger-place.ts';
import { migrate } from './migrate.ts';
import { openForWriting } from './open.ts';
import { ledgerIdOf, StaleLedgerGuard, unnoted } from './stale-ledger-guard.ts';
import { Rescue } from './rescue.ts';
import { gated, LEADS_TO_MESSAGES, schemaCheck } from './operation-gates.ts';
import type { ThreadData } from './ledger-thread.ts';
import type { Port, Served } from './thread.ts';
import { PATIENCE_MS, UNSYNCED, writerOperations } from './writer.ts';

/** A failed heartbeat ends this process, so that its service manager starts the newer Tuma. */
const STOPPED_BY_NEWER = [...LEADS_TO_MESSAGES, 'takeSlots', 'heartbeat'] as const;
/** A removed file takes no claims, no launches, and no webhooks, because nobody would find them again. */
const LOST_WITH_FILE = [...LEADS_TO_MESSAGES, 'storeWebhook', 'tryInbox'] as const;

/** Opens the thread that writes; each process has one. Throws the errors of `openSqliteLedger`. */
export async function serveWriter({ file, stateFolder }: ThreadData, port: Port): Promise<Served> {
  const database = await openForWriting({ file, log: port.log });
  try {
    const place = new LedgerPlace(file);
    const schema = await migrate(database);
    const home = { ledgerFile: file, ledgerId: ledgerIdOf(database) };
    const notes = stateFolder === null ? null : openNotes({ ...home, folder: stateFolder }, port);
    const guard = new StaleLedgerGuard(database, notes);
    const plain = writerOperations(database, {
      requireSpace: spaceGuard(file),
      requireRoom: spaceGuard(file, LEAST_FREE_FOR_WEBHOOKS_BYTES),
    });
    const known = gated(guard.over(plain), STOPPED_BY_NEWER, schemaCheck(database, schema));
    const inPlace = gated(known, LOST_WITH_FILE, () => place.requireInPlace());
    const operations = { ...inPlace, inPlace: () => place.isInPlace() };
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

/**
 * Null: there are no notes and there can be none. Then the guard against an older ledger is off, and the
 * worker says so. Throws `claims_unnoted` when existing notes of this ledger cannot be written.
 */
function openNotes(place: HomeNotesOptions, { log }: Port): HomeNotes | null {
  try {
    return new HomeNotes(place);
  } catch (error) {
    const { folder, ledgerId } = place;
    if (existsSync(join(folder, ledgerId))) throw unnoted(error);
    log.warn(
      { folder, error: String(error) },
      'claims cannot be noted: an older ledger would not be noticed',
    );
    return null;
  }
}
