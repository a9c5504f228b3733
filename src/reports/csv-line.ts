import { neutralise, printable, sheetCell } from '../domain/text/printable.ts';

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

type Cells = readonly (string | number | null)[];

/**
 * One record of RFC 4180 with its line end, without controls and formulas; null is empty. Digits that a spreadsheet
 * would spoil become `="254712345678"`, which Excel and LibreOffice read as text.
 */
export function csvLine(cells: Cells): string {
  return printable(record(cells, (cell) => quoted(sheetCell(cell))));
}

/** A row of contacts, control characters and digits kept. Not csv-stringify, because that took four times as long. */
export function contactLine(cells: Cells): string {
  return record(cells, (cell) => quoted(neutralise(cell)));
}

function record(cells: Cells, write: (cell: string) => string): string {
  let line = '';
  for (const [index, cell] of cells.entries()) {
    if (index > 0) line += ',';
    if (typeof cell === 'number') line += cell;
    else if (cell !== null) line += write(cell);
  }
  return `${line}\n`;
}

function quoted(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
