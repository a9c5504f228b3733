import type { Campaign } from '../../domain/campaign.ts';
import type { MessageState } from '../../domain/message.ts';
import type { ReminderSkip } from '../../domain/message-reason.ts';
import type {
  DuplicateRow,
  Firing,
  NewMessage,
  StateChange,
  UploadCounts,
  LaunchedPreparation,
} from './records.ts';

/** The part of the ledger's contract about time: reminders, corrected uploads, recurring jobs. */
export interface ScheduleLedger {
  // ── reminders ────────────────────────────────────────────────────────────────────────────────────────────
  /** Adds at most 5,000 reminders to a draft. Returns duplicates by person and key (without keys, date). */
  stageReminders(draft: number, rows: NewReminder[]): Promise<DuplicateRow[]>;
  /** The effect of an upload on an open campaign for at most 5,000 rows. Changes nothing. */
  compareReminders(campaign: number, rows: ReminderIdentity[], now: number): Promise<ReminderComparison[]>;
  /** True for each row that a campaign of that name reminded, or will on a day not over. At most 5,000. */
  remindedBefore(query: RemindedQuery): Promise<boolean[]>;
  /** The number of a campaign's queued messages. */
  openReminders(campaign: number): Promise<number>;
  /** Puts the staged reminders of a draft into batches, one moment a batch. Before `activate`. */
  arrangeReminders(draft: number, now: number): Promise<void>;
  /**
   * Accepts a corrected upload in one commit; no message of the campaign is claimed until `applyUploads` has
   * laid it. False: another upload came first, or the campaign is no longer open.
   */
  beginUpload(upload: Upload): Promise<boolean>;
  /** Continues accepted uploads. False: a message in flight blocks them; call again later. */
  applyUploads(now: number): Promise<boolean>;

  // ── recurring jobs ───────────────────────────────────────────────────────────────────────────────────────
  /** Recurring jobs whose next firing is due. */
  dueSchedules(now: number): Promise<{ schedule: Campaign; nextAt: number }[]>;
  /** Makes one firing a campaign, and notes the missed ones. Null: another process did, or nothing fires. */
  fire(firing: Firing): Promise<Campaign | null>;
  /** scheduled → paused (`start`) with the reason. False: another process decided about `nextAt`. */
  holdSchedule(held: HeldSchedule): Promise<boolean>;
  /** Leaves out the firing of one moment, if it is the next one and nobody has decided about it. */
  leaveOutFiring(asked: LeftOutFiring): Promise<LeftOut>;
}

/** The firing that a person leaves out. Times in milliseconds. */
export interface LeftOutFiring extends StateChange {
  schedule: number;
  /** The moment that the person saw. */
  at: number;
  /** The moment after it; null: none. */
  followingAt: number | null;
}

/** `before`: it was left out before. `changed`: it is not the next one, or the job does not wait for it. */
export type LeftOut = { done: 'now' | 'before' | 'changed' } | { done: 'fired'; campaign: string };

/** Rows to compare with the reminders of campaigns of a name. `now` in milliseconds. */
export interface RemindedQuery {
  name: string;
  keyed: boolean;
  rows: ReminderIdentity[];
  now: number;
}

/** The part of the read contract about time. */
export interface ScheduleReader {
  /** The due time of a campaign's next message, and a recurring job's number of firings. In milliseconds. */
  agenda(campaign: number): Promise<Agenda>;
  /** The waiting reminders of every open campaign in a span, by their moments; at most `limit` moments. */
  remindersDue(span: { from: number; to: number; limit: number }): Promise<RemindersDue[]>;
}

/** The waiting reminders of one campaign and one moment (milliseconds). */
export interface RemindersDue {
  campaign: number;
  at: number;
  messages: number;
}

/** The future of a campaign. Times in milliseconds. */
export interface Agenda {
  /** The earliest moment of the remaining messages; null: none is left. */
  nextDueAt: number | null;
  /** Of reminders: the next ten moments, and the waiting messages of each. Else empty. */
  due: { at: number; messages: number }[];
  /** The id of the recurring job that fired it; null: none. */
  firedBy: string | null;
  /** Null: no recurring job. */
  schedule: null | {
    nextAt: number | null;
    fired: number;
    missed: number;
    /** The latest, newest first. `campaign`: its id; null: it was missed, or left out by a person. */
    latest: { at: number; campaign: string | null; leftOut: boolean }[];
    /** The ids of its firings that still have messages to send. */
    open: string[];
  };
}

/** A message with the instants (milliseconds) between which it may leave. */
export interface NewReminder extends NewMessage {
  notBefore: number;
  notAfter: number;
  /** The reason why it will not be sent; null: it will. */
  skip: ReminderSkip | null;
}

/** The identity of a reminder in its campaign. */
export interface ReminderIdentity {
  mobile: string;
  /** The other usable numbers of the row; left out: none. */
  others?: readonly string[];
  key: string;
  occurrence: string;
}

/** The meaning of a corrected row for the present reminders. */
export interface ReminderComparison {
  verdict: 'new' | 'unchanged' | 'moved' | 'already reminded';
  /** True: its person was canceled by hand, so it is not sent. */
  staysCanceled?: boolean;
  /** True: the row's reminder would be sent, as far as the campaign knows. */
  goes: boolean;
  /** The queued message of the same identity; null: there is none. */
  kept: number | null;
  /** Every queued message of the same person and key. */
  open: number[];
  /** The message of the campaign that is this reminder, and its moment in milliseconds; null: none. */
  there: { state: MessageState; dueAt: number } | null;
}

/** The moment from which a correction moves a waiting reminder; null: it does not. */
export function movedFrom(
  { notBefore }: Pick<NewReminder, 'notBefore'>,
  comparison: ReminderComparison | undefined,
): number | null {
  const { there = null } = comparison ?? {};
  return there?.state === 'queued' && there.dueAt !== notBefore ? there.dueAt : null;
}

/** Corrected contacts that take effect on an open campaign. */
export interface Upload extends StateChange {
  draft: number;
  campaign: number;
  /** The campaign's contacts at the time of the comparison. */
  before: string;
  /** The last audit row before the comparison: no upload is accepted when messages were brought back after it. */
  since: number;
  /** `planned` and `unchanged` are counted by the ledger, as the rows get their place. */
  counts: Pick<UploadCounts, 'duplicate' | 'invalid' | 'suppressed'>;
  /** Added to the campaign's estimate; null: no price is known. */
  estimatedMicro: number | null;
  /** As of Activation. */
  preparation?: LaunchedPreparation | null;
}

/** A recurring job that cannot fire; `words` say why. Times in milliseconds. */
export interface HeldSchedule {
  schedule: number;
  nextAt: number;
  words: string;
  now: number;
}
