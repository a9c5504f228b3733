import { stringify } from 'csv-stringify/sync';
/** One line of a file, split at its delimiters. */
export interface LineCells {
  /** A whole quoted cell is one cell; any other mark is a letter, so a quoted delimiter may split a cell. */
  cells: string[];
  /** The first cell with such a mark; without one, the number of cells. */
  firstStray: number;
}

const WHOLE = /^"((?:[^"]|"")*)"$/;

/** The cells as they are written, quotation marks included, without blanks around them. */
export function cellsOfLine(line: string, delimiter: string): LineCells {
  // A tab is a blank as well.
  const blanks = `[^\\S${delimiter}]*`;
  const whole = new RegExp(`${blanks}"(?:[^"]|"")*"${blanks}(?=[${delimiter}]|$)`, 'y');
  const cells: string[] = [];
  let firstStray = Infinity;
  for (let at = 0; at <= line.length; ) {
    whole.lastIndex = at;
    const quoted = whole.exec(line)?.[0];
    const end = line.indexOf(delimiter, at);
    const cell = quoted ?? line.slice(at, end === -1 ? line.length : end);
    if (quoted === undefined && cell.includes('"')) firstStray = Math.min(firstStray, cells.length);
    cells.push(cell.trim());
    at += cell.length + 1;
  }
  return { cells, firstStray: Math.min(firstStray, cells.length) };
}

/** A line in which every cell that begins with a mark is whole. */
export interface ClosedLine {
  /** The cells' values. */
  cells: string[];
  /** True: a mark in another cell is a letter. */
  hasLetters: boolean;
}

/** Splits a line by itself. Null: a cell is not closed, or has text behind its mark. */
export function closedLine(line: string, delimiter: string): ClosedLine | null {
  const { cells, firstStray } = cellsOfLine(line, delimiter);
  if (cells.some((cell) => cell.startsWith('"') && !WHOLE.test(cell))) return null;
  const said = cells.map((cell) => WHOLE.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell);
  return { cells: said, hasLetters: firstStray < cells.length };
}

/** The rejects writer's column for the reason. */
export const REASON_COLUMN = 'tuma_reason';
/** The rejects writer's columns in their order; reading leaves them out. */
export const OUR_COLUMNS: readonly string[] = ['tuma_line', REASON_COLUMN, 'tuma_detail'];

/** Reading trims cells without quotation marks, so blanks around a value need them. */
const BLANK_AROUND = /^\s|\s$/;

/** Writes cells as one record without a line ending; only necessary quotation marks. */
export function toCsvLine(cells: readonly string[], delimiter: string): string {
  return stringify([[...cells]], { delimiter, eof: false, quoted_match: BLANK_AROUND });
}

/** Writes many records at once, which takes a fifth of the time; a record without cells is an empty line. */
export function toCsvLines(rows: readonly (readonly string[])[], delimiter: string): string {
  return stringify(rows as string[][], { delimiter, quoted_match: BLANK_AROUND });
}
