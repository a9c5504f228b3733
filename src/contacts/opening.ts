import { contactsInvalid, type ContactRow } from './contact-row.ts';
import { newlineOf, readSeparatorLine, sniffDelimiter, type Dialect } from './dialect.ts';
import { markBytesOf, refuseOtherFormats } from './encoding.ts';
import { headerTooLong, mobileNames, readHeader, type Header, type HeaderSource } from './header.ts';
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
  dialect: Dialect;
}

/** Reads the start of a file up to its header. Throws `contacts_invalid`. */
export async function readOpening(source: SourceFile, columns: HeaderSource['columns']): Promise<Opening> {
  const { path } = source;
  const bytes = (await source.read(HEAD_BYTES)) ?? Buffer.alloc(0);
  refuseOtherFormats(bytes, path);
  const markBytes = markBytesOf(bytes);
  const text = bytes.subarray(markBytes);
  const separator = readSeparatorLine(text);
  const head = text.subarray(separator?.bytes ?? 0);
  const firstLine = separator === null ? 1 : 2;
  const sample = source.bytes < HEAD_BYTES ? head : wholeLines(head, path);
  const delimiter = separator?.delimiter ?? sniffDelimiter(sample, mobileNames(columns), { path, firstLine });
  const record = headerRecord(sample, { path, delimiter, firstLine });
  const header = readHeader(record, { path, columns });
  const dialect = { delimiter, newline: newlineOf(head), mark: markBytes > 0 };
  return { source, head, firstLine, headerLine: record.line, header, dialect };
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
