import type { MoneyMicro } from '../domain/money.ts';
import type { StateChange } from './records.ts';

/** What is missing from a ledger that is older than what was sent from it: a backup, a copy, or a new one in its place. */
export interface Behind {
  /** Claims that were made of this ledger, or of another one in its place, as noted outside of its home. */
  made: number;
  /** Claims that it knows of itself. */
  known: number;
  /** Where the notes are, when another ledger made those claims in this home; null: this one did. */
  another: string | null;
  /** Campaigns whose queued messages may have been sent already. */
  open: { id: string; name: string; queued: number }[];
}

/** What is said of a ledger that is behind. */
export function behindWords({ made, known, another }: Omit<Behind, 'open'>): string {
  if (another === null)
    return `This ledger is older than what was sent from it: it knows of ${known} claims, and ${made} were made. Nothing is sent.`;
  const knows = known === 0 ? 'nothing of them' : `of ${known} of them`;
  return `Another ledger sent up to ${made} messages from this home, and this one knows ${knows}. The notes of that are in ${another}. Nothing is sent.`;
}

/** What a person can do about it. */
export function behindHint({ another }: Pick<Behind, 'another'>): string {
  return another === null
    ? 'Put the latest ledger back. If there is none, `tuma serve --accept-loss` calls uncertain what may have been sent already, and goes on.'
    : 'Put that ledger back: the latest copy of `tuma backup`, or a `ledger.rescued-*.db` of this home. If what it sent may be forgotten: `tuma serve --accept-loss`.';
}

/** `reads`: claims that were noted are known, and none can be added. `off`: there is no note. */
export type GuardState = 'on' | 'reads' | 'off';

/** Which account, the instant before its credit was asked for, and from when on before a reading charges may be late. */
export interface CreditQuestion {
  account: string;
  before: number;
  lateChargeMs: number;
}

/** What an account's credit is compared with: its last balance reading, and all that may have been charged since. */
export interface LastReading {
  /** When the reading was taken. */
  at: number;
  creditMicro: MoneyMicro;
  /** Known charges, and segments of unknown cost, since the reading or `lateChargeMs` before it. */
  knownMicro: MoneyMicro;
  unknownSegments: number;
  /** The dearest price a segment of all that were learned, launched with or held back; null: none. */
  dearestMicro: MoneyMicro | null;
}

/** A campaign of which an older ledger would send again what has left already. */
export interface Doubtful {
  id: string;
  name: string;
  account: string;
}

/** What the second guard against an older ledger reads (reader.ts): it compares the credit with what the ledger explains. */
export interface CreditReader {
  /** Begun campaigns of which something is left, and recurring jobs that are due. */
  doubtful(now: number): Promise<Doubtful[]>;
  /** The number of the account's last reading; null: there is none. */
  latestReading(account: string): Promise<number | null>;
  /** The last reading that was taken before the question; null: there is none. */
  lastReading(question: CreditQuestion): Promise<LastReading | null>;
}

/** A credit that a person accepts as it is: what was read, and when that call began. */
export interface AcceptedCredit extends StateChange {
  account: string;
  startedAt: number;
  creditMicro: MoneyMicro;
}

/** The guard against an older ledger (ledger.ts). While it is behind, whatever leads to messages rejects with `ledger_behind`. */
export interface RecoveryLedger {
  /** Null: it knows of every claim that was ever made of it. */
  behind(now: number): Promise<Behind | null>;
  /** Whether an older ledger would be noticed. */
  guardState(): Promise<GuardState>;
  /**
   * A person takes the older ledger as it is: every message that is sending, and every queued one that may have been sent already, becomes `uncertain`,
   * firings that are due are noted as missed, due reminders of an unfinished upload are skipped, and the ledger is behind
   * no more. Answers how many are uncertain. Of a ledger that is not behind nothing is changed.
   */
  acceptLoss(change: StateChange): Promise<number>;
  /** Others spend from the account: this credit is a reading like any other from now on, and the audit says who said so. */
  acceptCredit(accepted: AcceptedCredit): Promise<void>;
}
