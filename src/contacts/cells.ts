import { stringify } from 'csv-stringify/sync';

/** A record as it stands in a text, taken apart at its delimiters. */
export interface CellsFound {
  /** A quoted cell without its quotation marks, any other cell as it is written; both without blanks around them. */
  cells: string[];
  /** Where the record ends, in front of its line ending. */
  end: number;
  /** The first cell with a quotation mark that is a letter or a fault. */
  firstStray: number | null;
  /** `unclosed`: a cell begins with a mark and has no second one. `misplaced`: text stands behind the second mark. */
  fault: 'unclosed' | 'misplaced' | null;
}

const CLOSED = /\s*"[^"]*(?:""[^"]*)*"(?!")/y;

/**
 * Takes records apart. A cell that begins with a quotation mark ends with one; two marks in it stand for one. In any other
 * cell a mark is a letter: 6" pipe, ="0712345678".
 */
export class CellReader {
  readonly #delimiter: string;
  readonly #quoted: RegExp;
  readonly #plain: RegExp;

  constructor(delimiter: string) {
    const blanks = `[^\\S\\r\\n${delimiter}]*`;
    this.#delimiter = delimiter;
    this.#quoted = new RegExp(`${blanks}"([^"]*(?:""[^"]*)*)"${blanks}(?=[${delimiter}\\r\\n]|$)`, 'y');
    this.#plain = new RegExp(`[^${delimiter}\\r\\n]*`, 'y');
  }

  /** The record that begins at `from`. */
  read(text: string, from: number): CellsFound {
    const found: CellsFound = { cells: [], end: from, firstStray: null, fault: null };
    this.#takeCell(text, found);
    while (text[found.end] === this.#delimiter) {
      found.end += 1;
      this.#takeCell(text, found);
    }
    return found;
  }

  #takeCell(text: string, found: CellsFound): void {
    const quoted = matchAt(this.#quoted, text, found.end);
    if (quoted === null) return this.#takePlain(text, found);
    found.cells.push((quoted[1] ?? '').replaceAll('""', '"'));
    found.end += quoted[0].length;
  }

  #takePlain(text: string, found: CellsFound): void {
    const written = matchAt(this.#plain, text, found.end)?.[0] ?? '';
    const cell = written.trim();
    if (cell.includes('"')) found.firstStray ??= found.cells.length;
    if (cell.startsWith('"')) found.fault ??= matchAt(CLOSED, text, found.end) ? 'misplaced' : 'unclosed';
    found.cells.push(cell);
    found.end += written.length;
  }
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** Where the rejects writer says why a row got no message. */
export const REASON_COLUMN = 'tuma_reason';
/** The columns that the rejects writer adds, in this order, and that reading leaves out. */
export const OUR_COLUMNS: readonly string[] = ['tuma_line', REASON_COLUMN, 'tuma_detail'];

/** Reading trims cells without quotation marks, so blanks around a value need them. */
const BLANK_AROUND = /^\s|\s$/;

/** Writes cells as one record without a line ending; quotation marks only where they are needed. */
export function toCsvLine(cells: readonly string[], delimiter: string): string {
  return stringify([[...cells]], { delimiter, eof: false, quoted_match: BLANK_AROUND });
}
