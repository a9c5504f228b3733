/** How a cell begins that a spreadsheet would take for a formula, in half and full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** A signed number or a phone number computes nothing, and must survive being uploaded again. */
const PLAIN_NUMBER = /^[+-][\d\s().-]+$/;

/** A cell that a spreadsheet shows as it is: what would be a formula gets an apostrophe in front. */
export function neutralise(cell: string): string {
  return FORMULA.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
}

/** The cell as it was before `neutralise`, which is how a file of ours is read back. */
export function unneutralised(cell: string): string {
  if (!cell.startsWith("'")) return cell;
  const before = cell.slice(1);
  return neutralise(before) === cell ? before : cell;
}
