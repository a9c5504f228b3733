import { sample, type Sampled } from './plan-tally.ts';
import { localDate } from './time/local-time.ts';

/** The effect of an upload on a row that an open campaign may have already. */
export type UploadVerdict = 'new' | 'unchanged' | 'moved' | 'already reminded';

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
  readonly #verdicts = { new: 0, unchanged: 0, moved: 0, 'already reminded': 0 };
  readonly #kept = new Set<number>();
  readonly #named = new Set<number>();
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

  addCompared({ verdict, kept, open, staysCanceled = false }: ComparedRow): void {
    if (staysCanceled) this.#staysCanceled += 1;
    else this.#verdicts[verdict] += 1;
    if (kept !== null) this.#kept.add(kept);
    for (const message of open) this.#named.add(message);
    if (open.length > 0 && verdict !== 'unchanged') this.#newDates += 1;
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
      stays_canceled: this.#staysCanceled,
      canceled: missing + (this.#keyed ? 0 : replaced),
      missing,
      open,
    };
  }
}
