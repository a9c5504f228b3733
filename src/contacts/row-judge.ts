import { counted } from '../domain/money.ts';
import type { ContactRow, RowProblem } from './contact-row.ts';
import { cellValue, needsCellValue } from './cell-value.ts';
import { toCsvLine } from './line-cells.ts';
import type { Header } from './header.ts';
import type { SheetFacts } from './workbook/workbook.ts';
import { PAIR_MARK } from '../domain/text/paired-cell.ts';
import { CELL_MAX_CHARACTERS, LONG_RECORD_KEPT_CHARACTERS, RECORD_MAX_BYTES } from './limits.ts';

const MOST_BYTES_PER_UTF16_UNIT = 3;

/** Where a line of a workbook's copy has its cells: `width` values, then the shown texts of some columns. */
export type SheetLayout = Pick<SheetFacts, 'width' | 'shown'>;

/** The judge drops blank records, marks broken rows, removes the rejects writer's columns, and gives cells their values. */
export class RowJudge {
  readonly #header: Header;
  readonly #delimiter: string;
  readonly #layout: SheetLayout | null;
  /** Lines that are empty or hold only delimiters. */
  blankCount = 0;

  constructor(header: Header, delimiter: string, layout: SheetLayout | null = null) {
    this.#header = header;
    this.#delimiter = delimiter;
    this.#layout = layout;
  }

  /** The rows among the records, in order. */
  rows(records: readonly ContactRow[]): ContactRow[] {
    return records.filter((record) => this.#judge(record));
  }

  #judge(row: ContactRow): boolean {
    if (isLong(row.raw)) {
      row.raw = row.raw.slice(0, LONG_RECORD_KEPT_CHARACTERS);
      row.cells = [];
      row.problem = { reason: 'row too long', detail: `A row holds at most ${RECORD_MAX_BYTES} bytes.` };
      return true;
    }
    if (row.problem !== null) return true;
    if (row.cells[0] === '' && row.cells.every((cell) => cell === '')) {
      this.blankCount += 1;
      return false;
    }
    const shown = this.#takeShown(row);
    this.#dropSurplusBlanks(row);
    row.problem = this.#cellCountProblem(row.cells) ?? valueProblem(row);
    if (this.#header.kept.length < this.#header.width) {
      this.#dropOurs(row);
      row.problem ??= uncorrectedReject(row);
    }
    this.#showCells(row, shown);
    // Last, because `raw` stays as it was written.
    if (needsCellValue(row.raw)) giveValues(row);
    return true;
  }

  /** Takes the texts behind the values of a workbook's line. */
  #takeShown(row: ContactRow): string[] {
    return this.#layout === null ? [] : row.cells.splice(this.#layout.width);
  }

  #showCells(row: ContactRow, texts: string[]): void {
    if (row.problem !== null || texts.length === 0) return;
    const shown = [...row.cells];
    for (const [index, column] of (this.#layout?.shown ?? []).entries()) {
      const at = this.#header.kept.indexOf(column);
      if (at >= 0 && at < shown.length) shown[at] = texts[index] ?? '';
    }
    row.shown = shown;
  }

  /** Many exports write delimiters at the end of a line, which read as blank cells beyond the header. */
  #dropSurplusBlanks(row: ContactRow): void {
    while (row.cells.length > this.#header.width && row.cells.at(-1) === '') {
      row.cells.pop();
      // The line of a workbook's copy is no line of the person's file.
      if (this.#layout !== null) continue;
      const bare = row.raw.endsWith(this.#delimiter);
      row.raw = bare ? row.raw.slice(0, -1) : toCsvLine(row.cells, this.#delimiter);
    }
  }

  #cellCountProblem(cells: string[]): RowProblem | null {
    const { width } = this.#header;
    if (cells.length === width || this.#lacksOnlyOurs(cells)) return null;
    const detail = `The header has ${counted(width, 'cell')}, this row ${cells.length}.`;
    return { reason: cells.length < width ? 'too few cells' : 'too many cells', detail };
  }

  /** A row typed into a rejects file may lack the tuma_ cells and is still complete. */
  #lacksOnlyOurs(cells: string[]): boolean {
    const { kept } = this.#header;
    if (cells.length < kept.length || kept.at(-1) !== kept.length - 1) return false;
    return cells.slice(kept.length).every((cell) => cell === '');
  }

  /**
   * The rejects writer's cells stand at the end, even in a row with too many cells. A row with too few cells
   * stays whole, because its tuma_ cells cannot be identified.
   */
  #dropOurs(row: ContactRow): void {
    const { kept, width, reasonCell } = this.#header;
    const { cells } = row;
    if (row.problem?.reason === 'too few cells') return;
    if (reasonCell >= 0 && cells.length === width) row.reasonBefore = (cells[reasonCell] ?? '').trim();
    row.cells =
      cells.length > width
        ? cells.slice(0, kept.length - width)
        : kept.map((column) => cells[column] as string);
    if (this.#layout === null) row.raw = toCsvLine(row.cells, this.#delimiter);
  }
}

function giveValues(row: ContactRow): void {
  row.cells = row.cells.map(cellValue);
  if (row.shown !== undefined) row.shown = row.shown.map(cellValue);
}

function isLong(raw: string): boolean {
  return (
    raw.length * MOST_BYTES_PER_UTF16_UNIT > RECORD_MAX_BYTES && Buffer.byteLength(raw) > RECORD_MAX_BYTES
  );
}

/** An uncorrected reject can look valid, because the writer added blank cells. Such a row stays rejected. */
function uncorrectedReject({ cells, reasonBefore }: ContactRow): RowProblem | null {
  const detail = 'Nobody corrected this row. Correct it, or clear its tuma_reason cell if it is right.';
  if (reasonBefore === 'too few cells' && cells.at(-1) === '') return { reason: reasonBefore, detail };
  const oneCell = cells.slice(1).every((cell) => cell === '');
  return reasonBefore === 'bad quoting' && oneCell ? { reason: reasonBefore, detail } : null;
}

function valueProblem(row: ContactRow): RowProblem | null {
  if (row.raw.length > CELL_MAX_CHARACTERS && row.cells.some((cell) => cell.length > CELL_MAX_CHARACTERS)) {
    return { reason: 'cell too long', detail: `A cell holds at most ${CELL_MAX_CHARACTERS} characters.` };
  }
  // The provider may replace placeholders itself, so the sent text would be unknown.
  if (row.raw.includes('{{') || row.raw.includes('<<')) {
    return { reason: 'template marks', detail: 'A cell holds {{ or <<, which mark a field of a template.' };
  }
  if (row.raw.includes(PAIR_MARK))
    return { reason: 'template marks', detail: 'A cell holds the character U+E002, which no text needs.' };
  return null;
}
