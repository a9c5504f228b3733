import { grouped, whole } from '../domain/money.ts';
import { printableLine } from '../domain/text/printable.ts';
import { csvLine } from './csv-line.ts';

/* Tables of figures for a person with a spreadsheet: one list of columns, written as CSV, JSON or xlsx. */

/** The kind of a column decides its form in a spreadsheet. Money is decimal text, times are ISO 8601 in UTC. */
export interface Column {
  name: string;
  kind: 'text' | 'count' | 'money' | 'percent' | 'time';
}

/** One cell; null is not known, and stays empty. */
export type Figure = string | number | null;

/** Columns and rows of one table. */
export interface Figures {
  columns: readonly Column[];
  rows: Figure[][];
}

const FORMATS: Record<Column['kind'], string> = {
  text: '@',
  count: '0',
  money: '#,##0.00####',
  percent: '0.0',
  time: 'yyyy-mm-dd hh:mm:ss',
};
/** The length of "2026-11-27 09:00". */
const MINUTES = 16;
/** Excel allows 31 characters in the name of a sheet, and none of these. */
const MOST_NAME = 31;
const NOT_IN_A_NAME = /[\\/?*[\]:']/g;
const WIDTHS: Record<Column['kind'], number> = { text: 18, count: 11, money: 13, percent: 10, time: 19 };

/** The table as CSV with a header. */
export function figuresCsv({ columns, rows }: Figures): string {
  return [columns.map(({ name }) => name), ...rows].map(csvLine).join('');
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

/**
 * The pages of a workbook with one sheet: text stays text, money and counts are numbers, times are local times of the
 * zone. A sheet ends after 1,048,576 rows, and the next one goes on. The memory does not grow with the rows.
 */
export async function* figuresXlsx(
  { columns, rows }: { columns: readonly Column[]; rows: Iterable<Figure[]> | AsyncIterable<Figure[]> },
  { sheet, zone }: { sheet: string; zone: string },
): AsyncGenerator<Uint8Array> {
  // Only a workbook needs the library.
  const { writeXlsxStream } = await import('hucre/xlsx');
  const local = new LocalTimes(zone);
  async function* cells() {
    for await (const row of rows) yield row.map((figure, at) => cellOf(figure, columns[at], local));
  }
  yield* writeXlsxStream(cells(), {
    name: sheet.replaceAll(NOT_IN_A_NAME, ' ').slice(0, MOST_NAME),
    columns: columns.map(({ name, kind }) => ({
      header: printableLine(name),
      width: WIDTHS[kind],
      numFmt: FORMATS[kind],
    })),
    freezePane: { rows: 1 },
  });
}

function cellOf(
  figure: Figure,
  column: Column | undefined,
  local: LocalTimes,
): string | number | Date | null {
  const kind = column?.kind ?? 'text';
  if (figure === null || figure === '') return null;
  if (kind === 'text') return printableLine(String(figure));
  return kind === 'time' ? local.date(String(figure)) : Number(figure);
}

/** A spreadsheet's times have no zone, so they are written as the wall clock of one. */
class LocalTimes {
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
  }

  /** The wall clock as a date whose UTC fields it is. */
  date(iso: string): Date {
    return new Date(`${this.text(iso).replace(' ', 'T')}Z`);
  }

  /** Such as 2026-11-27 09:00:00. */
  text(iso: string): string {
    return this.#format.format(new Date(iso));
  }
}
