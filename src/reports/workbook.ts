import type { CellStyle } from 'hucre';
import { parseDate } from '../domain/time/dates.ts';
import { printableLine } from '../domain/text/printable.ts';
import type { Column, Figure } from './figures.ts';
import { LocalTimes } from './local-times.ts';

/* Tables of figures as workbooks that a person filters, adds up and prints. */

/** The sheet of a workbook. */
export interface Sheet {
  /** The name of the sheet. */
  sheet: string;
  /** The head of each printed page; left out: the name of the sheet. */
  title?: string;
  /** Of the times. */
  zone: string;
  /** A last row in bold, such as a total; left out: none. */
  total?: Figure[];
}

type Cell = string | number | Date | null;

const BOLD = { font: { bold: true } };

/** A column whose form is known. */
interface Formed {
  name: string;
  kind: Exclude<Column['kind'], 'cell'> | 'number' | 'date';
}

const FORMATS: Record<Formed['kind'], string> = {
  text: '@',
  count: '0',
  number: 'General',
  money: '#,##0.00####',
  percent: '0.0',
  date: 'yyyy-mm-dd',
  time: 'yyyy-mm-dd hh:mm:ss',
};
const WIDTHS: Record<Formed['kind'], number> = {
  text: 18,
  count: 11,
  number: 13,
  money: 13,
  percent: 10,
  date: 12,
  time: 19,
};
/** The widest column that is fitted to its header. */
const MOST_WIDTH = 40;
/** Excel allows 31 characters in the name of a sheet, and none of these. */
const MOST_NAME = 31;
const NOT_IN_A_NAME = /[\\/?*[\]:']/g;
/**
 * A larger table is written row by row, so that the memory does not grow with it. Such a sheet has neither filter nor
 * page, and its contacts' columns are text.
 */
const MOST_IN_MEMORY = 50_000;
/** More digits before the point are a phone number or an account, which nobody adds up. */
const NUMBER = /^-?(?:0|[1-9]\d{0,7})(?:\.\d{1,6})?$/;

/**
 * The pages of a workbook with one sheet: text stays text, money and counts are numbers, times are local times of the
 * zone. A sheet ends after 1,048,576 rows, and the next one goes on.
 */
export async function* figuresXlsx(
  { columns, rows }: { columns: readonly Column[]; rows: Iterable<Figure[]> | AsyncIterable<Figure[]> },
  sheet: Sheet,
): AsyncGenerator<Uint8Array> {
  const source = rowsOf(rows);
  const first = await take(source, MOST_IN_MEMORY);
  if (first.length < MOST_IN_MEMORY) yield* wholeWorkbook({ columns, rows: first }, sheet);
  else yield* streamedWorkbook({ columns, rows: chained(first, source) }, sheet);
}

async function* rowsOf(rows: Iterable<Figure[]> | AsyncIterable<Figure[]>): AsyncGenerator<Figure[]> {
  yield* rows;
}

async function take(rows: AsyncGenerator<Figure[]>, most: number): Promise<Figure[][]> {
  const taken: Figure[][] = [];
  while (taken.length < most) {
    const { done, value } = await rows.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

async function* chained(first: Figure[][], rest: AsyncIterable<Figure[]>): AsyncGenerator<Figure[]> {
  yield* first;
  yield* rest;
}

/** One sheet to filter and to print: a bold header that stays, landscape, one page wide. */
async function* wholeWorkbook(
  { columns, rows }: { columns: readonly Column[]; rows: Figure[][] },
  { sheet, title = sheet, zone, total }: Sheet,
): AsyncGenerator<Uint8Array> {
  // Only a workbook needs the library.
  const { writeXlsx } = await import('hucre/xlsx');
  const local = new LocalTimes(zone);
  const formed = columns.map((column, at) => formOf(column, () => rows.map((row) => row[at] ?? null)));
  const shown = total === undefined ? rows : [...rows, total];
  const head = formed.map(
    ({ kind }, at) => [`0,${at}`, { style: { ...BOLD, alignment: sideOf(kind) } }] as const,
  );
  const lastRow = formed.map(({ kind }, at) => {
    return [`${shown.length},${at}`, { style: { ...BOLD, numFmt: FORMATS[kind] } }] as const;
  });
  const data = shown.map((row) => formed.map((column, at) => cellOf(row[at] ?? null, column, local)));
  yield await writeXlsx({
    sheets: [
      {
        name: nameOf(sheet),
        columns: formed.map(({ name, kind }, at) => {
          const longest = Math.max(...rows.map((row) => String(row[at] ?? '').length), 0);
          return {
            width: kind === 'text' ? fitted(name, longest) : widthOf(name, kind),
            numFmt: FORMATS[kind],
          };
        }),
        rows: [formed.map(({ name }) => printableLine(name)), ...data],
        cells: new Map<string, { style: CellStyle }>([...head, ...(total === undefined ? [] : lastRow)]),
        autoFilter: { range: `A1:${letters(formed.length)}${rows.length + 1}` },
        freezePane: { rows: 1 },
        pageSetup: {
          paperSize: 'a4',
          orientation: 'landscape',
          fitToPage: true,
          fitToWidth: 1,
          fitToHeight: 0,
          printTitlesRow: '$1:$1',
        },
        headerFooter: { oddHeader: `&C${headText(title)}`, oddFooter: '&C&P / &N' },
      },
    ],
  });
}

async function* streamedWorkbook(
  { columns, rows }: { columns: readonly Column[]; rows: AsyncIterable<Figure[]> },
  { sheet, zone, total }: Sheet,
): AsyncGenerator<Uint8Array> {
  const { writeXlsxStream } = await import('hucre/xlsx');
  const local = new LocalTimes(zone);
  const formed = columns.map((column) => formOf(column, () => []));
  async function* cells() {
    for await (const row of rows) yield formed.map((column, at) => cellOf(row[at] ?? null, column, local));
    if (total !== undefined) yield formed.map((column, at) => cellOf(total[at] ?? null, column, local));
  }
  yield* writeXlsxStream(cells(), {
    name: nameOf(sheet),
    columns: formed.map(({ name, kind }) => ({
      header: printableLine(name),
      width: widthOf(name, kind),
      numFmt: FORMATS[kind],
    })),
    freezePane: { rows: 1 },
  });
}

/** A column of the contacts has the form that all of its cells have; else it is text. */
function formOf({ name, kind }: Column, cells: () => Figure[]): Formed {
  if (kind !== 'cell') return { name, kind };
  const filled = cells()
    .map((cell) => String(cell ?? '').trim())
    .filter((cell) => cell !== '');
  if (filled.length === 0) return { name, kind: 'text' };
  if (filled.every((cell) => NUMBER.test(cell))) return { name, kind: 'number' };
  return { name, kind: filled.every(isDate) ? 'date' : 'text' };
}

/** Only a day that can be read in one way; a number of a day is a number. */
function isDate(cell: string): boolean {
  return !/^[\d.]+$/.test(cell) && !cell.includes(':') && parseDate(cell, null).ok;
}

function cellOf(figure: Figure, { kind }: Formed, local: LocalTimes): Cell {
  if (figure === null || figure === '') return null;
  const text = String(figure);
  if (kind === 'text') return printableLine(text);
  if (kind === 'time') return local.date(text);
  if (kind === 'date') return dayOf(text);
  return Number(text);
}

function dayOf(text: string): Cell {
  const day = parseDate(text, null);
  return day.ok ? new Date(`${day.date}T00:00:00Z`) : null;
}

function nameOf(sheet: string): string {
  return sheet.replaceAll(NOT_IN_A_NAME, ' ').slice(0, MOST_NAME);
}

/** An ampersand begins a code in the head of a page. */
function headText(text: string): string {
  return printableLine(text).replaceAll('&', '&&');
}

/** Figures stand at the right, and so do their headings. */
function sideOf(kind: Formed['kind']): { horizontal: 'left' | 'right' } {
  return { horizontal: kind === 'text' ? 'left' : 'right' };
}

function fitted(name: string, longest: number): number {
  return Math.min(MOST_WIDTH, Math.max(name.length, longest) + 2);
}

function widthOf(name: string, kind: Formed['kind']): number {
  return Math.min(MOST_WIDTH, Math.max(WIDTHS[kind], name.length + 3));
}

/** The letters of a column: 1 is A, 27 is AA. */
function letters(column: number): string {
  const rest = (column - 1) % 26;
  const last = String.fromCodePoint(65 + rest);
  return column <= 26 ? last : letters((column - 1 - rest) / 26) + last;
}
