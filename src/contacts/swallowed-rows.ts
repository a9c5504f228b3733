import { bareNumberText } from '../domain/numbers/mobile-text.ts';
import type { CellReader } from './cells.ts';
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
}

/** Marks around a number, and the scheme of a link to one. */
const AROUND = /^(?:[^\w\p{Nd}]*tel:)?[^\w\p{Nd}]+|^tel:|[^\w\p{Nd}]+$/giu;
/** Also with the decimals of a float that was written with a comma. */
const NUMBER_LIKE = /^\p{Nd}[\p{Nd}\s()./\u2010-\u2015\u2212-]{6,}(?:,0+)?$/u;
/** 2.54712345678E+11. */
const SCIENTIFIC = /^\d[.,]\d+e\+?\d+$/i;
const DATE = /^(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d\d){1,2})$/;
/** No number is longer, and in much longer cells these patterns would look for minutes. */
const NUMBER_MAX_CHARACTERS = 64;

/** Looks at the lines of a record; `cells` are what it was read as. */
export function mayHoldRows(
  record: { raw: string; cells: string[] },
  shape: RowShape,
  reader: CellReader,
): boolean {
  // The line of the record's own number follows from the line ends in the cells before it.
  const before = record.cells.slice(0, shape.mobileColumn);
  const own = before.reduce((lines, cell) => lines + lineEndsIn(cell), 0);
  const others = splitLines(record.raw).toSpliced(own, 1);
  return others.some((line) => mayBeRow(line, shape, reader));
}

function mayBeRow(line: string, { width, mobileColumn }: RowShape, reader: CellReader): boolean {
  const { cells, firstStray } = reader.read(line, 0);
  const isOpenAtEnd = firstStray === cells.length - 1 && cells.at(-1)?.startsWith('"') === true;
  if (cells.length < width && !isOpenAtEnd) return false;
  // A quoted delimiter makes one more cell, which stands before the number or behind it.
  const more = firstStray === null ? 0 : Math.max(0, cells.length - width);
  return cells.slice(mobileColumn, mobileColumn + more + 1).some(isNumberLike);
}

function isNumberLike(cell: string): boolean {
  if (cell.length > NUMBER_MAX_CHARACTERS) return false;
  // As a mobile is read: in the digits of any script, and without marks that nobody sees.
  const bare = bareNumberText(cell).replace(AROUND, '');
  return SCIENTIFIC.test(bare) || (NUMBER_LIKE.test(bare) && !DATE.test(bare));
}
