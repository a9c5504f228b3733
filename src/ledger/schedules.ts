import type { Campaign } from '../domain/campaign.ts';
import type { DuplicateRow, NewMessage, StateChange, UploadCounts } from './records.ts';

/** The part of the ledger's contract that is about time: reminders, corrected uploads, recurring jobs. */
export interface ScheduleLedger {
  // ── reminders ────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Adds at most 5,000 reminders to a draft. Answers duplicates: the same person and key (or, without keys, date). */
  stageReminders(draft: number, rows: NewReminder[]): Promise<DuplicateRow[]>;
  /** What an upload would make of each of at most 5,000 rows, held against an open campaign. Changes nothing. */
  compareReminders(campaign: number, rows: ReminderIdentity[], now: number): Promise<ReminderComparison[]>;
  /** Which of at most 5,000 rows any campaign of that name has reminded, or has waiting for a day that is not over. */
  remindedBefore(query: RemindedQuery): Promise<boolean[]>;
  /** How many messages of a campaign are queued. */
  openReminders(campaign: number): Promise<number>;
  /** Puts the staged reminders of a draft into batches, one moment a batch. Before `activate`. */
  arrangeReminders(draft: number, now: number): Promise<void>;
  /**
   * Accepts a corrected upload in one commit: nothing of the campaign is claimed until `applyUploads` has laid it. False:
   * another upload came first, or the campaign is no longer open.
   */
  beginUpload(upload: Upload): Promise<boolean>;
  /** Goes on with accepted uploads. False: messages on the wire are waited for; call again later. */
  applyUploads(now: number): Promise<boolean>;

  // ── recurring jobs ───────────────────────────────────────────────────────────────────────────────────────────────
  /** Recurring jobs whose next firing is due. */
  dueSchedules(now: number): Promise<{ schedule: Campaign; nextAt: number }[]>;
  /** Makes one firing a campaign of its own, and notes the missed ones. Null: another process did, or nothing fires. */
  fire(firing: Firing): Promise<Campaign | null>;
}

/** Rows to be held against what campaigns of a name reminded of. `now` in milliseconds. */
export interface RemindedQuery {
  name: string;
  keyed: boolean;
  rows: ReminderIdentity[];
  now: number;
}

/** The part of the read contract that is about time. */
export interface ScheduleReader {
  /** When the next message of a campaign is due, and how many firings a recurring job had. Instants in milliseconds. */
  agenda(campaign: number): Promise<Agenda>;
}

/** What a campaign has before it. Times in milliseconds. */
export interface Agenda {
  /** The earliest moment of what is left; null: nothing is left. */
  nextDueAt: number | null;
  /** Null: no recurring job. */
  schedule: null | {
    nextAt: number | null;
    fired: number;
    missed: number;
    /** The latest, newest first. `campaign`: its id; null: it was missed. */
    latest: { at: number; campaign: string | null }[];
  };
}

/** A message with the instants (milliseconds) between which it may leave. */
export interface NewReminder extends NewMessage {
  notBefore: number;
  notAfter: number;
  /** Why it will not be sent; null: it will. */
  skip: string | null;
}

/** What identifies a reminder in its campaign. */
export interface ReminderIdentity {
  mobile: string;
  key: string;
  occurrence: string;
}

/** What a row of corrected contacts means for the reminders that are there. */
export interface ReminderComparison {
  verdict: 'new' | 'unchanged' | 'moved' | 'already reminded';
  /** Whether the row's reminder would be sent, as far as the campaign knows. */
  goes: boolean;
  /** The queued message of the same identity; null: there is none. */
  kept: number | null;
  /** Every queued message of the same person and key. */
  open: number[];
}

/** Corrected contacts that take effect on an open campaign. */
export interface Upload extends StateChange {
  draft: number;
  campaign: number;
  /** The contacts that the campaign had when the upload was compared with it. */
  before: string;
  /** `planned` and `unchanged` are counted by the ledger, as the rows get their place. */
  counts: Pick<UploadCounts, 'duplicate' | 'invalid' | 'suppressed'>;
  /** Added to the campaign's estimate; null: no price is known. */
  estimatedMicro: number | null;
}

/** The firing of a recurring job: which one runs, which were missed, when the next is due (milliseconds). */
export interface Firing {
  schedule: number;
  /** What `dueSchedules` said: of two processes one decides. */
  nextAt: number;
  fireAt: number | null;
  missed: number[];
  followingAt: number | null;
  /** Id and name of the campaign to be made. */
  id: string;
  name: string;
  now: number;
}
