import { headerIndex } from './header-line.ts';
import { LINE_END } from './lines.ts';
import { RecordParser, type RecordFormat } from './record-parser.ts';

/** The format of a contacts file, so that its rejects get the same. */
export interface Dialect {
  delimiter: string;
  newline: '\n' | '\r\n' | '\r';
}

/** The first one wins a tie. */
const DELIMITERS = [',', ';', '\t', '|'] as const;
const SNIFFED_RECORDS = 20;
/** Excel's own first line, which names the delimiter. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r|$)/i;

/** The delimiter of Excel's `sep=;` line, and that line's bytes; null: no such line. */
export function readSeparatorLine(head: Buffer): { delimiter: string; bytes: number } | null {
  const match = SEPARATOR_LINE.exec(head.toString('latin1'));
  return match === null ? null : { delimiter: match[1] ?? ',', bytes: match[0].length };
}

/**
 * The delimiter whose header names a mobile. Otherwise the one that most of the first records agree on,
 * otherwise the one with most cells. `head` is the start of the file, in whole lines.
 */
export function sniffDelimiter(
  head: Buffer,
  namesMobile: (cell: string) => boolean,
  place: Pick<RecordFormat, 'path' | 'firstLine'>,
): string {
  let best = { delimiter: ',', score: -1 };
  for (const delimiter of DELIMITERS) {
    const parser = new RecordParser({ ...place, delimiter, shape: null });
    const records = [...parser.push(head), ...parser.end()].map(({ cells }) => cells);
    const first = records.filter((cells) => cells.some((cell) => cell !== '')).slice(0, SNIFFED_RECORDS);
    const score = scoreOf(first, namesMobile);
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/** The ending of the first line. */
export function newlineOf(head: Buffer): Dialect['newline'] {
  return (LINE_END.exec(head.toString('latin1'))?.[0] ?? '\n') as Dialect['newline'];
}

function scoreOf(records: string[][], namesMobile: (cell: string) => boolean): number {
  const [header = [], ...rows] = records.slice(Math.max(0, headerIndex(records, namesMobile)));
  const named = header.some((cell) => namesMobile(cell)) ? 1 : 0;
  if (header.length < 2) return named * 1e6;
  const agreeing = rows.filter((cells) => cells.length === header.length).length;
  const share = rows.length === 0 ? 1 : agreeing / rows.length;
  return named * 1e6 + share * 1e3 + Math.min(header.length, 999);
}
