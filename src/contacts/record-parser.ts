import { unneutralised } from '../domain/text/printable.ts';
import { CellReader } from './cells.ts';
import { contactsInvalid, type Place, type ContactRow } from './contact-row.ts';
import { refuseInvalidUtf8, refuseZeroBytes } from './encoding.ts';
import { BAD_QUOTES_MAX, RECORD_MAX_BYTES } from './limits.ts';
import { lastLineEnd, lineEnd, lineEndsIn, splitLines } from './lines.ts';
import { type RowShape, mayHoldRows } from './swallowed-rows.ts';

/*
 * Bytes in, records out. Rules:
 *
 * 1. A line without a quotation mark, or with marks behind letters only, is a record, and is split at the delimiter.
 * 2. Any other line is read cell by cell. A quoted cell may hold delimiters and line ends.
 * 3. Where a mark is never closed, or has text behind it, the line on which the record starts is a bad row, and reading goes
 *    on at the next line. So an opened mark never swallows good rows.
 * 4. A later row may close a mark by mistake. A record of several lines is a bad row for each line when one of the lines
 *    looks like a row of its own, because nobody can tell whose cells they are.
 * 5. An apostrophe before what a spreadsheet would take for a formula is no part of the cell. Our exports write it, too.
 */

/** How the records of one file are written. */
export interface RecordFormat {
  path: string;
  delimiter: string;
  /** The number of the first line that will be pushed. */
  firstLine: number;
  /** null: only the header is wanted. */
  shape: RowShape | null;
}

const CHARACTER_MAX_BYTES = 4;
const MAY_BE_ROWS =
  'A quotation mark may join this line to another by mistake. If not, write that cell in one line.';
const MISPLACED = 'A quotation mark is never closed, or has text behind it.';

/** Cuts a contacts file into records. Throws `contacts_invalid` for bytes that are not text. */
export class RecordParser {
  readonly #format: RecordFormat;
  readonly #reader: CellReader;
  #line: number;
  #badQuotes = 0;
  /** The start of a record whose end is still to come. */
  #carry: Buffer = Buffer.alloc(0);
  #rows: ContactRow[] = [];

  constructor(format: RecordFormat) {
    this.#format = format;
    this.#reader = new CellReader(format.delimiter);
    this.#line = format.firstLine;
  }

  /** The records that are whole with these bytes. */
  push(bytes: Buffer): ContactRow[] {
    const all = this.#carry.length === 0 ? bytes : Buffer.concat([this.#carry, bytes]);
    refuseZeroBytes(all, this.#place());
    const whole = lastLineEnd(all);
    const lineTooLong = all.length - whole > RECORD_MAX_BYTES;
    const used = this.#parse(all.subarray(0, whole), lineTooLong);
    this.#carry = lineTooLong ? shorten(all.subarray(whole)) : all.subarray(used);
    return this.#taken();
  }

  /** The last records, after all bytes. */
  end(): ContactRow[] {
    this.#parse(this.#carry, true);
    return this.#taken();
  }

  #taken(): ContactRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #place(): Place {
    return { path: this.#format.path, line: this.#line, column: 1 };
  }

  /** Parses whole lines and answers how many bytes are done with; all of them when `final`. */
  #parse(block: Buffer, final: boolean): number {
    refuseInvalidUtf8(block, this.#place());
    const text = block.toString('utf8');
    let at = 0;
    while (at < text.length) {
      const start = nextMarkedLine(text, at);
      this.#takePlain(text.slice(at, start));
      if (start === text.length) break;
      const next = this.#takeMarked(text, start);
      const mayGoOn = !final && text.length - start <= RECORD_MAX_BYTES;
      if (next === null && mayGoOn) return block.length - Buffer.byteLength(text.slice(start));
      at = next ?? this.#takeBadLine(text, start);
    }
    return block.length;
  }

  #takePlain(text: string): void {
    for (const raw of splitLines(text)) {
      this.#rows.push({ line: this.#line++, cells: this.#splitPlain(raw), raw, problem: null });
    }
  }

  #splitPlain(line: string): string[] {
    const cells = line.split(this.#format.delimiter);
    for (let at = 0; at < cells.length; at++) cells[at] = unneutralised((cells[at] as string).trim());
    return cells;
  }

  /** Takes the record at `start` and answers where the next one begins; null when a mark in it is not closed. */
  #takeMarked(text: string, start: number): number | null {
    const { cells, end, fault } = this.#reader.read(text, start);
    if (fault === 'unclosed') return null;
    const raw = text.slice(start, end);
    const moreLines = lineEndsIn(raw);
    if (fault !== null || (moreLines > 0 && raw.length > RECORD_MAX_BYTES))
      return this.#takeBadLine(text, start);
    const { shape } = this.#format;
    if (moreLines > 0 && shape !== null && mayHoldRows({ raw, cells }, shape, this.#reader)) {
      for (const line of splitLines(raw)) this.#refuse(line, MAY_BE_ROWS);
    } else {
      this.#rows.push({ line: this.#line, cells: cells.map(unneutralised), raw, problem: null });
      this.#line += moreLines + 1;
    }
    return lineEnd(text, end).next;
  }

  #takeBadLine(text: string, start: number): number {
    const { end, next } = lineEnd(text, start);
    this.#refuse(text.slice(start, end), MISPLACED);
    return next;
  }

  /** Takes the next line for a bad row. */
  #refuse(raw: string, detail: string): void {
    const line = this.#line++;
    this.#rows.push({ line, cells: [], raw, problem: { reason: 'bad quoting', detail } });
    if (this.#format.shape !== null) this.#badQuotes += 1;
    if (this.#badQuotes > BAD_QUOTES_MAX) throw this.#notCsv(line);
  }

  #notCsv(line: number): Error {
    const message = `More than ${BAD_QUOTES_MAX} rows have misplaced quotation marks.`;
    const place = { path: this.#format.path, line, column: 1 };
    return contactsInvalid(place, message, 'Export the list as a CSV again.');
  }
}

const LETTER = /\w/;

/** Where the next line starts that has a quotation mark which may open a cell; the text's length without one. */
function nextMarkedLine(text: string, from: number): number {
  let mark = text.indexOf('"', from);
  while (mark > from && LETTER.test(text[mark - 1] as string)) mark = text.indexOf('"', mark + 1);
  if (mark === -1) return text.length;
  let start = mark;
  while (start > from && text[start - 1] !== '\n' && text[start - 1] !== '\r') start--;
  return start;
}

/** Of a line that is too long to be kept, just so much that it is still seen to be too long. */
function shorten(line: Buffer): Buffer {
  let end = RECORD_MAX_BYTES + CHARACTER_MAX_BYTES;
  while (end > RECORD_MAX_BYTES && ((line[end] ?? 0) & 0xc0) === 0x80) end--;
  return Buffer.from(line.subarray(0, Math.min(end, line.length)));
}
