import type { MessageState } from './message.ts';
import type { GuardReason } from './message-reason.ts';
import { reasonText, type RowReason } from './row-reason.ts';
import type { CellDoubt } from './text/doubtful-cell.ts';
import { gsmSafe } from './text/gsm-safe.ts';
import { type SegmentCount, countSegments, ucs2Characters } from './text/segments.ts';
import type { DoubtfulCell } from './text/template.ts';

/** Lines shown as examples of one reason or one character. */
const SAMPLE_LINES = 5;
/** Rendered messages shown. */
const SAMPLE_MESSAGES = 3;
/** Characters that force UCS-2 and are listed; more are counted together as "other". */
const MOST_CHARACTERS = 50;

/** The kinds of reasons why a row never becomes a message. */
export type RejectKind = 'invalid' | 'duplicate' | 'suppressed';

/** A usable row, rendered and counted. */
export interface PlannedRow {
  line: number;
  text: string;
  count: SegmentCount;
  /** The country of the number (ISO 3166). */
  country: string;
  /** The network of the number's last message; null: not known, or not asked for. */
  network: string | null;
  /** Why the guards would skip it, as things are; null or left out: they would not. */
  guarded?: GuardReason | null;
}

/** The number of lines, and the first of them. */
export interface Sampled {
  count: number;
  lines: number[];
}

/** A character that forces UCS-2. `replacement`: the one from `--gsm`; null: it stays. */
interface Ucs2Character extends Sampled {
  character: string;
  replacement: string | null;
}

/** Cells of one field that people should probably not read; `cell` is the first of them. */
export interface Doubts extends Sampled {
  doubt: CellDoubt;
  field: string;
  cell: string;
}

/** The text of one message, with the line of its row. */
export interface ExampleText {
  line: number;
  text: string;
  segments: number;
}

/** The counts of planning so far: read = planned + unchanged + duplicate + invalid + suppressed. */
export class PlanTally {
  read = 0;
  planned = 0;
  /** In a corrected upload: rows that are messages of the campaign already. */
  unchanged = 0;
  readonly rejected: Record<RejectKind, number> = { invalid: 0, duplicate: 0, suppressed: 0 };
  readonly encodings = { gsm7: 0, ucs2: 0 };
  /** Messages and segments by the country of the number, and of each country by its last network, where that is known. */
  readonly countries = new Map<
    string,
    { messages: number; segments: number; networks: Map<string, { messages: number; segments: number }> }
  >();
  /** Messages by their number of segments. */
  readonly lengths = new Map<number, number>();
  /** Planned messages that the guards would skip as things are, by the reason. */
  readonly guarded = new Map<GuardReason, number>();
  /** Segments that `--gsm` would save. */
  gsmSaves = 0;
  readonly examples: ExampleText[] = [];
  /** The longest text; null: no message so far. */
  longest: ExampleText | null = null;
  /** The text of the line that a person asked for. */
  asked: ExampleText | null = null;
  /** The messages of the open campaign that the row of that line is already. Moments in milliseconds. */
  readonly there: { state: MessageState; dueAt: number; key: string }[] = [];
  /** Usable rows by the column of the number that gets their message. */
  readonly mobiles = new Map<number, number>();
  #longestLength = 0;
  readonly #reasons = new Map<string, Sampled & { kind: RejectKind; reason: RowReason }>();
  readonly #doubts = new Map<string, Doubts>();
  readonly #characters = new Map<string, Ucs2Character>();
  readonly #optOutText: string;
  readonly #askedLine: number | null;

  /**
   * `optOutText` is counted with every text: the provider appends it to promotional messages. The text of
   * `askedLine` is kept.
   */
  constructor(optOutText: string, askedLine: number | null = null) {
    this.#optOutText = optOutText;
    this.#askedLine = askedLine;
  }

  /** All segments, and the messages of one, of two, and of more. */
  get segments(): { planned: number; one: number; two: number; more: number } {
    const [one, two] = [this.lengths.get(1) ?? 0, this.lengths.get(2) ?? 0];
    const sum = { planned: 0, one, two, more: -one - two };
    for (const [segments, messages] of this.lengths) {
      sum.planned += segments * messages;
      sum.more += messages;
    }
    return sum;
  }

  /** True: the tally reads the text of such a row, beside its segments. */
  looksAt(count: SegmentCount, line: number): boolean {
    if (count.encoding === 'ucs2' || this.examples.length < SAMPLE_MESSAGES) return true;
    return line === this.#askedLine || lengthOf(count) > this.#longestLength;
  }

  /** Counts a usable row by the column of the number that gets its message. */
  addMobileOf(column: number): void {
    this.mobiles.set(column, (this.mobiles.get(column) ?? 0) + 1);
  }

  addPlanned(row: PlannedRow): void {
    this.planned += 1;
    const { guarded = null } = row;
    if (guarded !== null) this.guarded.set(guarded, (this.guarded.get(guarded) ?? 0) + 1);
    this.#addText(row);
  }

  /** A message that the campaign has already. */
  addUnchanged({ line, text, count }: PlannedRow): void {
    this.unchanged += 1;
    if (line === this.#askedLine) this.asked ??= { line, text, segments: count.segments };
  }

  /** Notes the message that a row is already, if a person asked for its line. */
  addThere(line: number, message: PlanTally['there'][number]): void {
    if (line === this.#askedLine) this.there.push(message);
  }

  /** A message that this upload brings back: it will be sent and charged. */
  addBroughtBack(row: PlannedRow): void {
    this.unchanged += 1;
    this.#addText(row);
  }

  #addText(row: PlannedRow): void {
    const { line, text, count, country, network } = row;
    const ofCountry = this.countries.get(country) ?? { messages: 0, segments: 0, networks: new Map() };
    ofCountry.messages += 1;
    ofCountry.segments += count.segments;
    this.countries.set(country, ofCountry);
    if (network !== null) {
      const { messages, segments } = ofCountry.networks.get(network) ?? { messages: 0, segments: 0 };
      ofCountry.networks.set(network, { messages: messages + 1, segments: segments + count.segments });
    }
    this.encodings[count.encoding] += 1;
    this.lengths.set(count.segments, (this.lengths.get(count.segments) ?? 0) + 1);
    const example = { line, text, segments: count.segments };
    if (this.examples.length < SAMPLE_MESSAGES) this.examples.push(example);
    if (line === this.#askedLine) this.asked ??= example;
    if (lengthOf(count) > this.#longestLength) {
      this.#longestLength = lengthOf(count);
      this.longest = example;
    }
    if (count.encoding === 'ucs2') this.#addUcs2(row);
  }

  /** `times`: the messages that the row would have become. */
  addRejected(
    line: number,
    { kind, reason, times = 1 }: { kind: RejectKind; reason: RowReason; times?: number },
  ): void {
    this.rejected[kind] += times;
    const key = `${kind} ${reasonText(reason)}`;
    const known = this.#reasons.get(key) ?? { kind, reason, count: 0, lines: [] };
    sample(known, line);
    known.count += times - 1;
    this.#reasons.set(key, known);
  }

  /** The reasons of rejected rows, the most frequent first. */
  reasons(): { kind: RejectKind; reason: RowReason; count: number; lines: number[] }[] {
    return [...this.#reasons.values()].sort((a, b) => b.count - a.count);
  }

  /** Counts the doubtful cells of a usable row, of each field once. */
  addDoubts(line: number, cells: readonly DoubtfulCell[]): void {
    for (const { doubt, field, cell } of cells) {
      const known = this.#doubts.get(`${doubt} ${field}`) ?? { doubt, field, cell, count: 0, lines: [] };
      sample(known, line);
      this.#doubts.set(`${doubt} ${field}`, known);
    }
  }

  /** The doubtful cells of usable rows, by field, the most frequent first. */
  doubts(): Doubts[] {
    return [...this.#doubts.values()].sort((a, b) => b.count - a.count);
  }

  /** The characters that force UCS-2, the most frequent first, with their replacements by `--gsm`. */
  ucs2Characters(): Ucs2Character[] {
    return [...this.#characters.values()].sort((a, b) => b.count - a.count);
  }

  #addUcs2({ line, text, count }: PlannedRow): void {
    const safe = gsmSafe(text) + this.#optOutText;
    this.gsmSaves += Math.max(0, count.segments - countSegments(safe).segments);
    for (const character of ucs2Characters(text + this.#optOutText)) sample(this.#seen(character), line);
  }

  #seen(character: string): Ucs2Character {
    const full = !this.#characters.has(character) && this.#characters.size >= MOST_CHARACTERS;
    const key = full ? 'other' : character;
    const known = this.#characters.get(key);
    if (known !== undefined) return known;
    const isKept = full || this.#optOutText.includes(character);
    const seen = {
      character: key,
      replacement: isKept ? null : replacementOf(character),
      count: 0,
      lines: [],
    };
    this.#characters.set(key, seen);
    return seen;
  }
}

/** Orders texts by segments, then by their units, of which a text has fewer than a million. */
function lengthOf({ segments, units }: SegmentCount): number {
  return segments * 1e6 + units;
}

/** Counts a line, and keeps the first few as examples. */
export function sample(seen: Sampled, line: number): void {
  seen.count += 1;
  if (seen.lines.length < SAMPLE_LINES && seen.lines.at(-1) !== line) seen.lines.push(line);
}

function replacementOf(character: string): string | null {
  const safe = gsmSafe(character);
  return countSegments(safe).encoding === 'gsm7' ? safe : null;
}
