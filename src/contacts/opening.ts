import { contactsInvalid, type ContactRow } from './contact-row.ts';
import { newlineOf, readSeparatorLine, sniffDelimiter, type Dialect } from './dialect.ts';
import { markBytesOf } from './encoding.ts';
import { headerTooLong, mayNameMobile, readHeader, type Header, type HeaderSource } from './header.ts';
import { HEAD_BYTES } from './limits.ts';
import { lastLineEnd } from './lines.ts';
import { RecordParser } from './record-parser.ts';
import type { SourceFile } from './source-file.ts';

/** The known facts of a contacts file after its header. */
export interface Opening {
  source: SourceFile;
  /** The first bytes, after the byte order mark and the `sep=` line. */
  head: Buffer;
  /** Line number of the first byte of `head`, and of the header. */
  firstLine: number;
  headerLine: number;
  header: Header;
  countries: readonly string[];
  dialect: Dialect;
}

/** Reads the start of a file up to its header. Throws `contacts_invalid`, and `job_invalid` for a wrong column. */
export async function readOpening(
  source: SourceFile,
  given: Pick<HeaderSource, 'columns' | 'countries' | 'placeOfColumn'>,
): Promise<Opening> {
  const { path } = source;
  await source.findEncoding();
  const bytes = (await source.read(HEAD_BYTES)) ?? Buffer.alloc(0);
  const markBytes = markBytesOf(bytes);
  const text = bytes.subarray(markBytes);
  const separator = readSeparatorLine(text);
  const head = text.subarray(separator?.bytes ?? 0);
  const firstLine = separator === null ? 1 : 2;
  const sample = source.bytes < HEAD_BYTES ? head : wholeLines(head, path);
  const delimiter =
    separator?.delimiter ?? sniffDelimiter(sample, mayNameMobile(given.columns), { path, firstLine });
  const [record, ...following] = headRecords(sample, { path, delimiter, firstLine });
  const rows = following.filter(({ problem }) => problem === null).map(({ cells }) => cells);
  const header = readHeader(record, { path, rows, ...given });
  const dialect = { delimiter, newline: newlineOf(head) };
  const { countries } = given;
  return { source, head, firstLine, headerLine: record.line, header, countries, dialect };
}

/** The head of a longer file, up to the end of a line. */
function wholeLines(head: Buffer, path: string): Buffer {
  const whole = lastLineEnd(head);
  if (whole === 0) throw headerTooLong({ path, line: 1, column: 1 });
  return head.subarray(0, whole);
}

/** The header and the rows behind it. */
function headRecords(
  sample: Buffer,
  format: { path: string; delimiter: string; firstLine: number },
): [header: ContactRow, ...rows: ContactRow[]] {
  const parser = new RecordParser({ ...format, shape: null });
  const records = [...parser.push(sample), ...parser.end()];
  const at = records.findIndex(({ cells, problem }) => problem !== null || cells.some((cell) => cell !== ''));
  const record = records[at];
  if (record !== undefined) return [record, ...records.slice(at + 1)];
  const place = { path: format.path, line: format.firstLine, column: 1 };
  throw contactsInvalid(place, 'The file holds no header.', 'Its first line must name the columns.');
}
