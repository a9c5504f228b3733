import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LEAST_FREE_FOR_WEBHOOKS_BYTES, spaceGuard } from '../sqlite/disk-space.ts';
import { FirstCheckpoint } from '../sqlite/first-checkpoint.ts';
import { GroupCommit } from './group-commit.ts';
import { HomeNotes, type HomeNotesOptions } from '../operations/sending/home-notes.ts';
import { keepBeside } from '../sqlite/keep-beside.ts';
import { LedgerPlace } from '../sqlite/ledger-place.ts';
import { Memory } from '../operations/memory.ts';
import { migrate } from '../sqlite/migrate.ts';
import { openForWriting } from '../sqlite/open.ts';
import { ledgerIdOf, StaleLedgerGuard, unnoted } from '../operations/sending/stale-ledger-guard.ts';
import { sqliteEngine } from '../sqlite/sqlite-engine.ts';
import { SqliteTransactions } from '../sqlite/sqlite-transactions.ts';
import { needRight, rightCheck } from '../operations/keeping/rights.ts';
import { gated, LEADS_TO_MESSAGES, schemaCheck } from './operation-gates.ts';
import type { ThreadData } from './ledger-thread.ts';
import type { Port, Served } from './thread.ts';
import { PATIENCE_MS, UNSYNCED, writerOperations } from '../operations/writer.ts';

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
    const { notes, unwritable } = openNotes({ ...home, folder: stateFolder }, port);
    const memory = new Memory();
    const guard = new StaleLedgerGuard(database, notes, memory);
    const engine = sqliteEngine(database);
    const parts = {
      engine,
      requireSpace: spaceGuard(file),
      requireRoom: spaceGuard(file, LEAST_FREE_FOR_WEBHOOKS_BYTES),
    };
    const plain = writerOperations(database, parts, memory);
    const known = gated(guard.over(plain), STOPPED_BY_NEWER, schemaCheck(engine, schema));
    const inPlace = gated(known, LOST_WITH_FILE, () => place.requireInPlace());
    // STOPs and pauses are still taken where notes cannot be written; only what leads to messages is refused.
    const refused = unwritable === null ? [] : ([...LEADS_TO_MESSAGES, 'isGuarded'] as const);
    const noted = gated(inPlace, refused, () => {
      throw unnoted(unwritable);
    });
    const asked = gated(noted, needRight(noted), rightCheck(database));
    const operations = { ...asked, inPlace: () => place.isInPlace() };
    const transactions = new SqliteTransactions(database);
    const runner = new GroupCommit({
      transactions,
      operations,
      memory,
      port: guard.noting(port),
      patienceMs: PATIENCE_MS,
      unsynced: UNSYNCED,
    });
    const close = async () => {
      if (!place.isInPlace()) await keepBeside(database, { file, log: port.log });
      place.dropStrangeLog();
      transactions.close();
    };
    return { runner: new FirstCheckpoint(runner, { database, port }), close };
  } catch (error) {
    database.close();
    throw error;
  }
}

interface OpenNotes {
  /** Null where nothing was noted and nothing can be: the guard against an older ledger is off, and the worker says so. */
  notes: HomeNotes | null;
  /** Why notes of this ledger that are there cannot be written; null: they can, or there are none. */
  unwritable: unknown;
}

function openNotes(
  { folder, ...home }: Omit<HomeNotesOptions, 'folder'> & { folder: string | null },
  { log }: Port,
): OpenNotes {
  if (folder === null) return { notes: null, unwritable: null };
  try {
    return { notes: new HomeNotes({ folder, ...home }), unwritable: null };
  } catch (error) {
    if (existsSync(join(folder, home.ledgerId))) return { notes: null, unwritable: error };
    log.warn(
      { folder, error: String(error) },
      'claims cannot be noted: an older ledger would not be noticed',
    );
    return { notes: null, unwritable: null };
  }
}
