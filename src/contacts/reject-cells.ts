import { unneutralised } from '../domain/text/printable.ts';
import type { ContactRow, WaitingRow } from './contact-row.ts';
import { closedLine } from './line-cells.ts';
import type { SheetLayout } from './row-judge.ts';

/** The layout of a workbook's lines, and which of their values are columns of its contacts. */
export interface RejectLayout extends SheetLayout {
  kept: readonly number[];
}

const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The cells of a row as they were written, in their order; of a row that cannot be split its whole text. */
export function rejectCells(row: ContactRow | WaitingRow, delimiter: string): string[] {
  const isWhole = row.problem !== null && row.cells.length === 0;
  const cells = isWhole ? null : closedLine(row.raw, delimiter)?.cells;
  return cells?.map(unneutralised) ?? [row.raw];
}

/**
 * The cells of a line of a workbook's copy as a person writes them anew: as they are shown, and days as ISO dates,
 * which are read in one way only.
 */
export function sheetRejectCells(line: readonly string[], { width, shown, kept }: RejectLayout): string[] {
  const values = line.slice(0, width);
  for (const [index, column] of shown.entries()) {
    const isDay = ISO_DAY.test(values[column] ?? '');
    if (!isDay && column < values.length) values[column] = line[width + index] ?? '';
  }
  const ours = kept.map((column) => values[column] ?? '');
  // A cell too many is why a row is rejected, so it stays.
  const others = values.slice((kept.at(-1) ?? 0) + 1);
  return kept.length < width && others.some((cell) => cell !== '') ? [...ours, ...others] : ours;
}

/** The day of an ISO date as a spreadsheet keeps it; null: it is another text. */
export function dayOf(cell: string): Date | null {
  return ISO_DAY.test(cell) ? new Date(`${cell}T00:00:00Z`) : null;
}
