/*
 * A cell of a workbook may be shown in another text than its value: 27/11/2026 and 2026-11-27. Where a template needs
 * both, both stand in one cell. Contacts with this mark in a cell are rejected.
 */

/** A character for private use, which no text has. */
export const PAIR_MARK = '\u{e002}';

/** A cell that holds both texts. */
export function pairedCell({ value, shown }: { value: string; shown: string }): string {
  return value === shown ? value : `${shown}${PAIR_MARK}${value}`;
}

/** The text that a person sees. */
export function shownOf(cell: string): string {
  const mark = cell.indexOf(PAIR_MARK);
  return mark === -1 ? cell : cell.slice(0, mark);
}

/** The value behind it, for dates, amounts and keys. */
export function valueOf(cell: string): string {
  const mark = cell.indexOf(PAIR_MARK);
  return mark === -1 ? cell : cell.slice(mark + 1);
}
