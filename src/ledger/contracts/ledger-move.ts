/*
 * A ledger in a file moves to Postgres, with open campaigns. Until `carryOver` ends only the file can send, and afterwards
 * only Postgres. A kill at any moment leaves one of the two, and the same move goes on.
 */

/** Counts of a move that was done. */
export interface Moved {
  /** Where the ledger is now, for people. */
  to: string;
  rows: number;
  campaigns: number;
  messages: number;
}

/** Where a move is. */
export type MoveStep =
  | { step: 'checking'; what: 'ledger' | 'copy' }
  | { step: 'copying' | 'comparing'; table: string; done: number; rows: number }
  | { step: 'indexing' };

/** Told on the way. */
export type MoveProgress = (at: MoveStep) => void;

/** A move that a person asked for. */
export interface LedgerMove {
  /** Where the ledger goes, for people. */
  readonly to: string;
  /**
   * Marks the ledger as moving: nothing more is claimed or launched, and no webhook is stored. `moved`: an earlier run has
   * done all but the last step, or all. Throws `ledger_moved` when it moves elsewhere, or is there already.
   */
  begin(): Promise<'begun' | 'moved'>;
  /** Messages that are still on the wire. */
  sending(): number;
  /**
   * Copies the ledger, compares each row, and switches. Throws `state_forbids` while a message is sending or when the move
   * was taken back, `ledger_behind`, and `invariant_broken`. `signal` stops it before the switch.
   */
  carryOver(progress: MoveProgress, signal: AbortSignal): Promise<Moved>;
  /** Opens the ledger on Postgres, once it was carried over. Changes nothing the second time. */
  open(): Promise<void>;
  /** The ledger in the file sends again. Throws `ledger_moved` once it was carried over. */
  takeBack(): Promise<void>;
  close(): Promise<void>;
}
