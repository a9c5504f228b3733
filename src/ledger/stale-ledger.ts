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

/** The guard against an older ledger (ledger.ts). While it is behind, whatever leads to messages rejects with `ledger_behind`. */
export interface StaleLedger {
  /** Null: it knows of every claim that was ever made of it. */
  behind(now: number): Promise<Behind | null>;
  /** Whether an older ledger would be noticed. False: no claim can be noted. */
  isGuarded(): Promise<boolean>;
  /**
   * A person takes the older ledger as it is. Messages that may have been sent already become `uncertain`, due firings are
   * missed, due reminders of an unfinished upload are skipped, and the ledger is no longer behind. Returns how many are
   * uncertain. Changes nothing of a ledger that is not behind.
   */
  acceptLoss(change: StateChange): Promise<number>;
}
