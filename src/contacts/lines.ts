/* Lines of a block of UTF-8 bytes. Each line ends with LF, CR LF or CR, also mixed. */

/** The byte of a line feed. */
export const LF = 0x0a;
/** The byte of a carriage return. */
export const CR = 0x0d;
/** Any line ending. */
export const LINE_END = /\r\n|\n|\r/;

/** The end of the line at `from`, with its line ending; without one, the block's length. */
export function lineEnd(block: Buffer, from: number): number {
  for (let at = from; at < block.length; at++) {
    const byte = block[at];
    if (byte === LF) return at + 1;
    if (byte === CR) return block[at + 1] === LF ? at + 2 : at + 1;
  }
  return block.length;
}

/** The end of the block's last whole line; 0: none. A CR at the very end may be half of a CR LF. */
export function lastLineEnd(block: Buffer): number {
  const lf = block.lastIndexOf(LF);
  const cr = block.length < 2 ? -1 : block.lastIndexOf(CR, block.length - 2);
  return Math.max(lf, cr) + 1;
}

/** Line endings between two offsets. */
export function countLineEnds(block: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const byte = block[at];
    if (byte === LF || (byte === CR && block[at + 1] !== LF)) count++;
  }
  return count;
}

/** Line endings in a text. */
export function lineEndsIn(text: string): number {
  return text.split(LINE_END).length - 1;
}

/** Splits text without relevant quotation marks; a last line ending makes no empty line. */
export function splitLines(text: string): string[] {
  const lines = text.includes('\r') ? text.split(LINE_END) : text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The text without one line ending at its end. */
export function withoutLineEnd(text: string): string {
  if (text.endsWith('\r\n')) return text.slice(0, -2);
  return text.endsWith('\n') || text.endsWith('\r') ? text.slice(0, -1) : text;
}
