import { CsvError, parse } from 'csv-parse/sync';
import { foldName } from '../domain/text/template-fields.ts';
import { RECORD_MAX_BYTES } from './limits.ts';
import { lineEnd } from './lines.ts';

/** How a contacts file is written, so that its rejects can be written alike. */
export interface Dialect {
  delimiter: string;
  newline: '\n' | '\r\n' | '\r';
  /** Whether the file starts with a byte order mark. */
  mark: boolean;
}

/** Never csv-parse's own discovery, which takes letters for delimiters. The first one wins a tie. */
const DELIMITERS = [',', ';', '\t', '|'] as const;
const SNIFFED_RECORDS = 20;
/** Excel's own first line, which names the delimiter. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?[\r\n]*$/i;

/** The delimiter that Excel's `sep=;` line names, and the bytes of that line; null without one. */
export function readSeparatorLine(head: Buffer): { delimiter: string; bytes: number } | null {
  const bytes = lineEnd(head, 0);
  const match = SEPARATOR_LINE.exec(head.toString('latin1', 0, Math.min(bytes, 16)));
  return match === null ? null : { delimiter: match[1] ?? ',', bytes };
}

/**
 * The delimiter under which the header names a mobile, then the one that most of the first records agree on, then the
 * one that makes most cells. `head` is the start of the file.
 */
export function sniffDelimiter(head: Buffer, mobileNames: ReadonlySet<string>): string {
  let best = { delimiter: ',', score: -1 };
  for (const delimiter of DELIMITERS) {
    const score = scoreOf(firstRecords(head, delimiter), mobileNames);
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/** The ending of the first line. */
export function newlineOf(head: Buffer): Dialect['newline'] {
  const end = head.toString('latin1', 0, lineEnd(head, 0));
  if (end.endsWith('\r\n')) return '\r\n';
  return end.endsWith('\r') ? '\r' : '\n';
}

function scoreOf(records: string[][], mobileNames: ReadonlySet<string>): number {
  const [header = [], ...rows] = records;
  const named = header.some((cell) => mobileNames.has(foldName(cell))) ? 1 : 0;
  if (header.length < 2) return named * 1e6;
  const agreeing = rows.filter((cells) => cells.length === header.length).length;
  const share = rows.length === 0 ? 1 : agreeing / rows.length;
  return named * 1e6 + share * 1e3 + Math.min(header.length, 999);
}

function firstRecords(head: Buffer, delimiter: string): string[][] {
  const records: string[][] = [];
  try {
    parse(head, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      to: SNIFFED_RECORDS,
      max_record_size: RECORD_MAX_BYTES,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (cells: string[]) => {
        if (cells.some((cell) => cell !== '')) records.push(cells);
        return null;
      },
    });
  } catch (error) {
    // A quotation mark that is never closed: the records before it tell enough.
    if (!(error instanceof CsvError)) throw error;
  }
  return records;
}
