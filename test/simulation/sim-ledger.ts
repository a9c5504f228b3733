import { DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../src/domain/errors.ts';
import type { Ledger } from '../../src/ledger/contracts/ledger.ts';
import { sqliteLedgerOver } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { Memory } from '../../src/ledger/operations/memory.ts';
import type { Operation } from '../../src/ledger/operations/operation.ts';
import { gated } from '../../src/ledger/operations/operation-gates.ts';
import { StaleLedgerGuard } from '../../src/ledger/operations/sending/stale-ledger-guard.ts';
import { writerOperations } from '../../src/ledger/operations/writer.ts';
import { sqliteEngine } from '../../src/ledger/sqlite/sqlite-engine.ts';
import { operationNamed } from '../../src/ledger/thread/thread.ts';
import type { SimProcess } from './sim-process.ts';

/** The disk of the simulation is full only when it says so itself. */
const ROOMY = { requireSpace: () => undefined, requireRoom: () => undefined };

/** What can be wrong with the disk or the lock at a moment. */
export type LedgerTrouble = 'ledger_busy' | 'ledger_full' | null;

/** The note of all claims that were ever made, outside of the home: it outlives what is put back there. */
export class SimNote {
  #made = 0;

  read(): number {
    return this.#made;
  }

  note(claims: number): void {
    this.#made = claims;
  }

  another(): null {
    return null;
  }

  begin(): void {}
}

/** The machine's disk: the ledger's file, what is wrong with it at a moment, and the note of its claims. */
export interface SimDisk {
  readonly file: string;
  readonly trouble: LedgerTrouble;
  readonly note: SimNote;
}

/**
 * The real ledger on its real file, over a connection of this process. Each operation is one transaction, as in the
 * ledger's thread, but it runs in this one: so a process can die exactly after it. The disk itself is not simulated:
 * what a power cut leaves is shown by the order of syncs, in test/faults.
 */
export function openSimLedger(process: SimProcess, disk: SimDisk): Ledger {
  const database = connect(disk.file);
  process.onDeath(() => database.close());
  const memory = new Memory();
  const guard = new StaleLedgerGuard(database, { notes: disk.note, unwritable: null }, memory);
  const writer = writerOperations(database, { ...ROOMY, engine: sqliteEngine(database) }, memory);
  const operations: Record<string, Operation> = gated(
    { ...writer, ...guard.operations(writer), inPlace: () => true },
    { right() {}, place() {}, schema() {}, claims: () => guard.requireClaims() },
  );
  const port = guard.noting({ answer() {}, log: { info() {}, warn() {}, error() {} } });
  const changes = database.prepare('SELECT total_changes() AS count');
  const changed = () => Number(changes.get()?.['count']);
  const run = async (name: string, given: unknown[]) => {
    refuse(name, disk.trouble);
    const before = changed();
    const takeBack = memory.mark();
    const operate = operationNamed(operations, name);
    const answer = await inTransaction(database, () => operate(...(given as never[])), {
      takeBack,
      finish: () => memory.finish(),
    });
    await port.answer([]);
    return { answer, changed: changed() > before };
  };
  return sqliteLedgerOver(
    {
      operations: Object.keys(operations),
      call: (name, ...given) =>
        process.cross({ name: `ledger.${name}`, apply: () => run(name, given) }) as Promise<never>,
      close: async () => undefined,
    },
    disk.file,
  );
}

/** A connection without a wait for the disk: a killed process loses nothing that the system has taken. */
export function connect(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: false });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;');
  return database;
}

/** As the ledger does: a verdict is kept until there is room and the lock is free, all else is told. */
function refuse(name: string, trouble: LedgerTrouble): void {
  if (trouble === null || name === 'recordOutcomes') return;
  throw new TumaError(trouble, { message: 'The ledger cannot take this now.' });
}

async function inTransaction(
  database: DatabaseSync,
  operation: () => unknown,
  { takeBack, finish }: { takeBack: () => void; finish: () => Promise<void> },
) {
  database.exec('BEGIN IMMEDIATE');
  try {
    const answer = await operation();
    await finish();
    database.exec('COMMIT');
    return answer;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    takeBack();
    throw error;
  }
}
