import { randomBytes } from 'node:crypto';
import { closeSync, fsync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type ErrorFacts, TumaError } from '../domain/errors.ts';
import type { ContactRow, WaitingRow } from './contact-row.ts';
import type { ContactsFile } from './contacts-file.ts';
import { OUR_COLUMNS, toCsvLine } from './line-cells.ts';
import { rejectCells, sheetRejectCells } from './reject-cells.ts';
import { mendableRecord } from './mendable-record.ts';
import { putInPlace, type RejectsPlace } from './rejects-place.ts';
import { writeRejectsWorkbook } from './rejects-workbook.ts';

/** A row that will get no message, and the reason. */
export interface Reject {
  row: ContactRow | WaitingRow;
  /** A short reason, such as "landline" or "duplicate". */
  reason: string;
  /** One sentence. */
  detail: string;
}

/** The place of rejected rows, and their contacts. */
export interface RejectsOptions {
  place: RejectsPlace;
  /** The contacts with the rows. */
  contacts: Pick<ContactsFile, 'header' | 'dialect'> & { layout?: ContactsFile['layout'] };
}

const FLUSH_CHARACTERS = 64 * 1024;
const OWNER_ONLY = 0o600;
/** A spreadsheet knows UTF-8 only by it. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Rejects of a workbook are a workbook (rejects-workbook.ts), unless a person names another file.
 * Writes the rows without a message as they were, in the dialect of the contacts. `tuma_line`, `tuma_reason`
 * and `tuma_detail` follow. A person corrects the file and gives it to `--contacts` again. Without a row
 * there is no file.
 * - A row with too few cells gets blank ones, so that the three columns stand under their names. A row with
 *   wrong quotation marks, or an overlong one, is one quoted cell, so that it cannot spoil later rows.
 * - The file survives a spreadsheet: it has a byte order mark, and cells that would change are texts.
 * - A temporary file (0600) gets its name only when everything is on the disk. A failure is
 *   `file_unwritable`, or `usage` for a taken name. It leaves no file behind, and older files unchanged.
 */
export class Rejects implements AsyncDisposable {
  readonly #options: RejectsOptions;
  readonly #place: RejectsPlace;
  /** True: rows wait as lines of JSON, and become a workbook at the end. */
  readonly #isWorkbook: boolean;
  readonly #temporary: string;
  #file: number | null = null;
  #endNote: () => void = () => undefined;
  /** True: the temporary file is on the disk. */
  #created = false;
  #waiting = '';
  #rowCount = 0;
  /** Set by the first failure, and thrown again: rows were lost, so there will be no file. */
  #failure: TumaError | null = null;

  constructor(options: RejectsOptions) {
    this.#options = options;
    this.#place = placeFor(options);
    this.#isWorkbook = WORKBOOK.test(this.#place.path);
    this.#temporary = `${this.#place.path}.${randomBytes(6).toString('hex')}.tmp`;
  }

  /** Adds a row. Throws `file_unwritable`. */
  add(reject: Reject): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#rowCount === 0) this.#begin();
    this.#rowCount += 1;
    this.#waiting += this.#isWorkbook
      ? `${JSON.stringify(this.#cells(reject))}\n`
      : this.#line(reject) + this.#options.contacts.dialect.newline;
    if (this.#waiting.length >= FLUSH_CHARACTERS) this.#flush();
  }

  /** Puts the file in its place and returns its name. Null: no row was added, so there is no file. */
  async finish(): Promise<{ path: string; rows: number } | null> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#file === null) return null;
    this.#flush();
    try {
      await promisify(fsync)(this.#file);
      this.#close();
      if (this.#isWorkbook) await this.#becomeWorkbook();
      const path = putInPlace(this.#temporary, this.#place);
      this.abort();
      return { path, rows: this.#rowCount };
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Drops all added rows and removes the temporary file. After `finish` it has no effect. */
  abort(): void {
    this.#close();
    if (this.#created) rmSync(this.#temporary, { force: true });
    this.#created = false;
    this.#endNote();
    this.#endNote = () => undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.abort();
  }

  #begin(): void {
    const { contacts, place } = this.#options;
    try {
      this.#endNote = place.noteUnfinished?.(this.#temporary) ?? this.#endNote;
      this.#file = openSync(this.#temporary, 'wx', OWNER_ONLY);
      this.#created = true;
    } catch (error) {
      throw this.#failed(error);
    }
    const { delimiter, newline } = contacts.dialect;
    const header = toCsvLine([...contacts.header, ...OUR_COLUMNS], delimiter);
    this.#waiting = this.#isWorkbook ? '' : BYTE_ORDER_MARK + header + newline;
  }

  /** Replaces the lines by the workbook that is made of them. */
  async #becomeWorkbook(): Promise<void> {
    const target = `${this.#temporary}.xlsx`;
    const endNote = this.#place.noteUnfinished?.(target);
    const { header, layout = null } = this.#options.contacts;
    try {
      await writeRejectsWorkbook(this.#temporary, { header, hasDays: layout !== null, target });
      const file = openSync(target, 'r+');
      await promisify(fsync)(file).finally(() => closeSync(file));
      renameSync(target, this.#temporary);
    } finally {
      rmSync(target, { force: true });
      endNote?.();
    }
  }

  /** The cells of a row under the header, and why it is here. */
  #cells({ row, reason, detail }: Reject): string[] {
    const { header, dialect, layout = null } = this.#options.contacts;
    const written = rejectCells(row, dialect.delimiter);
    const cells = layout === null ? written : sheetRejectCells(written, layout);
    const missing = Math.max(0, header.length - cells.length);
    return [...cells, ...Array.from({ length: missing }, () => ''), String(row.line), reason, detail];
  }

  #line({ row, reason, detail }: Reject): string {
    const { header, dialect, layout = null } = this.#options.contacts;
    const told = toCsvLine([String(row.line), reason, detail], dialect.delimiter);
    // Bad quoting, or too long: no cells are known.
    const whole = row.problem !== null && row.cells.length === 0;
    const record = whole
      ? `"${row.raw.replaceAll('"', '""')}"`
      : mendableRecord(this.#written(row), dialect.delimiter);
    // A usable row has a cell for each column.
    const known = whole ? 1 : row.problem !== null && layout === null ? row.cells.length : header.length;
    return record + dialect.delimiter.repeat(Math.max(0, header.length - known) + 1) + told;
  }

  /** The record as a person wrote it: the line of a workbook's copy has more. */
  #written(row: Reject['row']): string {
    const { dialect, layout = null } = this.#options.contacts;
    if (layout === null) return row.raw;
    return toCsvLine(sheetRejectCells(rejectCells(row, dialect.delimiter), layout), dialect.delimiter);
  }

  #flush(): void {
    if (this.#file === null) return;
    try {
      writeFileSync(this.#file, this.#waiting);
    } catch (error) {
      throw this.#failed(error);
    }
    this.#waiting = '';
  }

  #close(): void {
    const file = this.#file;
    this.#file = null;
    if (file !== null) closeSync(file);
  }

  #failed(error: unknown): TumaError {
    this.#failure = error instanceof TumaError ? error : unwritable(this.#place.path, error);
    this.abort();
    return this.#failure;
  }
}

const WORKBOOK = /\.xlsx$/i;

/** The place for a workbook's rejects, unless a person named one. */
function placeFor({ place, contacts }: RejectsOptions): RejectsPlace {
  const isNamed = place.ifTaken !== 'number';
  if (isNamed || (contacts.layout ?? null) === null) return place;
  return { ...place, path: place.path.replace(/\.csv$/, '.xlsx') };
}

function unwritable(path: string, error: unknown): TumaError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  const help: Pick<ErrorFacts, 'hint' | 'advice'> =
    code === 'ENOSPC'
      ? { hint: 'Free some space.' }
      : { advice: { action: 'name_rejects', overwrite: false } };
  const message = `The rejects file cannot be written (${code}).`;
  return new TumaError('file_unwritable', { message, ...help, where: path, cause: error });
}
