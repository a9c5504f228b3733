import type { MoneyMicro } from '../domain/money.ts';
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

/** Which account, and the moment before its credit was asked for. */
export interface CreditQuestion {
  account: string;
  before: number;
}

/** What the credit may have fallen to by all that this ledger knows of. */
export interface CreditFloor {
  /** The last reading that was taken with nothing in flight. */
  at: number;
  creditMicro: MoneyMicro;
  floorMicro: MoneyMicro;
  /** The least that a message was ever charged; 1 while nothing was. */
  leastMicro: MoneyMicro;
  /** When a person first said that others spend from the account; null: nobody did. */
  sharedSince: number | null;
}

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
  /** The campaigns that an older ledger would go on sending. */
  doubtful(now: number): Promise<{ id: string; name: string }[]>;
  /** Null: no reading of this account was taken with nothing in flight. */
  creditFloor(question: CreditQuestion): Promise<CreditFloor | null>;
  /** A person says that others spend from the account. */
  acceptCredit(change: StateChange & { account: string; missingMicro: MoneyMicro }): Promise<void>;
}
