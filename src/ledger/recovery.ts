import type { StateChange } from './records.ts';

/** What is missing from a ledger that is older than what was sent from it: a backup that was put back, or a copy. */
export interface Behind {
  /** Claims that were made of this ledger, as noted outside of its home. */
  made: number;
  /** Claims that it knows of itself. */
  known: number;
  /** Campaigns whose queued messages may have been sent already. */
  open: { id: string; name: string; queued: number }[];
}

/** `reads`: claims that were noted are known, and none can be added. `off`: there is no note. */
export type GuardState = 'on' | 'reads' | 'off';

/** The guard against an older ledger (ledger.ts). While it is behind, whatever leads to messages rejects with `ledger_behind`. */
export interface RecoveryLedger {
  /** Null: it knows of every claim that was ever made of it. */
  behind(now: number): Promise<Behind | null>;
  /** Whether an older ledger would be noticed. */
  guardState(): Promise<GuardState>;
  /**
   * A person takes the older ledger as it is: every queued message that may have been sent already becomes `uncertain`,
   * firings that are due are noted as missed, due reminders of an unfinished upload are skipped, and the ledger is behind
   * no more. Answers how many are uncertain. Of a ledger that is not behind nothing is changed.
   */
  acceptLoss(change: StateChange): Promise<number>;
}
