import { TumaError } from '../../src/domain/errors.ts';
import type { Ledger } from '../../src/ledger/contracts/ledger.ts';
import { Memory } from '../../src/ledger/operations/memory.ts';
import { newestVersion } from '../../src/ledger/sqlite/migrate.ts';
import { unpackError } from '../../src/ledger/thread/carried-error.ts';
import type { ThreadAnswer } from '../../src/ledger/thread/ledger-thread.ts';
import { servedWrites } from '../../src/ledger/thread/served-writes.ts';
import { type Fate, SimTransactions } from './sim-commits.ts';
import type { SimDatabase } from './sim-database.ts';
import type { SimProcess } from './sim-process.ts';
import type { VirtualTime } from './virtual-time.ts';

const SCHEMA = newestVersion();
const QUIET = { info() {}, warn() {}, error() {} };

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

/** What a process shares with the others: the ledger's database, what is wrong with it, and the note of its claims. */
export interface SimStore {
  readonly time: VirtualTime;
  readonly database: SimDatabase;
  readonly trouble: LedgerTrouble;
  readonly note: SimNote;
  /** What becomes of the next commit of that process; `changed`: it changes something. */
  fate(process: SimProcess, name: string, changed: boolean): Fate;
  /** The process dies of its commit. */
  die(process: SimProcess): void;
}

/**
 * The real ledger on its real database, over a connection of this process, and with the real group commit. But each
 * operation is one transaction, and runs in one moment of virtual time: so a process can die exactly after it, or in it.
 */
export function openSimLedger(process: SimProcess, store: SimStore): Ledger {
  const session = store.database.open();
  const { connection, engine, copy } = session;
  let running = { name: '', before: 0 };
  const changed = () => session.changes() > running.before;
  const transactions = new SimTransactions(session.transactions, {
    process,
    fate: () => store.fate(process, running.name, changed()),
    kill: () => store.die(process),
  });
  process.onDeath(() => store.time.hold(transactions.close()));
  const memory = new Memory();
  memory.beforeCommit(() => transactions.ending());
  const notes = { notes: store.note, unwritable: null, ...(copy === null ? {} : { copy }) };
  let answered: (answer: ThreadAnswer) => void;
  const { operations, runner } = servedWrites(
    { connection, transactions, engine, notes, schema: SCHEMA, memory },
    { answer: (answers) => answers.forEach((each) => answered(each)), log: QUIET },
  );
  const run = async (name: string, given: unknown[]) => {
    refuse(name, store.trouble);
    running = { name, before: session.changes() };
    const [, error, answer] = await new Promise<ThreadAnswer>((resolve) => {
      answered = resolve;
      runner.take([[0, name, given]]);
    });
    if (error !== null) throw unpackError(error);
    return { answer, changed: process.alive && changed() };
  };
  return session.ledgerOver({
    operations,
    call: (name, ...given) =>
      process.cross({ name: `ledger.${name}`, apply: () => run(name, given) }) as Promise<never>,
    close: async () => undefined,
  });
}

/** As the ledger does: a verdict is kept until there is room and the lock is free, all else is told. */
function refuse(name: string, trouble: LedgerTrouble): void {
  if (trouble === null || name === 'recordOutcomes') return;
  throw new TumaError(trouble, { message: 'The ledger cannot take this now.' });
}
