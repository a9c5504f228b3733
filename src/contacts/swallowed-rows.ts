import { lineEndsIn, splitLines } from './lines.ts';

/*
 * Whether a record of several lines is one row, or rows that a stray quotation mark has joined. Its lines are looked at one
 * by one, but for that on which the record's own number stands: what is a row by itself was one.
 */

/** What a line looks like that is a row of its own. */
export interface RowShape {
  width: number;
  mobileColumn: number;
  delimiter: string;
}

/** `rows`: a line is a row. `perhaps`: a line is one if a mark of its own is stray, too; nobody can tell. */
export type Swallowed = 'rows' | 'perhaps' | 'none';

const NUMBER_LIKE = /^\W*\d[\d\s().-]{6,}\W*$/;
const DATE = /^\W*\d{4}-\d\d-\d\d\W*$/;

/** Looks at the lines of a record; `cells` are what it was read as. */
export function swallowedBy(record: { raw: string; cells: string[] }, shape: RowShape): Swallowed {
  const { raw, cells } = record;
  // The line of the record's own number follows from the line ends in the cells before it.
  const own = cells.slice(0, shape.mobileColumn).reduce((lines, cell) => lines + lineEndsIn(cell), 0);
  const others = splitLines(raw).toSpliced(own, 1);
  const readings = new Set(others.map((line) => readingOf(line, shape)));
  return readings.has('rows') ? 'rows' : readings.has('perhaps') ? 'perhaps' : 'none';
}

interface Line {
  /** A whole quoted cell is one of them; any other mark is a letter, and then a delimiter may be quoted that parts cells here. */
  cells: string[];
  /** The first cell that has such a mark; the number of cells when there is none. */
  firstStray: number;
}

function readingOf(line: string, shape: RowShape): Swallowed {
  const { cells, firstStray } = cellsOf(line, shape.delimiter);
  const hasNumber = isNumberLike(cells[shape.mobileColumn]);
  if (cells.length === shape.width) return hasNumber ? 'rows' : 'none';
  if (cells.length < shape.width) return hasNumber && opensLast(cells, firstStray) ? 'perhaps' : 'none';
  const mayBe = firstStray === cells.length ? hasNumber : hasNumberNear(cells, shape);
  return mayBe ? 'perhaps' : 'none';
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
  return NUMBER_LIKE.test(cell) && !DATE.test(cell);
}

function cellsOf(line: string, delimiter: string): Line {
  const whole = new RegExp(`\\s*"(?:[^"]|"")*"\\s*(?=[${delimiter}]|$)`, 'y');
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
