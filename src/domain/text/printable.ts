// Everything that could move a cursor, set a title or end a line early: C0 and C1 controls and bidirectional overrides.
const UNSAFE = /[[\p{Cc}\p{Bidi_Control}]--[\t\n]]/gv;

/** Text without anything that could control a terminal; tabs and line ends stay. */
export function printable(text: string): string {
  return text.replace(UNSAFE, '\ufffd');
}

/** The same on one line: words of strangers add no line to a page. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\t\n]+/g, ' ');
}

/** The same JSON without anything that could control a terminal: it is read as it was, from escapes. */
export function printableJson(json: string): string {
  return json.replace(UNSAFE, (unsafe) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

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

/** The letters of a text in lower case: `Delivery Impossible`, `DELIVERY_IMPOSSIBLE` and `DeliveryImpossible` are one. */
export function letters(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/g, '');
}

/** What a word of a report is known under when a person maps it: its letters, or itself where it has none (`32`). */
export function wordKey(word: string): string {
  return letters(word) || word.trim();
}
