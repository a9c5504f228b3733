import { sample, type Sampled } from './plan-tally.ts';
import { localDate } from './time/local-time.ts';

/** What an upload makes of a row that an open campaign may know already. */
export type UploadVerdict = 'new' | 'unchanged' | 'moved' | 'already reminded';

/** A row held against the open campaign. */
export interface ComparedRow {
  verdict: UploadVerdict;
  /** The queued message of the same identity; null: there is none. */
  kept: number | null;
  /** Every queued message of the same person and key. */
  open: readonly number[];
}

/** What a corrected upload changes. */
export interface UploadTally {
  new: number;
  unchanged: number;
  moved: number;
  already_reminded: number;
  /** Those of `unchanged` that were canceled or skipped before, and go now. */
  brought_back: number;
  /** Queued messages that end with this upload. */
  canceled: number;
  /** Those of `canceled` that the contacts no longer name, and name no new date of the same person for. */
  missing: number;
  /** Queued messages of the campaign before the upload. */
  open: number;
}

/** What planning reminders has found: how many go out each day, which are too late, and what an upload changes. */
export class ReminderTally {
  readonly past: Sampled = { count: 0, lines: [] };
  /** Those that an earlier campaign of the job has sent. */
  remindedBefore = 0;
  /** Canceled or skipped messages that the upload names again. */
  broughtBack = 0;
  readonly #zone: string;
  readonly #keyed: boolean;
  /** Moment → count: moments are few, dates in a zone take long to find. */
  readonly #moments = new Map<number, number>();
  readonly #verdicts = { new: 0, unchanged: 0, moved: 0, 'already reminded': 0 };
  readonly #kept = new Set<number>();
  readonly #named = new Set<number>();
  /** Without a key: rows with a new date of a person who has open messages. */
  #newDates = 0;

  constructor({ zone, keyed }: { zone: string; keyed: boolean }) {
    this.#zone = zone;
    this.#keyed = keyed;
  }

  /** A reminder that will go. */
  addMoment(moment: number): void {
    this.#moments.set(moment, (this.#moments.get(moment) ?? 0) + 1);
  }

  addPast(line: number): void {
    sample(this.past, line);
  }

  addCompared({ verdict, kept, open }: ComparedRow): void {
    this.#verdicts[verdict] += 1;
    if (kept !== null) this.#kept.add(kept);
    for (const message of open) this.#named.add(message);
    if (open.length > 0 && verdict !== 'unchanged') this.#newDates += 1;
  }

  /** How many reminders go out on each day, in order. */
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
    // Without a key a person may have several dates: only a new date stands for one that ends.
    const replaced = this.#keyed ? ended : Math.min(ended, this.#newDates);
    const missing = Math.max(0, open - this.#kept.size - replaced);
    return {
      new: this.#verdicts.new,
      unchanged: this.#verdicts.unchanged,
      moved: this.#verdicts.moved,
      already_reminded: this.#verdicts['already reminded'],
      brought_back: this.broughtBack,
      canceled: missing + (this.#keyed ? 0 : replaced),
      missing,
      open,
    };
  }
}
