import type { Connection } from '../../src/ledger/connection.ts';
import type { Ledger } from '../../src/ledger/contracts/ledger.ts';
import type { Engine } from '../../src/ledger/engine.ts';
import type { Copy } from '../../src/ledger/operations/sending/stale-ledger-guard.ts';
import type { LedgerOperations } from '../../src/ledger/thread/ledger-over.ts';
import type { Caller } from '../../src/ledger/thread/ledger-thread.ts';
import type { Transactions } from '../../src/ledger/thread/transactions.ts';

/** The database of a world: its ledger, which is empty at first. */
export interface SimDatabase {
  /** A connection of the test's own, which looks and never writes. */
  readonly look: Connection;
  /** The engine of that connection. */
  readonly engine: Engine;
  /** A connection for one process. */
  open(): SimSession;
  /** Copies the ledger. What it answers puts the copy back, while no process lives. */
  copy(): Promise<() => Promise<void>>;
  /** Called after the last process has ended. */
  close(): Promise<void>;
}

/** The connection of one process. */
export interface SimSession {
  readonly connection: Connection;
  readonly transactions: Transactions;
  readonly engine: Engine;
  /** For an engine whose database may go on as a copy of itself. */
  readonly copy: Copy | null;
  /** How many rows its statements have changed so far. */
  changes(): number;
  /** The ledger's contract over its operations. */
  ledgerOver(caller: Caller<LedgerOperations>): Ledger;
}

/** An engine for worlds. */
export interface SimEngine {
  readonly name: 'sqlite' | 'postgres';
  /** Makes the database of another world. */
  database(): Promise<SimDatabase>;
}
