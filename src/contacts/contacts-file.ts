import { maskText } from '../domain/text/mask.ts';
import { printable } from '../domain/text/printable.ts';
import { contactsInvalid, type ContactRow } from './contact-row.ts';
import type { Dialect } from './dialect.ts';
import type { Encoding } from './encoding.ts';
import { CHUNK_ROWS_MAX, PARSE_BYTES, ROWS_MAX } from './limits.ts';
import type { MobileGuess } from './mobile-column.ts';
import { readOpening, type Opening } from './opening.ts';
import { RecordParser } from './record-parser.ts';
import type { RejectLayout } from './reject-cells.ts';
import { RowJudge, type SheetLayout } from './row-judge.ts';
import { SourceFile } from './source-file.ts';

export type { ContactRow } from './contact-row.ts';

/** The contacts as errors call them, and the names of their columns. */
export interface ContactsOptions {
  path: string;
  /** The file to read where it is a copy; left out: `path`. */
  file?: string;
  /** The job file's `columns`: our name → header name. `mobile` names the column of the numbers. */
  columns?: Readonly<Record<string, string>>;
  /** The countries whose mobiles count (ISO 3166); the first is that of numbers without a country. */
  countries: readonly string[];
  /** file:line:column of a key of `columns` in the job file; left out: there is no job file. */
  placeOfColumn?: (ours: string) => string;
  /** The line of the header, from 1; null or left out: it is found. */
  headerLine?: number | null;
  /** The layout of a copy of a workbook; null or left out: these are no workbook. */
  workbook?: SheetLayout | null;
  /** True: a person is about to choose the column of the mobiles. Only the header and cells are of use then. */
  isUndecided?: boolean;
  /** A file with more rows is refused; five million by default. */
  mostRows?: number;
}

/** Cells that show whether the encoding is right. */
const SAMPLES = 3;
const SAMPLE_CHARACTERS = 40;
const NOT_ASCII = /[^\0-\x7f]/;

/** The counts of the rows read so far. Blank lines are no rows. */
export interface ContactsCounts {
  rows: number;
  /** Rows that came with a `problem`. */
  invalid: number;
  blank: number;
}

/**
 * Opens a contacts file and reads its header. Throws `not_found` or `contacts_invalid` with file:line:column, and
 * `job_invalid` when `columns` names a missing column. Reading its rows may throw `contacts_invalid`, too.
 */
export async function openContacts(options: ContactsOptions): Promise<ContactsFile> {
  const source = await SourceFile.open(options.path, options.file);
  try {
    const {
      columns = {},
      countries,
      placeOfColumn,
      headerLine = null,
      workbook = null,
      isUndecided,
    } = options;
    const given = { columns, countries, placeOfColumn, headerLine, workbook, isUndecided };
    const opening = await readOpening(source, given);
    return new ContactsFile(opening, options.mostRows ?? ROWS_MAX);
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  }
}

/** A contacts file with its header read; its rows can be read once, in order. */
export class ContactsFile implements AsyncDisposable {
  readonly path: string;
  /** Column names in order, trimmed, without `tuma_…`: the cells of a row are aligned to it. */
  readonly header: string[];
  /** Index of the mobile in `header` and in `cells`; -1: a person must choose it. */
  readonly mobileColumn: number;
  readonly mobileGuess: MobileGuess;
  /** The countries whose mobiles count; the first is that of numbers without a country. */
  readonly countries: readonly string[];
  readonly dialect: Dialect;
  readonly encoding: Encoding;
  /** The line of the header, and the lines of titles above it, which are no rows. */
  readonly headerLine: number;
  readonly titleLines: number;
  /** How the lines of a workbook's copy are laid out; null: no workbook. */
  readonly layout: RejectLayout | null;
  /** In windows-1252: the first cells with letters that are not ASCII, without digits that could be numbers. */
  readonly samples: string[] = [];
  readonly #opening: Opening;
  readonly #judge: RowJudge;
  readonly #mostRows: number;
  #rowCount = 0;
  #invalidCount = 0;
  #sha256: string | null = null;
  #begun = false;

  constructor(opening: Opening, mostRows: number) {
    this.#opening = opening;
    this.#mostRows = mostRows;
    this.path = opening.source.path;
    this.header = opening.header.names;
    this.mobileColumn = opening.header.mobileColumn;
    this.mobileGuess = opening.header.mobileGuess;
    this.countries = opening.countries;
    this.dialect = opening.dialect;
    this.encoding = opening.source.encoding;
    this.headerLine = opening.headerLine;
    this.titleLines = opening.titleLines;
    const { workbook, header } = opening;
    this.layout = workbook === null ? null : { ...workbook, kept: header.kept };
    this.#judge = new RowJudge(opening.header, opening.dialect.delimiter, opening.workbook);
  }

  get counts(): ContactsCounts {
    return { rows: this.#rowCount, invalid: this.#invalidCount, blank: this.#judge.blankCount };
  }

  /** Hex sha256 of the file's bytes, equal to `hashFile`; null until the last row was read. */
  get sha256(): string | null {
    return this.#sha256;
  }

  /** The rows, at most 5,000 at once. The file is read only as far as rows are taken. */
  async *rows(): AsyncGenerator<ContactRow[]> {
    if (this.#begun) throw new Error('The rows of a contacts file can be read once.');
    this.#begun = true;
    try {
      for await (const records of this.#records()) yield* this.#chunks(records);
    } finally {
      await this.#opening.source[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opening.source[Symbol.asyncDispose]();
  }

  async *#records(): AsyncGenerator<ContactRow[]> {
    const { source, head, firstLine, headerLine, header, dialect } = this.#opening;
    const shape = { width: header.width, mobileColumn: header.mobileCell };
    const parser = new RecordParser({ path: this.path, delimiter: dialect.delimiter, firstLine, shape });
    const first = parser.push(head);
    yield first.filter(({ line }) => line > headerLine);
    for (let bytes = await source.read(); bytes !== null; bytes = await source.read()) {
      for (let at = 0; at < bytes.length; at += PARSE_BYTES)
        yield parser.push(bytes.subarray(at, at + PARSE_BYTES));
    }
    this.#sha256 = source.digest();
    yield parser.end().filter(({ line }) => line > headerLine);
  }

  *#chunks(records: ContactRow[]): Generator<ContactRow[]> {
    const rows = this.#judge.rows(records);
    this.#rowCount += rows.length;
    for (const row of rows) if (row.problem !== null) this.#invalidCount += 1;
    if (this.encoding !== 'utf-8') this.#sample(rows);
    if (this.#rowCount > this.#mostRows) throw this.#tooManyRows(rows.at(-1)?.line ?? 1);
    if (rows.length <= CHUNK_ROWS_MAX) {
      if (rows.length > 0) yield rows;
      return;
    }
    for (let at = 0; at < rows.length; at += CHUNK_ROWS_MAX) yield rows.slice(at, at + CHUNK_ROWS_MAX);
  }

  #sample(rows: ContactRow[]): void {
    for (const { cells } of rows) {
      if (this.samples.length === SAMPLES) return;
      const cell = cells.find((each) => NOT_ASCII.test(each));
      if (cell !== undefined) this.samples.push(maskText(printable(cell)).slice(0, SAMPLE_CHARACTERS));
    }
  }

  #tooManyRows(line: number): Error {
    const message = `The file has more than ${this.#mostRows} rows.`;
    return contactsInvalid({ path: this.path, line, column: 1 }, message, 'Split it into several campaigns.');
  }
}
