import { bareNumberText } from '../domain/numbers/mobile-text.ts';
import { cellsOfLine } from './line-cells.ts';
import { lineEndsIn, splitLines } from './lines.ts';

/*
 * Decides whether a record of several lines is one row, or rows that a stray quotation mark may have joined.
 * It checks each line, except the line of the record's own number. A line that looks like a row was a row, or
 * is part of a note with another person's number. The two cannot be distinguished.
 */

/** The shape of a line that is a row of its own. */
export interface RowShape {
  width: number;
  mobileColumn: number;
  delimiter: string;
}

/** Marks around a number, a quotation mark of the cell among them. */
const AROUND = /^[^\w\p{Nd}]+|[^\w\p{Nd}]+$/gu;
/** Also with the decimals of a float with a comma. */
const NUMBER_LIKE = /^(?:tel:[^\w\p{Nd}]*)?\p{Nd}[\p{Nd}\s()./\u2010-\u2015\u2212-]{6,}(?:,0+)?$/iu;
/** 2.54712345678E+11. */
const SCIENTIFIC = /^\d[.,]\d+e\+?\d+$/i;
const DATE = /^(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d\d){1,2})$/;

/** No number is longer, and in much longer cells these patterns would search for minutes. */
const NUMBER_MAX_CHARACTERS = 64;

/** Checks the lines of a record with these `cells`. */
export function mayHoldRows(record: { raw: string; cells: string[] }, shape: RowShape): boolean {
  const { raw, cells } = record;
  // The line ends in the cells before it locate the line of the record's own number.
  const own = cells.slice(0, shape.mobileColumn).reduce((lines, cell) => lines + lineEndsIn(cell), 0);
  const others = splitLines(raw).toSpliced(own, 1);
  return others.some((line) => mayBeRow(line, shape));
}

function mayBeRow(line: string, shape: RowShape): boolean {
  const { cells, firstStray } = cellsOfLine(line, shape.delimiter);
  const hasNumber = isNumberLike(cells[shape.mobileColumn]);
  if (cells.length < shape.width) return hasNumber && opensLast(cells, firstStray);
  return firstStray === cells.length ? hasNumber : hasNumberNear(cells, shape);
}

/** True: the last cell is opened and continues in the next line; its mark is the first stray one. */
function opensLast(cells: string[], firstStray: number): boolean {
  return firstStray === cells.length - 1 && cells[firstStray]?.startsWith('"') === true;
}

/** A quoted delimiter adds cells before the number or behind it. */
function hasNumberNear(cells: string[], { width, mobileColumn }: RowShape): boolean {
  const more = cells.length - width;
  return cells.slice(mobileColumn, mobileColumn + more + 1).some((cell) => isNumberLike(cell));
}

function isNumberLike(cell = ''): boolean {
  if (cell.length > NUMBER_MAX_CHARACTERS) return false;
  // Read like a mobile: digits of any script, without invisible marks.
  const bare = bareNumberText(cell).replace(AROUND, '');
  return SCIENTIFIC.test(bare) || (NUMBER_LIKE.test(bare) && !DATE.test(bare));
}
