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
  /** The database went on as a copy of itself, which may lack the last commits (Postgres); left out: it did not. */
  isCopy?: true;
  /** Campaigns whose queued messages may have been sent already. */
  open: { id: string; name: string; queued: number }[];
}

/** The words for a ledger that is behind. */
export function behindWords({ made, known, another, isCopy }: Omit<Behind, 'open'>): string {
  if (isCopy === true && made <= known)
    return 'The database went on as a copy of itself, as after a failover or a restore, and may lack what was sent last. Nothing is sent.';
  if (another === null)
    return `This ledger is older than what was sent from it: it knows of ${known} claims, and ${made} were made. Nothing is sent.`;
  const knows = known === 0 ? 'nothing of them' : `of ${known} of them`;
  return `Another ledger sent up to ${made} messages from this home, and this one knows ${knows}. The notes of that are in ${another}. Nothing is sent.`;
}

/** What helps a person. */
export function behindHelp({ another, made, known, isCopy }: Omit<Behind, 'open'>): {
  hint: string;
  advice: Advice;
} {
  if (isCopy === true && made <= known)
    return {
      hint: 'Stop the former server for good.',
      advice: { action: 'accept_loss', ifNone: true, isCopy: true },
    };
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

/** The guard against an older ledger (contracts/ledger.ts). While behind, claims and launches get `ledger_behind`. */
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
  /**
   * A person knows that the copy which the database went on as lacks nothing. False: it is no copy, or it knows of fewer
   * claims than were made, and nothing was changed.
   */
  acceptCopy(change: StateChange): Promise<boolean>;
  /** A person has looked what was sent in the lost time, so launches need not ask any more. */
  answerLoss(change: StateChange): Promise<void>;
}
