import type { ContactRow, RowProblem } from './contact-row.ts';
import { toCsvLine } from './line-cells.ts';
import type { Header } from './header.ts';
import { CELL_MAX_CHARACTERS, LONG_RECORD_KEPT_CHARACTERS, RECORD_MAX_BYTES } from './limits.ts';

const UTF8_MOST_BYTES = 3;

/** Decides about each record whether it is a row, and what is wrong with it; drops the columns that are ours. */
export class RowJudge {
  readonly #header: Header;
  readonly #delimiter: string;
  /** Lines that hold nothing, or nothing but delimiters. */
  blankCount = 0;

  constructor(header: Header, delimiter: string) {
    this.#header = header;
    this.#delimiter = delimiter;
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
    this.#dropSurplusBlanks(row);
    row.problem = this.#misfit(row.cells) ?? unfitValue(row);
    if (this.#header.kept.length < this.#header.width) {
      this.#dropOurs(row);
      row.problem ??= unmended(row);
    }
    return true;
  }

  /** Blank cells beyond the header are the delimiters that many exports write at the end of a line. */
  #dropSurplusBlanks(row: ContactRow): void {
    while (row.cells.length > this.#header.width && row.cells.at(-1) === '') {
      row.cells.pop();
      const bare = row.raw.endsWith(this.#delimiter);
      row.raw = bare ? row.raw.slice(0, -1) : toCsvLine(row.cells, this.#delimiter);
    }
  }

  #misfit(cells: string[]): RowProblem | null {
    const { width } = this.#header;
    if (cells.length === width || this.#lacksOnlyOurs(cells)) return null;
    const detail = `The header has ${width} cells, this row ${cells.length}.`;
    return { reason: cells.length < width ? 'too few cells' : 'too many cells', detail };
  }

  /** A row that a person typed into a rejects file has none of our cells, which stand at the end: its own are all there. */
  #lacksOnlyOurs(cells: string[]): boolean {
    const { kept } = this.#header;
    if (cells.length < kept.length || kept.at(-1) !== kept.length - 1) return false;
    return cells.slice(kept.length).every((cell) => cell === '');
  }

  /**
   * The rejects writer's cells stand at the end; a row with too many cells still has them there. Of a row with too few nobody knows
   * which they are: it is kept whole, for what is cut would be a row that fits.
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
    row.raw = toCsvLine(row.cells, this.#delimiter);
  }
}

function isLong(raw: string): boolean {
  return raw.length * UTF8_MOST_BYTES > RECORD_MAX_BYTES && Buffer.byteLength(raw) > RECORD_MAX_BYTES;
}

/**
 * The rejects writer fills a row up with blank cells behind its own, so that it fits, though the blank ones may belong before
 * them, and a line that it wrote as one cell may be a number alone. Who launches such a row has overlooked it.
 */
function unmended({ cells, reasonBefore }: ContactRow): RowProblem | null {
  const detail = 'The row is as it was. Mend it; if it is right so, blank its tuma_reason.';
  if (reasonBefore === 'too few cells' && cells.at(-1) === '') return { reason: reasonBefore, detail };
  const oneCell = cells.slice(1).every((cell) => cell === '');
  return reasonBefore === 'bad quoting' && oneCell ? { reason: reasonBefore, detail } : null;
}

function unfitValue(row: ContactRow): RowProblem | null {
  if (row.raw.length > CELL_MAX_CHARACTERS && row.cells.some((cell) => cell.length > CELL_MAX_CHARACTERS)) {
    return { reason: 'cell too long', detail: `A cell holds at most ${CELL_MAX_CHARACTERS} characters.` };
  }
  // The provider may substitute placeholders itself: what it would make of such a value, nobody can tell.
  if (row.raw.includes('{{') || row.raw.includes('<<')) {
    return { reason: 'template marks', detail: 'A cell holds {{ or <<, which mark a field of a template.' };
  }
  return null;
}
