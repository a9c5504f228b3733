import { localDate } from './time/local-time.ts';

/** Lines shown of the reminders whose moment is past. */
const SAMPLE_LINES = 5;

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
  readonly past: { count: number; lines: number[] } = { count: 0, lines: [] };
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
  /** Without a key: the last open message of a person → all of them, and how many of the rows are new dates of theirs. */
  readonly #fresh = new Map<number, { open: readonly number[]; count: number }>();

  constructor({ zone, keyed }: { zone: string; keyed: boolean }) {
    this.#zone = zone;
    this.#keyed = keyed;
  }

  /** A reminder that will go. */
  addMoment(moment: number): void {
    this.#moments.set(moment, (this.#moments.get(moment) ?? 0) + 1);
  }

  addPast(line: number): void {
    note(this.past, line);
  }

  addCompared({ verdict, kept, open }: ComparedRow): void {
    this.#verdicts[verdict] += 1;
    if (kept !== null) this.#kept.add(kept);
    for (const message of open) this.#named.add(message);
    const person = open.at(-1);
    // Most people have one date, which stays: they are not remembered.
    if (this.#keyed || person === undefined || (kept !== null && open.length === 1)) return;
    const count = this.#fresh.get(person)?.count ?? 0;
    this.#fresh.set(person, { open, count: verdict === 'unchanged' ? count : count + 1 });
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
    const replaced = this.#named.size - this.#kept.size - this.#datesLeftOut();
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

  /** Without a key a person may have several dates: half a file that names each person once leaves dates out all the same. */
  #datesLeftOut(): number {
    let leftOut = 0;
    for (const { open, count } of this.#fresh.values()) {
      const ended = open.filter((message) => !this.#kept.has(message)).length;
      leftOut += Math.max(0, ended - count);
    }
    return leftOut;
  }
}

function note(sample: { count: number; lines: number[] }, line: number): void {
  sample.count += 1;
  if (sample.lines.length < SAMPLE_LINES) sample.lines.push(line);
}
