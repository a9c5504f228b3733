import type { ContactRow } from './contact-row.ts';
import { newlineOf, readSeparatorLine, sniffDelimiter, type Dialect } from './dialect.ts';
import { Utf16ToUtf8, findEncoding, refuseWorkbooks } from './encoding.ts';
import { headerTooLong, mobileNames, readHeader, type Header, type HeaderSource } from './header.ts';
import { HEAD_BYTES } from './limits.ts';
import { lastLineEnd } from './lines.ts';
import { contactsInvalid } from './place.ts';
import { RecordParser } from './record-parser.ts';
import type { SourceFile } from './source-file.ts';

/** What is known of a contacts file when its header has been read. */
export interface Opening {
  source: SourceFile;
  /** null: the file is UTF-8 already. */
  toUtf8: Utf16ToUtf8 | null;
  /** The first bytes as UTF-8, behind byte order mark and `sep=` line. */
  head: Buffer;
  /** Line number of the first byte of `head`, and of the header. */
  firstLine: number;
  headerLine: number;
  header: Header;
  dialect: Dialect;
}

/** Reads the start of a file up to its header. Throws `contacts_invalid`. */
export async function readOpening(source: SourceFile, columns: HeaderSource['columns']): Promise<Opening> {
  const { path } = source;
  const bytes = (await source.read(HEAD_BYTES)) ?? Buffer.alloc(0);
  refuseWorkbooks(bytes, path);
  const { isUtf16, markBytes } = findEncoding(bytes);
  const toUtf8 = isUtf16 ? new Utf16ToUtf8(path) : null;
  const text = bytes.subarray(markBytes);
  const start = skipSeparatorLine(toUtf8?.push(text) ?? text);
  const sample = source.bytes < HEAD_BYTES ? start.head : wholeLines(start.head, path);
  const delimiter = start.delimiter ?? sniffDelimiter(sample, mobileNames(columns));
  const record = headerRecord(sample, { path, delimiter, firstLine: start.firstLine });
  const header = readHeader(record, { path, columns });
  const dialect = { delimiter, newline: newlineOf(start.head), mark: markBytes > 0 };
  return {
    source,
    toUtf8,
    head: start.head,
    firstLine: start.firstLine,
    headerLine: record.line,
    header,
    dialect,
  };
}

function skipSeparatorLine(text: Buffer): { head: Buffer; firstLine: number; delimiter: string | null } {
  const separator = readSeparatorLine(text);
  if (separator === null) return { head: text, firstLine: 1, delimiter: null };
  return { head: text.subarray(separator.bytes), firstLine: 2, delimiter: separator.delimiter };
}

/** The head of a longer file, up to the end of a line. */
function wholeLines(head: Buffer, path: string): Buffer {
  const whole = lastLineEnd(head);
  if (whole === 0) throw headerTooLong({ path, line: 1, column: 1 });
  return head.subarray(0, whole);
}

function headerRecord(
  sample: Buffer,
  format: { path: string; delimiter: string; firstLine: number },
): ContactRow {
  const parser = new RecordParser({ ...format, shape: null });
  const records = [...parser.push(sample), ...parser.end()];
  const record = records.find(({ cells, problem }) => problem !== null || cells.some((cell) => cell !== ''));
  if (record !== undefined) return record;
  const place = { path: format.path, line: format.firstLine, column: 1 };
  throw contactsInvalid(place, 'The file holds no header.', 'Its first line must name the columns.');
}
