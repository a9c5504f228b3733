import { Archive } from './archive.ts';
import { SheetCopy } from './sheet-copy.ts';
import { type SheetRow, sheetRows } from './sheet-rows.ts';
import { type Sheet, type WorkbookFacts, workbookFacts } from './sheets.ts';
import type { ConverterAnswer, ConverterRequest, SheetFacts } from './workbook.ts';

/*
 * A process of its own that writes a sheet of an Excel workbook as CSV: `node workbook-process.ts REQUEST`. It ends
 * with the work, so that its memory is never the worker's, and it stops when it takes too much. Line n of the CSV is
 * row n of the sheet. It prints one JSON line: what it read, or the problem.
 */

/** Most memory of this process, of all kinds. */
const MEMORY_MAX_BYTES = 400 * 1024 * 1024;
const MEMORY_LOOK_MS = 20;
/** Columns beyond these are no list of contacts. */
const COLUMNS_READ = 1_024;

const request = JSON.parse(process.argv[2] ?? '{}') as ConverterRequest;
const watch = setInterval(refuseMuchMemory, MEMORY_LOOK_MS);
print(await convert(request).catch((error: unknown) => ({ problem: (error as Error).message })));
clearInterval(watch);

function print(answer: ConverterAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

function refuseMuchMemory(): void {
  if (process.memoryUsage.rss() <= MEMORY_MAX_BYTES) return;
  print({ problem: `reading it takes more than ${MEMORY_MAX_BYTES / 1024 / 1024} MB of memory` });
  process.exit();
}

async function convert({ path, target, sheet: name, rows }: ConverterRequest): Promise<ConverterAnswer> {
  const archive = await Archive.open(path);
  const facts = await workbookFacts(archive);
  const visible = facts.sheets.filter((each) => each.isVisible);
  const sheet = name === null ? visible[0] : facts.sheets.find((each) => each.name === name);
  if (sheet === undefined) return { problem: name === null ? 'it has no sheet' : noSheet(name, visible) };
  const seen = { archive, sheet, facts, onlyVisible: rows === 'visible' };
  // The columns that need a second text are known only behind the last row.
  const found = await look(seen);
  if (found.rows === 0)
    return {
      problem: name === null ? `its first sheet "${sheet.name}" is empty` : noSheet(name, visible),
    };
  await write(seen, { ...found, target });
  const sheets = visible.map((each) => each.name);
  return {
    ...found,
    sheet: { name: sheet.name, position: visible.indexOf(sheet) + 1, of: visible.length },
    sheets,
  };
}

function noSheet(name: string, visible: Sheet[]): string {
  const names = visible.map((each) => `"${each.name}"`).join(', ');
  return `it has no sheet "${name}" with rows; its sheets are: ${names}`;
}

interface Source {
  archive: Archive;
  sheet: Sheet;
  facts: WorkbookFacts;
  onlyVisible: boolean;
}

/** The sheet without its name: how many cells a line of the copy has, and what a person should know. */
async function look({
  archive,
  sheet,
  facts,
  onlyVisible,
}: Source): Promise<Omit<SheetFacts, 'sheet' | 'sheets'>> {
  const found = {
    rows: 0,
    hidden: 0,
    isFiltered: false,
    hiddenLeftOut: onlyVisible,
    localeDates: 0,
    width: 0,
  };
  const shown = new Set<number>();
  for await (const { rows, isFiltered } of sheetRows(archive, sheet, facts)) {
    found.isFiltered = isFiltered;
    found.hidden += rows.filter(({ isHidden }) => isHidden).length;
    for (const row of readRows(rows, onlyVisible)) {
      found.rows += 1;
      found.localeDates += row.localeDates;
      found.width = Math.max(found.width, widthOf(row));
      noteShown(row, shown);
    }
  }
  return { ...found, shown: [...shown].toSorted((a, b) => a - b) };
}

function readRows(rows: SheetRow[], onlyVisible: boolean): SheetRow[] {
  return onlyVisible ? rows.filter(({ isHidden }) => !isHidden) : rows;
}

function widthOf({ number, cells }: SheetRow): number {
  if (cells.length > COLUMNS_READ)
    throw new Error(`its row ${number} has a cell in column ${cells.length}; ${COLUMNS_READ} are read`);
  return cells.length;
}

function noteShown({ cells }: SheetRow, shown: Set<number>): void {
  for (const [column, cell] of cells.entries())
    if (cell !== undefined && cell.value !== cell.shown) shown.add(column);
}

async function write(
  { archive, sheet, facts, onlyVisible }: Source,
  { width, shown, target }: { width: number; shown: number[]; target: string },
): Promise<void> {
  const copy = new SheetCopy(target);
  const columns = [...Array.from({ length: width }).keys()];
  for await (const { rows } of sheetRows(archive, sheet, facts))
    for (const { number, cells } of readRows(rows, onlyVisible)) {
      const values = columns.map((column) => cells[column]?.value ?? '');
      const texts = shown.map((column) => cells[column]?.shown ?? '');
      await copy.add(number, [...values, ...texts]);
    }
  await copy.finish();
}
