import { sheetCell, sheetText, unneutralised } from '../domain/text/printable.ts';
import { cellsOfLine, toCsvLine } from './line-cells.ts';

/*
 * Rejects are mended in a spreadsheet, which rewrites what it takes for a number, a date or a formula: 00043 becomes
 * 43, 2026-12-01 becomes 12/1/2026, and 10.00 becomes 10. So such cells are written as texts, which our reader reads
 * as what they were.
 */

const QUOTED = /^"((?:[^"]|"")*)"$/;
/** 10.00, 1.50: the zeros at the end would go. */
const LOSES_ZEROS = /^[+-]?\d*\.\d*0$/;
/** 2026-12-01, 1/2, 3.4.26 14:30: the order of day and month would change. */
const DATE_LIKE =
  /^(?:\d{1,4}([-/])\d{1,2}(?:\1\d{1,4})?|\d{1,4}\.\d{1,2}\.\d{1,4})(?:[T\s][\d:.\s]+(?:[ap]\.?m\.?)?)?$/i;
/** 27 Nov 2026, Dec-5, MAR1. */
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';
const MONTH_LIKE = new RegExp(
  String.raw`^(?:\d{1,4}[\s.-]*${MONTH}|${MONTH}[\s.-]*\d{1,4})(?:[\s.,-]+\d{1,4})?(?:\s[\d:.\s]+)?$`,
  'i',
);

/** A record as it was written, except for the cells that a spreadsheet would rewrite. */
export function mendableRecord(raw: string, delimiter: string): string {
  const cells = raw.includes('"') ? cellsOfLine(raw, delimiter).cells : raw.split(delimiter);
  const mendable = cells.map((cell) => mendableCell(cell, delimiter));
  return mendable.some((cell, at) => cell !== cells[at]) ? mendable.join(delimiter) : raw;
}

/** `written` has its quotation marks. */
function mendableCell(written: string, delimiter: string): string {
  const bare = written.trim();
  const held = QUOTED.exec(bare)?.[1]?.replaceAll('""', '"') ?? bare;
  const value = unneutralised(held);
  const isRewritten = [LOSES_ZEROS, DATE_LIKE, MONTH_LIKE].some((form) => form.test(value));
  const kept = isRewritten ? sheetText(value) : sheetCell(value);
  // Also a text that somebody else has kept so.
  return kept === value || kept === held ? written : toCsvLine([kept], delimiter);
}
