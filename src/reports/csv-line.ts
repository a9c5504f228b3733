import { neutralise } from '../domain/spreadsheet.ts';

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/**
 * One record of RFC 4180 with its line end; null is an empty cell, and what a spreadsheet would take for a formula is
 * neutralised. Written here because an export is millions of these: csv-stringify took four times as long.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
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
