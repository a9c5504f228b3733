// Characters that can move a cursor, set a title or end a line early: C0 and C1 controls, bidirectional
// overrides.
const UNSAFE = /[[\p{Cc}\p{Bidi_Control}]--[\t\n]]/gv;

/** Text without terminal controls; tabs and line ends stay. */
export function printable(text: string): string {
  return text.replace(UNSAFE, '\ufffd');
}

/** Printable text on one line, because words of strangers must add no line to a page. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\t\n]+/g, ' ');
}

/** The text, or its beginning with `…` at the end: at most so many characters. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** The same JSON without terminal controls: they become escapes, so its meaning stays. */
export function printableJson(json: string): string {
  return json.replace(UNSAFE, (unsafe) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The start of a cell that a spreadsheet takes for a formula, in half and full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** A signed number or a phone number computes nothing, and must survive another upload. */
const PLAIN_NUMBER = /^[+-][\d\s().-]+$/;

/** A cell that a spreadsheet shows unchanged: a formula gets an apostrophe in front. */
export function neutralise(cell: string): string {
  return FORMULA.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
}

/** A spreadsheet drops the zeros of 00043 and the plus of +43, and shows 254712345678 and 1E5 as other numbers. */
const SPOILT = /^(?:\+?0\d+|\+\d+|\d{12,}|[+-]?\d+(?:\.\d+)?e[+-]?\d+)$/i;
/** The form in which a spreadsheet keeps a text as it is. */
const SHEET_TEXT = /^="([^"]*)"$/;

/** A cell that a spreadsheet shows unchanged: also digits that it would spoil, as `="00043"`. */
export function sheetCell(cell: string): string {
  return SPOILT.test(cell) ? sheetText(cell) : neutralise(cell);
}

/** A text without quotation marks in the form that a spreadsheet takes for no number and no date. */
export function sheetText(cell: string): string {
  return `="${cell}"`;
}

/** The cell before `sheetCell`: both its forms stand in Tuma's own files. */
export function unneutralised(cell: string): string {
  if (cell.startsWith('=')) return SHEET_TEXT.exec(cell)?.[1] ?? cell;
  if (!cell.startsWith("'")) return cell;
  const before = cell.slice(1);
  return neutralise(before) === cell ? before : cell;
}

/** A text's letters in lower case: `Delivery Impossible` and `DELIVERY_IMPOSSIBLE` are equal. */
export function letters(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/g, '');
}

/** The key of a report's word for a person's mapping: its letters, or itself if it has none (`32`). */
export function wordKey(word: string): string {
  return letters(word) || word.trim();
}
