import { bareNumberText } from '../domain/numbers/mobile-text.ts';
import { cellsOfLine } from './line-cells.ts';
import { lineEndsIn, splitLines } from './lines.ts';

/*
 * Whether a record of several lines is one row, or may be rows that a stray quotation mark has joined. Its lines are looked at
 * one by one, without the line on which the record's own number stands. A line that is a row by itself was one, or belongs
 * to a note in which another person's number stands: nobody can tell.
 */

/** What a line looks like that is a row of its own. */
export interface RowShape {
  width: number;
  mobileColumn: number;
  delimiter: string;
}

/** Marks around a number, a quotation mark of the cell among them. */
const AROUND = /^[^\w\p{Nd}]+|[^\w\p{Nd}]+$/gu;
/** Also with the decimals of a float that was written with a comma. */
const NUMBER_LIKE = /^(?:tel:[^\w\p{Nd}]*)?\p{Nd}[\p{Nd}\s()./\u2010-\u2015\u2212-]{6,}(?:,0+)?$/iu;
/** 2.54712345678E+11. */
const SCIENTIFIC = /^\d[.,]\d+e\+?\d+$/i;
const DATE = /^(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d\d){1,2})$/;

/** No number is longer, and in much longer cells these patterns would look for minutes. */
const NUMBER_MAX_CHARACTERS = 64;

/** Looks at the lines of a record; `cells` are what it was read as. */
export function mayHoldRows(record: { raw: string; cells: string[] }, shape: RowShape): boolean {
  const { raw, cells } = record;
  // The line of the record's own number follows from the line ends in the cells before it.
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

/** True when a cell is opened that goes on in the next line; one that goes on from the line before has the first mark. */
function opensLast(cells: string[], firstStray: number): boolean {
  return firstStray === cells.length - 1 && cells[firstStray]?.startsWith('"') === true;
}

/** What a quoted delimiter adds stands before the number or behind it. */
function hasNumberNear(cells: string[], { width, mobileColumn }: RowShape): boolean {
  const more = cells.length - width;
  return cells.slice(mobileColumn, mobileColumn + more + 1).some((cell) => isNumberLike(cell));
}

function isNumberLike(cell = ''): boolean {
  if (cell.length > NUMBER_MAX_CHARACTERS) return false;
  // As a mobile is read: in the digits of any script, and without marks that nobody sees.
  const bare = bareNumberText(cell).replace(AROUND, '');
  return SCIENTIFIC.test(bare) || (NUMBER_LIKE.test(bare) && !DATE.test(bare));
}
