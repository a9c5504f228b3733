import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { printableLine } from '../domain/text/printable.ts';
import { OUR_COLUMNS } from './line-cells.ts';
import { dayOf } from './reject-cells.ts';

const OWNER_ONLY = 0o600;
const SHEET = 'Rejects';
const WIDTH = 18;
/** Days are dates of the spreadsheet, with the day first; all else is text, so that 0712 and 00042 keep their zeros. */
const DAYS = 'dd/mm/yyyy';
const TEXT = '@';

/**
 * Writes rejects as an Excel workbook into the new file `target`: a header that stays, and the rows of `lines`, a file
 * with the cells of one row as JSON in each line. Two workbooks of the same rows have the same bytes.
 */
export async function writeRejectsWorkbook(
  lines: string,
  { header, hasDays, target }: { header: readonly string[]; hasDays: boolean; target: string },
): Promise<void> {
  // Only a workbook needs the library.
  const { writeXlsxStream } = await import('hucre/xlsx');
  async function* rows() {
    for await (const line of createInterface({ input: createReadStream(lines), crlfDelay: Infinity }))
      yield (JSON.parse(line) as string[]).map((cell) => cellOf(cell, hasDays));
  }
  const columns = [...header, ...OUR_COLUMNS].map((name) => ({
    header: printableLine(name),
    width: WIDTH,
    numFmt: hasDays && !OUR_COLUMNS.includes(name) ? DAYS : TEXT,
  }));
  const pages = writeXlsxStream(rows(), { name: SHEET, columns, freezePane: { rows: 1 } });
  await pipeline(pages, createWriteStream(target, { flags: 'wx', mode: OWNER_ONLY }));
}

function cellOf(cell: string, hasDays: boolean): string | Date | null {
  if (cell === '') return null;
  return (hasDays ? dayOf(cell) : null) ?? printableLine(cell);
}
