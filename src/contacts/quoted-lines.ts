import { CR, LF, lineEnd } from './lines.ts';

/* The lines of a block that csv-parse must read. */

const QUOTE = 0x22;
const SPACE = 0x20;
const LAST_ASCII = 0x7f;
/** Plain lines of this many bytes between two quotation marks are worth a restart of csv-parse (10 µs). */
const QUOTE_GAP_BYTES = 1_024;
/** The bytes given to csv-parse at once. A bad row starts a new run, so this bounds its cost. */
const QUOTED_RUN_BYTES = 16 * 1024;

/** The start of the next line with a cell that may start with a quotation mark; else the block's length. */
export function nextQuotedLine(block: Buffer, from: number, delimiter: string): number {
  const delimiterByte = delimiter.charCodeAt(0);
  let quote = block.indexOf(QUOTE, from);
  while (quote !== -1 && !mayOpen(block, quote, delimiterByte)) quote = block.indexOf(QUOTE, quote + 1);
  if (quote === -1) return block.length;
  let start = quote;
  while (start > from && block[start - 1] !== LF && block[start - 1] !== CR) start--;
  return start;
}

/** The end of the run of quoted lines that starts at `from`. */
export function quotedRunEnd(block: Buffer, from: number): number {
  let end = lineEnd(block, from);
  while (end - from < QUOTED_RUN_BYTES) {
    const quote = block.indexOf(QUOTE, end);
    if (quote === -1 || quote - end > QUOTE_GAP_BYTES) return end;
    end = lineEnd(block, quote);
  }
  return end;
}

function mayOpen(block: Buffer, quote: number, delimiterByte: number): boolean {
  for (let before = quote - 1; before >= 0; before--) {
    const byte = block[before] ?? 0;
    // A byte above ASCII may end a wide blank: csv-parse shall decide.
    if (byte === delimiterByte || byte === LF || byte === CR || byte > LAST_ASCII) return true;
    if (byte > SPACE) return false;
  }
  return true;
}
