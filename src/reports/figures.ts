import { grouped, whole } from '../domain/money.ts';
import { printableLine } from '../domain/text/printable.ts';
import { csvLines } from './csv-line.ts';
import { LocalTimes } from './local-times.ts';

/* Tables of figures for a person with a spreadsheet: one list of columns, written as CSV or JSON; workbook.ts: as xlsx. */

/**
 * The kind of a column decides its form in a spreadsheet. Money is decimal text, times are ISO 8601 in UTC. A `cell`
 * is of the contacts: a number or a date where all of its column are.
 */
export interface Column {
  name: string;
  kind: 'text' | 'count' | 'money' | 'percent' | 'time' | 'cell';
}

/** One cell; null is not known, and stays empty. */
export type Figure = string | number | null;

/** Columns and rows of one table. */
export interface Figures {
  columns: readonly Column[];
  rows: Figure[][];
  /** The last row of a workbook; left out: none. */
  total?: Figure[];
}

/** The length of "2026-11-27 09:00". */
const MINUTES = 16;
/** The table as CSV with a header. */
export function figuresCsv({ columns, rows }: Figures): string {
  return csvLines([columns.map(({ name }) => name), ...rows]);
}

/** The table as one object a row. */
export function figuresJson({ columns, rows }: Figures): Record<string, Figure>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])));
}

/** The rows as words for a terminal: grouped digits, local times, `–` for an unknown figure. */
export function figuresWords({ columns, rows }: Figures, zone: string): string[][] {
  const local = new LocalTimes(zone);
  return rows.map((row) => columns.map(({ kind }, at) => wordsOf(row[at] ?? null, kind, local)));
}

function wordsOf(figure: Figure, kind: Column['kind'], local: LocalTimes): string {
  if (figure === null) return '–';
  if (kind === 'money') return grouped(String(figure));
  if (kind === 'time') return local.text(String(figure)).slice(0, MINUTES);
  return typeof figure === 'number' && kind === 'count' ? whole(figure) : printableLine(String(figure));
}
