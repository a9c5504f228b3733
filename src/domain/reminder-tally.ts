import { sample, type Sampled } from './plan-tally.ts';
import { localDate } from './time/local-time.ts';

/** The effect of an upload on a row that an open campaign may have already. */
export type UploadVerdict = 'new' | 'unchanged' | 'moved' | 'already reminded';

/** A reminder of the contacts or of the open campaign. Moments in milliseconds. */
export interface ReminderShown {
  line: number;
  mobile: string;
  key: string;
  dueAt: number;
  /** The moment before it was moved; null: it was not. */
  wasAt: number | null;
}

/** Changes of a correction that are shown one by one. */
const MOST_SHOWN = 10;

/** A row compared with the open campaign. */
export interface ComparedRow {
  verdict: UploadVerdict;
  /** The queued message of the same identity; null: there is none. */
  kept: number | null;
  /** Every queued message of the same person and key. */
  open: readonly number[];
  /** True: its person was canceled by hand. */
  staysCanceled?: boolean;
}

/** The changes of a corrected upload. */
export interface UploadTally {
  new: number;
  unchanged: number;
  moved: number;
  already_reminded: number;
  /** The part of `unchanged` that was canceled or skipped before, and will be sent now. */
  brought_back: number;
  /** The part of `unchanged` that goes at another time of the same day. */
  retimed: number;
  /** Rows of people who were canceled by hand: they get nothing. */
  stays_canceled: number;
  /** Queued messages that this upload cancels. */
  canceled: number;
  /** The part of `canceled` that the contacts omit, without a new date for the same person. */
  missing: number;
  /** Queued messages of the campaign before the upload. */
  open: number;
}

/** The counts of planned reminders: how many go each day, which are too late, and an upload's changes. */
export class ReminderTally {
  readonly past: Sampled = { count: 0, lines: [] };
  /** Reminders that an earlier campaign of the job has sent. */
  remindedBefore = 0;
  /** Canceled or skipped messages that the upload names again. */
  broughtBack = 0;
  #staysCanceled = 0;
  readonly #zone: string;
  readonly #keyed: boolean;
  /** Moment → count: moments are few, dates in a zone take long to find. */
  readonly #moments = new Map<number, number>();
  /** The first reminders that are new, moved or canceled. */
  readonly shown = {
    new: [] as ReminderShown[],
    moved: [] as ReminderShown[],
    canceled: [] as ReminderShown[],
  };
  readonly #verdicts = { new: 0, unchanged: 0, moved: 0, 'already reminded': 0 };
  readonly #kept = new Set<number>();
  readonly #named = new Set<number>();
  #retimed = 0;
  /** Without a key: rows with a new date for a person with open messages. */
  #newDates = 0;

  constructor({ zone, keyed }: { zone: string; keyed: boolean }) {
    this.#zone = zone;
    this.#keyed = keyed;
  }

  /** Counts a reminder that will be sent. */
  addMoment(moment: number): void {
    this.#moments.set(moment, (this.#moments.get(moment) ?? 0) + 1);
  }

  addPast(line: number): void {
    sample(this.past, line);
  }

  addCompared({ verdict, kept, open, staysCanceled = false }: ComparedRow, reminder: ReminderShown): void {
    if (staysCanceled) this.#staysCanceled += 1;
    else this.#addVerdict(verdict, reminder);
    if (kept !== null) this.#kept.add(kept);
    for (const message of open) this.#named.add(message);
    if (open.length > 0 && verdict !== 'unchanged') this.#newDates += 1;
  }

  #addVerdict(verdict: UploadVerdict, reminder: ReminderShown): void {
    this.#verdicts[verdict] += 1;
    const isRetimed = verdict === 'unchanged' && reminder.wasAt !== null;
    if (isRetimed) this.#retimed += 1;
    if (verdict === 'moved' || isRetimed) this.#show('moved', reminder);
    else if (verdict === 'new') this.#show('new', reminder);
  }

  /** True: the upload cancels this queued message of the campaign, once every row was compared. */
  cancels(seq: number): boolean {
    return !(this.#keyed ? this.#named : this.#kept).has(seq);
  }

  /** Shows a canceled reminder. False: enough are shown. */
  addCanceled(reminder: ReminderShown): boolean {
    this.#show('canceled', reminder);
    return this.shown.canceled.length < MOST_SHOWN;
  }

  #show(change: keyof ReminderTally['shown'], reminder: ReminderShown): void {
    if (this.shown[change].length < MOST_SHOWN) this.shown[change].push(reminder);
  }

  /** The number of reminders per day, in order. */
  calendar(): { date: string; count: number }[] {
    const days = new Map<string, number>();
    for (const [moment, count] of [...this.#moments].sort(([left], [right]) => left - right)) {
      const date = localDate(moment, this.#zone);
      days.set(date, (days.get(date) ?? 0) + count);
    }
    return [...days].map(([date, count]) => ({ date, count }));
  }

  /** The upload's counts, once every row was compared. `open`: the campaign's queued messages. */
  upload(open: number): UploadTally {
    const ended = this.#named.size - this.#kept.size;
    // Without a key a person may have several dates, so only a new date replaces an ended one.
    const replaced = this.#keyed ? ended : Math.min(ended, this.#newDates);
    const missing = Math.max(0, open - this.#kept.size - replaced);
    return {
      new: this.#verdicts.new,
      unchanged: this.#verdicts.unchanged,
      moved: this.#verdicts.moved,
      already_reminded: this.#verdicts['already reminded'],
      brought_back: this.broughtBack,
      retimed: this.#retimed,
      stays_canceled: this.#staysCanceled,
      canceled: missing + (this.#keyed ? 0 : replaced),
      missing,
      open,
    };
  }
}
