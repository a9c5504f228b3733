import type { Soon } from '../connection.ts';

/*
 * What the threads need of an engine beside its statements: to begin and end transactions, and to say what an error
 * means. Each engine implements it for one connection.
 */

/**
 * The meaning of an engine's error to the caller.
 * `busy`: another writer held the lock for too long.
 * `again`: the transaction is undone by no fault of its own (a deadlock, a connection lost before COMMIT).
 * `unknown`: the connection was lost during COMMIT, and the database cannot say whether it committed.
 * `full`: no space.
 * `broken`: the database cannot be trusted any more.
 * `readonly`: nothing can be written.
 * `other`: the operation's own.
 */
export type Fault = 'busy' | 'again' | 'unknown' | 'full' | 'broken' | 'readonly' | 'other';

/** The write transactions of a connection, as an engine runs them. One at a time. */
export interface Transactions {
  /** `durable`: a power cut must not take it back. Waits for the writer's lock, or throws what faultOf calls 'busy'. */
  begin(durable: boolean): Soon<void>;
  /** A throw means that nothing was committed, or that the fault is `broken` or `unknown`. */
  commit(): Soon<void>;
  /** Undoes the open transaction, if there is one. */
  rollback(): Soon<void>;
  /** Marks this point of the transaction. There is one mark at a time. */
  savepoint(): Soon<void>;
  /** Forgets the mark, and keeps what was done since. */
  release(): Soon<void>;
  /** Undoes what was done since the mark, and forgets the mark. */
  rollbackToSavepoint(): Soon<void>;
  /** False once an error has ended the transaction: nothing of it remains. */
  isOpen(): boolean;
  faultOf(error: unknown): Fault;
  /** The error for a person. A TumaError, and an error that is not the engine's, stay unchanged. */
  errorFor(error: unknown): Error;
  close(): Soon<void>;
}

/** The read transactions of a connection. Each sees one state of the ledger. */
export interface Snapshots {
  begin(): Soon<void>;
  end(): Soon<void>;
  /** The error for a person, as that of Transactions. */
  errorFor(error: unknown): Error;
  close(): Soon<void>;
}
