import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { type CellValue, streamXlsxRows } from 'hucre/xlsx';
import { toCsvLines } from './line-cells.ts';

/*
 * A process of its own that writes a sheet of an Excel workbook as CSV: `node workbook-process.ts XLSX CSV MOST-ROWS
 * SHEET`, with the sheet as `#0` or `=Name`. It ends with the work, so that its memory is never the worker's. Line n of
 * the CSV is row n of the sheet. It prints one JSON line: the number of rows, or the problem.
 */

/** Rows written at once. */
const WRITE_ROWS = 1_000;
/** A spreadsheet keeps 15 significant digits. */
const DIGITS = 15;

const [path = '', target = '', most = '0', which = '#0'] = process.argv.slice(2);
const sheet = which.startsWith('=') ? which.slice(1) : Number(which.slice(1));
const answer = await convert().catch((error: unknown) => ({ problem: (error as Error).message }));
process.stdout.write(`${JSON.stringify(answer)}\n`);

async function convert(): Promise<{ rows: number } | { problem: string }> {
  const out = createWriteStream(target, { mode: 0o600, flags: 'wx' });
  const bytes = await readFile(path);
  let [line, rows, width] = [0, 0, 0];
  let waiting: string[][] = [];
  for await (const { index, values } of streamXlsxRows(bytes, { sheet })) {
    rows += 1;
    // The header is no row.
    if (rows > Number(most) + 1) return { problem: `it has more than ${most} rows` };
    for (; line < index; line++) waiting.push([]);
    width ||= values.length;
    waiting.push(cellsOf(values, width));
    line += 1;
    if (waiting.length < WRITE_ROWS) continue;
    if (!out.write(toCsvLines(waiting, ','))) await once(out, 'drain');
    waiting = [];
  }
  out.end(toCsvLines(waiting, ','));
  await finished(out);
  if (rows === 0)
    return {
      problem:
        typeof sheet === 'number' ? 'its first sheet is empty' : `it has no sheet "${sheet}" with rows`,
    };
  return { rows };
}

/** A sheet leaves out the blank cells at the end of a row. */
function cellsOf(values: readonly CellValue[], width: number): string[] {
  const blank = Math.max(0, width - values.length);
  return [...values.map(textOf), ...Array.from({ length: blank }, () => '')];
}

/** A cell as a person reads it: numbers without exponents, dates as ISO dates, no line ends. */
function textOf(value: CellValue): string {
  if (value === null) return '';
  if (value instanceof Date) return dateText(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return value.replaceAll(/[\r\n]+/g, ' ');
}

function numberText(value: number): string {
  const rounded = Number(value.toPrecision(DIGITS));
  const text = String(rounded);
  if (!text.includes('e')) return text;
  return rounded.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
}

/** A date without an hour is a date alone. Dates of a sheet have no zone; the library gives them as UTC. */
function dateText(date: Date): string {
  const [day = '', time = ''] = date.toISOString().split('T');
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)}`;
}
