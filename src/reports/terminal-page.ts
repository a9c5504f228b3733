import type { NetworkNames } from './network-words.ts';
import { grouped, whole } from '../domain/money.ts';
import { printableLine, shortened } from '../domain/text/printable.ts';
import { clock } from './report-words.ts';
import type { OpenCosts } from './statement.ts';

/** How a report is drawn on a terminal. */
export interface TableOptions {
  /** Zone of the times shown. */
  zone: string;
  /** Columns of the terminal. */
  width: number;
  /** Names of networks by their number (the profile's `networks`); left out: none. */
  networks?: NetworkNames;
  /** Colours a text, or leaves it as it is where colours are not wanted. */
  paint: (style: 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan', text: string) => string;
}

const LABEL = 20;
const COUNT = 11;
const AMOUNT = 18;

/** Words for what is null. */
export const UNKNOWN = 'not known';
/** Nobody knows what no charge explains, because a top-up is told by the rise. */
export const HIDDEN_BY_TOP_UP = 'a top-up hides what messages of unknown cost may have taken';
const LESS_TAKEN = 'less was taken than was charged, as by a top-up smaller than the charges';
/** The last digit of a credit: two readings may each be short of less than that. */
const LAST_DIGIT = 0.01;

/** Draws lines and tables of one account. */
export class Page {
  readonly options: TableOptions;
  readonly #currency: string;

  constructor(options: TableOptions, currency: string) {
    this.options = options;
    this.#currency = currency;
  }

  bold(text: string): string {
    return this.options.paint('bold', text);
  }

  dim(text: string): string {
    return this.options.paint('dim', text);
  }

  at(iso: string): string {
    return clock(iso, this.options.zone);
  }

  amount(text: string | null): string {
    return text === null ? UNKNOWN : `${printableLine(this.#currency)} ${grouped(text)}`.trim();
  }

  /** A label, an amount or a count of messages, and a note. */
  line(label: string, value: string, note = ''): string {
    return `  ${label.padEnd(LABEL)}${value.padStart(AMOUNT)}${note === '' ? '' : `  ${this.dim(note)}`}`;
  }

  /** A label, a count, and words that are drawn as they are. */
  count(label: string, count: number | string, words = ''): string {
    const value = typeof count === 'number' ? whole(count) : count;
    return `  ${label.padEnd(LABEL)}${value.padStart(COUNT)}${words === '' ? '' : `  ${words}`}`;
  }

  /** The provider's own words below a count, cut to the width; none: no line. */
  said(words: string | null): string[] {
    if (words === null) return [];
    const indent = ' '.repeat(LABEL + COUNT + 4);
    const room = Math.max(this.options.width - indent.length - 2, LABEL);
    return [`${indent}${this.dim(`“${printableLine(shortened(words, room))}”`)}`];
  }

  /** What may have been charged besides, one line for each kind of message. */
  openCosts(open: OpenCosts): string[] {
    const kinds = [
      ['Cost not known', open.unknown, 'sent', open.unknown_price],
      ['Uncertain', open.uncertain, 'sent or not', open.at_stake],
      ['Written off', open.written_off, 'sent or not', open.written_off_price],
    ] as const;
    return kinds
      .filter(([, count]) => count > 0)
      .map(([label, count, words, most]) =>
        this.line(label, whole(count), `${words}, ${this.#most(most, open.unpriced)}`),
      );
  }

  #most(most: string, unpriced: number): string {
    if (unpriced > 0 && Number(most) === 0) return 'no price is known';
    return `up to ${this.amount(most)} more${unpriced > 0 ? ' where a price is known' : ''}`;
  }

  /** The amount without a charge; null: a top-up hides it. `otherwise` explains a missing amount. */
  unexplained(label: string, unexplained: string | null, otherwise: string): string {
    return this.line(label, this.amount(unexplained), unexplainedNote(unexplained, otherwise));
  }

  /** Rows under headings: the first column is text, the others are numbers. */
  list(headings: string[], rows: string[][]): string[] {
    if (rows.length === 0) return [];
    const widths = headings.map((heading, column) =>
      Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
    );
    const drawn = (cells: string[]) =>
      cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
    return [this.bold(drawn(headings).join('  ')), ...rows.map((row) => drawn(row).join('  ').trimEnd())];
  }
}

function unexplainedNote(unexplained: string | null, otherwise: string): string {
  if (unexplained === null) return HIDDEN_BY_TOP_UP;
  const amount = Number(unexplained);
  if (amount === 0) return otherwise;
  if (Math.abs(amount) < LAST_DIGIT) return 'less than 0.01: the balance is told with two decimals';
  return amount < 0 ? LESS_TAKEN : otherwise;
}

/** Sections with an empty line between them; empty ones are left out. */
export function joinSections(sections: string[][]): string {
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
