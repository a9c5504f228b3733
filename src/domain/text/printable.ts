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
