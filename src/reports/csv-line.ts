import { neutralise, printable, sheetCell } from '../domain/text/printable.ts';

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

type Cells = readonly (string | number | null)[];

/**
 * One record of RFC 4180 with its line end, without controls and formulas; null is empty. Digits that a spreadsheet
 * would spoil become `="254712345678"`, which Excel and LibreOffice read as text.
 */
export function csvLine(cells: Cells): string {
  return csvLines([cells]);
}

/** Such a record for each row. */
export function csvLines(rows: readonly Cells[]): string {
  return printable(records(rows, (cell) => quoted(sheetCell(cell))));
}

/** Rows of contacts, control characters and digits kept. Not csv-stringify, because that took four times as long. */
export function contactLines(rows: readonly Cells[]): string {
  return records(rows, (cell) => quoted(neutralise(cell)));
}

/** A cell is looked at only where it differs from the one above it: states, prices and times repeat. */
function records(rows: readonly Cells[], write: (cell: string) => string): string {
  const written: string[] = [];
  let above: Cells = [];
  let text = '';
  for (const cells of rows) {
    for (const [at, cell] of cells.entries()) {
      if (cell !== above[at]) written[at] = typeof cell === 'string' ? write(cell) : String(cell ?? '');
    }
    written.length = cells.length;
    text += `${written.join(',')}\n`;
    above = cells;
  }
  return text;
}

function quoted(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
