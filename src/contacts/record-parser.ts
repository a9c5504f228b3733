import { CsvError, parse } from 'csv-parse/sync';
import { unneutralised } from '../domain/text/printable.ts';
import { contactsInvalid, type ContactRow, type Place } from './contact-row.ts';
import { refuseInvalidUtf8, refuseZeroBytes } from './encoding.ts';
import { BAD_QUOTES_MAX, RECORD_MAX_BYTES } from './limits.ts';
import { type ClosedLine, closedLine } from './line-cells.ts';
import { countLineEnds, lastLineEnd, lineEnd, splitLines, withoutLineEnd } from './lines.ts';
import { nextQuotedLine, quotedRunEnd } from './quoted-lines.ts';
import { type RowShape, mayHoldRows } from './swallowed-rows.ts';

/*
 * Bytes in, records out. Rules:
 * 1. A line without a cell that starts with a quotation mark is a record, split at the delimiter. This is ten
 *    times faster than any parser. A mark inside such a cell (6" pipe) is a letter.
 * 2. csv-parse reads every other line: quoted delimiters, doubled quotation marks, cells of several lines.
 * 3. When csv-parse refuses a record, its first line is taken by itself, and reading continues at the next
 *    line. So an opened mark never swallows good rows. A mark that is never closed, or has text behind it,
 *    makes a bad row.
 * 4. A later row may close a mark by mistake. So when one line of a record looks like a row, each line of the
 *    record becomes a bad row. Its cells may belong to several people.
 * 5. An apostrophe before a spreadsheet formula is no part of the cell, nor is the formula around ="0712345678". Our
 *    exports write both.
 */

/** The format of a file's records. */
export interface RecordFormat {
  path: string;
  delimiter: string;
  /** The number of the first line that will be pushed. */
  firstLine: number;
  /** null: only the header is wanted. */
  shape: Omit<RowShape, 'delimiter'> | null;
}

const LINE_END = /[\r\n]/;
const CHARACTER_MAX_BYTES = 4;
const MAY_BE_ROWS =
  'A quotation mark may join this line to another by mistake. If not, write that cell in one line.';

/** Cuts a contacts file into records. Throws `contacts_invalid` for bytes that are not text. */
export class RecordParser {
  readonly #path: string;
  readonly #delimiter: string;
  /** Null: every record is a row. */
  readonly #shape: RowShape | null;
  #line: number;
  #badQuotes = 0;
  /** The start of a record whose end has not come yet. */
  #carry: Buffer = Buffer.alloc(0);
  #rows: ContactRow[] = [];

  constructor(format: RecordFormat) {
    this.#path = format.path;
    this.#delimiter = format.delimiter;
    this.#shape = format.shape === null ? null : { ...format.shape, delimiter: format.delimiter };
    this.#line = format.firstLine;
  }

  /** The records that these bytes complete. */
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
    return { path: this.#path, line: this.#line, column: 1 };
  }

  /** Parses whole lines and returns the number of finished bytes; all of them when `final`. */
  #parse(block: Buffer, final: boolean): number {
    refuseInvalidUtf8(block, this.#place());
    let at = 0;
    while (at < block.length) {
      const start = nextQuotedLine(block, at, this.#delimiter);
      this.#takePlain(block, at, start);
      if (start === block.length) return start;
      const quoted = this.#takeQuoted(block, start, final);
      if (quoted.unfinished) return quoted.at;
      at = quoted.at;
    }
    return at;
  }

  #takePlain(block: Buffer, from: number, to: number): void {
    if (from === to) return;
    for (const raw of splitLines(block.toString('utf8', from, to))) {
      this.#rows.push({ line: this.#line++, cells: splitPlain(raw, this.#delimiter), raw, problem: null });
    }
  }

  #takeQuoted(block: Buffer, from: number, final: boolean): { at: number; unfinished: boolean } {
    // csv-parse would refuse the line, and each refusal is 100 µs.
    const { raw, end, closed } = this.#lineAt(block, from);
    if (closed?.hasLetters === true) {
      this.#takeClosed(raw, closed);
      return { at: end, unfinished: false };
    }
    const run = this.#parseRun(block, from, quotedRunEnd(block, from));
    if (run.refusal === null) return { at: run.at, unfinished: false };
    if (run.refusal !== 'unclosed') return { at: this.#takeBadLine(block, run.at), unfinished: false };
    // The mark may be closed further on than the run was guessed to reach.
    const rest = this.#parseRun(block, run.at, block.length);
    if (rest.refusal === null) return { at: rest.at, unfinished: false };
    if (rest.refusal === 'unclosed' && !final) return { at: rest.at, unfinished: true };
    return { at: this.#takeBadLine(block, rest.at), unfinished: false };
  }

  /** Lets csv-parse read [from, to). Returns the start of the first refused record, or `to`. */
  #parseRun(
    block: Buffer,
    from: number,
    to: number,
  ): { at: number; refusal: 'unclosed' | 'misplaced' | null } {
    let at = from;
    const options = {
      delimiter: this.#delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      trim: true,
      max_record_size: RECORD_MAX_BYTES,
      on_record: (cells: string[], info: { bytes: number }) => {
        this.#takeParsed(block, { from: at, to: from + info.bytes, cells });
        at = from + info.bytes;
        return null;
      },
    };
    try {
      parse(block.subarray(from, to), options);
      return { at: to, refusal: null };
    } catch (error) {
      if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED')
        return { at, refusal: 'unclosed' };
      if (error instanceof CsvError) return { at, refusal: 'misplaced' };
      throw error;
    }
  }

  #takeParsed(block: Buffer, record: { from: number; to: number; cells: string[] }): void {
    const raw = withoutLineEnd(block.toString('utf8', record.from, record.to));
    if (
      LINE_END.test(raw) &&
      this.#shape !== null &&
      mayHoldRows({ raw, cells: record.cells }, this.#shape)
    ) {
      for (const line of splitLines(raw)) this.#refuse(line, MAY_BE_ROWS);
      return;
    }
    this.#rows.push({ line: this.#line, cells: record.cells.map(unneutralised), raw, problem: null });
    this.#line += countLineEnds(block, record.from, record.to);
  }

  #takeBadLine(block: Buffer, from: number): number {
    const { raw, end, closed } = this.#lineAt(block, from);
    if (closed === null) this.#refuse(raw, 'A quotation mark is never closed, or has text behind it.');
    else this.#takeClosed(raw, closed);
    return end;
  }

  #lineAt(block: Buffer, from: number): { raw: string; end: number; closed: ClosedLine | null } {
    const end = lineEnd(block, from);
    const raw = withoutLineEnd(block.toString('utf8', from, end));
    return { raw, end, closed: closedLine(raw, this.#delimiter) };
  }

  #takeClosed(raw: string, { cells }: ClosedLine): void {
    this.#rows.push({ line: this.#line++, cells: cells.map(unneutralised), raw, problem: null });
  }

  /** Makes the next line a bad row. */
  #refuse(raw: string, detail: string): void {
    const line = this.#line++;
    this.#rows.push({ line, cells: [], raw, problem: { reason: 'bad quoting', detail } });
    this.#badQuotes += 1;
    if (this.#badQuotes > BAD_QUOTES_MAX) throw this.#notCsv(line);
  }

  #notCsv(line: number): Error {
    const message = `More than ${BAD_QUOTES_MAX} rows have misplaced quotation marks.`;
    return contactsInvalid({ path: this.#path, line, column: 1 }, message, 'Export the list as a CSV again.');
  }
}

function splitPlain(line: string, delimiter: string): string[] {
  const cells = line.split(delimiter);
  for (let at = 0; at < cells.length; at++) cells[at] = unneutralised((cells[at] as string).trim());
  return cells;
}

/** Shortens an overlong line to a length that is still recognized as overlong. */
function shorten(line: Buffer): Buffer {
  let end = RECORD_MAX_BYTES + CHARACTER_MAX_BYTES;
  while (end > RECORD_MAX_BYTES && ((line[end] ?? 0) & 0xc0) === 0x80) end--;
  return Buffer.from(line.subarray(0, Math.min(end, line.length)));
}
