import { maskText } from '../domain/text/mask.ts';

/* The header of a list may stand below titles: "UMOJA SACCO: MEMBERS", a blank line, and then the names of columns. */

/** Records at the start of a file among which the header is looked for. */
const RECORDS_LOOKED_AT = 30;
/** A title, and perhaps a date beside it. */
const TITLE_CELLS_MAX = 2;

/**
 * The index of the header among the first records of a file: the first record that names the mobile, else the first
 * one with several cells, where everything above it looks like a title. Without such a record it is the first that is
 * not blank; -1: all are blank.
 */
export function headerIndex(
  records: readonly (readonly string[])[],
  namesMobile: (cell: string) => boolean,
): number {
  const first = records.findIndex((cells) => filled(cells).length > 0);
  const most = Math.max(0, ...records.map((cells) => filled(cells).length));
  // A list with one column has no titles that differ from it.
  if (first === -1 || most < 2) return first;
  const candidates = [...records.slice(0, RECORDS_LOOKED_AT).keys()].slice(first);
  const cells = (index: number) => filled(records[index] ?? []);
  const below = (index: number) => candidates.filter((each) => each < index && cells(each).length > 0);
  const isHeader = (index: number) =>
    cells(index).length >= 2 &&
    !cells(index).some(isNumber) &&
    below(index).every((each) => isTitle(cells(each), cells(index).length));
  const named = candidates.find((index) => isHeader(index) && cells(index).some((cell) => namesMobile(cell)));
  // One name above nameless columns is a header, too.
  if (named === undefined && cells(first).some((cell) => namesMobile(cell))) return first;
  return named ?? candidates.find(isHeader) ?? first;
}

function filled(cells: readonly string[]): string[] {
  return cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
}

/** A row of people has a number, or as many cells as its header has names. */
function isTitle(cells: readonly string[], names: number): boolean {
  return cells.length < names && cells.length <= TITLE_CELLS_MAX && !cells.some(isBareNumber);
}

/** A letterhead has a number among its words: "UMOJA SACCO, Tel 0722 000 000". */
function isBareNumber(cell: string): boolean {
  return isNumber(cell) && !/\p{L}{3}/u.test(cell);
}

/** A number that may be a mobile. Nobody names a column after one. */
function isNumber(cell: string): boolean {
  return maskText(cell) !== cell;
}
