import { printable } from '../domain/text/printable.ts';
import { neutralise } from '../domain/text/spreadsheet.ts';

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

type Cells = readonly (string | number | null)[];

/**
 * One record of RFC 4180 with its line end; null is an empty cell. Nothing in it controls a terminal, and what a spreadsheet
 * would take for a formula is neutralised. Tabs and line ends stay, because a cell may be a text of several lines.
 */
export function csvLine(cells: Cells): string {
  return printable(contactLine(cells));
}

/**
 * The same of a row of contacts: what would control a terminal stays in its cells, because the file is uploaded again.
 * Written here because an export is millions of these: csv-stringify took four times as long.
 */
export function contactLine(cells: Cells): string {
  let line = '';
  for (const [index, cell] of cells.entries()) {
    if (index > 0) line += ',';
    if (typeof cell === 'number') line += cell;
    else if (cell !== null) line += csvCell(neutralise(cell));
  }
  return `${line}\n`;
}

function csvCell(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
