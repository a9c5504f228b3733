import { printable, neutralise } from '../domain/text/printable.ts';

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;
/** Digits that a spreadsheet spoils: it drops zeros at the beginning, and shows 2.54712E+11 for a phone number. */
const SPOILT_DIGITS = /^(?:0\d+|\d{12,})$/;

type Cells = readonly (string | number | null)[];

/**
 * One record of RFC 4180 with its line end, without controls and formulas; null is empty. Long digits and digits after
 * a zero become `="254712345678"`, which Excel and LibreOffice read as text.
 */
export function csvLine(cells: Cells): string {
  return printable(record(cells, sheetCell));
}

/** A row of contacts, control characters and digits kept. Not csv-stringify, because that took four times as long. */
export function contactLine(cells: Cells): string {
  return record(cells, csvCell);
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

function sheetCell(cell: string): string {
  return SPOILT_DIGITS.test(cell) ? `"=""${cell}"""` : csvCell(cell);
}

function csvCell(text: string): string {
  const cell = neutralise(text);
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
