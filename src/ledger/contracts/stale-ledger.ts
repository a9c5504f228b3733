import type { Advice } from '../../domain/advice.ts';
import type { StateChange } from './records.ts';

/** The missing part of an older ledger: a backup, a copy, or a new one in its place. */
export interface Behind {
  /** The claims of this ledger, or of another one in its place, as noted outside of its home. */
  made: number;
  /** The claims that the ledger itself knows. */
  known: number;
  /** The folder of the notes when another ledger made those claims in this home; null: no other did. */
  another: string | null;
  /** Campaigns whose queued messages may have been sent already. */
  open: { id: string; name: string; queued: number }[];
}

/** The words for a ledger that is behind. */
export function behindWords({ made, known, another }: Omit<Behind, 'open'>): string {
  if (another === null)
    return `This ledger is older than what was sent from it: it knows of ${known} claims, and ${made} were made. Nothing is sent.`;
  const knows = known === 0 ? 'nothing of them' : `of ${known} of them`;
  return `Another ledger sent up to ${made} messages from this home, and this one knows ${knows}. The notes of that are in ${another}. Nothing is sent.`;
}

/** What helps a person. */
export function behindHelp({ another }: Pick<Behind, 'another'>): { hint: string; advice: Advice } {
  const hint =
    another === null
      ? 'Put the latest ledger back.'
      : 'Put that ledger back: the latest backup, or a `ledger.rescued-*.db` of this home.';
  return { hint, advice: { action: 'accept_loss', ifNone: another === null } };
}

/** A loss that was accepted, and the people of a draft. */
export interface AcceptedLoss {
  /** Milliseconds. */
  acceptedAt: number;
  /** The people that the draft would send to. */
  people: number;
  /** Those of them in campaigns that the ledger still knows. */
  known: number;
}

/** The guard against an older ledger (ledger.ts). While behind, claims and launches get `ledger_behind`. */
export interface StaleLedger {
  /** Null: it knows all its claims. */
  behind(now: number): Promise<Behind | null>;
  /** False: claims cannot be noted, so an older ledger would not be noticed. */
  isGuarded(): Promise<boolean>;
  /**
   * A person accepts the older ledger. Messages that may have been sent become `uncertain`. Due firings are
   * missed, and due reminders of an unfinished upload are skipped. Then the ledger is no longer behind.
   * Returns the number of uncertain messages. Changes nothing in a ledger that is not behind.
   */
  acceptLoss(change: StateChange): Promise<number>;
  /** A person has looked what was sent in the lost time, so launches need not ask any more. */
  answerLoss(change: StateChange): Promise<void>;
}
