import type { CampaignReport } from './campaign-report.ts';
import { printable, neutralise } from '../domain/text/printable.ts';

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

type Cells = readonly (string | number | null)[];

/** One record of RFC 4180 with its line end, without controls and formulas; null is empty. */
export function csvLine(cells: Cells): string {
  return printable(contactLine(cells));
}

/** A row of contacts, control characters kept. Not csv-stringify, because that took four times as long. */
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

/** The header of the file. */
export const REPORT_COLUMNS: readonly string[] = ['field', 'value'];

/** The report as two columns, `field,value`, with the names of the JSON form joined by dots. */
export function reportCsv(report: CampaignReport): string {
  return [REPORT_COLUMNS, ...flatten('', report)].map(csvLine).join('');
}

function* flatten(path: string, value: unknown): Generator<[string, string]> {
  if (value === null || value === undefined) yield [path, ''];
  else if (typeof value !== 'object') yield [path, `${value as string | number | boolean}`];
  else if (Array.isArray(value))
    yield* value.flatMap((item, index) => [...flatten(`${path}.${index + 1}`, item)]);
  else {
    for (const [key, item] of Object.entries(value))
      yield* flatten(path === '' ? key : `${path}.${key}`, item);
  }
}
