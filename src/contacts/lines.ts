/* A line ends with LF, CR LF or CR, whatever the lines around it do. */

const LF = 0x0a;
const CR = 0x0d;
/** Any line ending. */
export const LINE_END = /\r\n|\n|\r/;
const NEXT_LINE_END = new RegExp(LINE_END, 'g');

/** Where the last whole line of UTF-8 bytes ends; 0 when there is none. A CR at the very end may be half of a CR LF. */
export function lastLineEnd(block: Buffer): number {
  const lf = block.lastIndexOf(LF);
  const cr = block.length < 2 ? -1 : block.lastIndexOf(CR, block.length - 2);
  return Math.max(lf, cr) + 1;
}

/** Where the line that holds `from` ends, and where the next one begins. */
export function lineEnd(text: string, from: number): { end: number; next: number } {
  NEXT_LINE_END.lastIndex = from;
  const found = NEXT_LINE_END.exec(text);
  if (found === null) return { end: text.length, next: text.length };
  return { end: found.index, next: found.index + found[0].length };
}

/** Line endings in a text. */
export function lineEndsIn(text: string): number {
  return text.split(LINE_END).length - 1;
}

/** The lines of a text; a line ending at its end makes no last empty line. */
export function splitLines(text: string): string[] {
  const lines = text.includes('\r') ? text.split(LINE_END) : text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
