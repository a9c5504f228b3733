import type { TumaError } from '../domain/errors.ts';
import { contactsInvalid, type ContactRow, type Place } from './contact-row.ts';
import { newlineOf, readSeparatorLine, sniffDelimiter, type Dialect } from './dialect.ts';
import { markBytesOf } from './encoding.ts';
import { headerTooLong, mayNameMobile, readHeader, type Header, type HeaderSource } from './header.ts';
import { headerIndex } from './header-line.ts';
import { HEAD_BYTES } from './limits.ts';
import { lastLineEnd } from './lines.ts';
import { RecordParser } from './record-parser.ts';
import type { SheetLayout } from './row-judge.ts';
import type { SourceFile } from './source-file.ts';

/** The known facts of a contacts file after its header. */
export interface Opening {
  source: SourceFile;
  /** The first bytes, after the byte order mark and the `sep=` line. */
  head: Buffer;
  /** Line number of the first byte of `head`, and of the header. */
  firstLine: number;
  headerLine: number;
  /** Lines of titles above the header. */
  titleLines: number;
  /** The layout of a workbook's copy; null: no workbook. */
  workbook: SheetLayout | null;
  header: Header;
  countries: readonly string[];
  dialect: Dialect;
}

/** The wishes of a job about the start of its contacts. */
export interface OpeningRequest
  extends Pick<HeaderSource, 'columns' | 'countries' | 'placeOfColumn' | 'isUndecided'> {
  /** The line of the header, from 1; null: it is found. */
  headerLine: number | null;
  workbook: SheetLayout | null;
}

/** Reads the start of a file up to its header. Throws `contacts_invalid`, and `job_invalid` for a wrong column. */
export async function readOpening(source: SourceFile, given: OpeningRequest): Promise<Opening> {
  const { path } = source;
  const { workbook } = given;
  await source.findEncoding();
  const bytes = (await source.read(HEAD_BYTES)) ?? Buffer.alloc(0);
  const markBytes = markBytesOf(bytes);
  const text = bytes.subarray(markBytes);
  const separator = readSeparatorLine(text);
  const head = text.subarray(separator?.bytes ?? 0);
  const firstLine = separator === null ? 1 : 2;
  const sample = source.bytes < HEAD_BYTES ? head : wholeLines(head, path);
  const delimiter = separator?.delimiter ?? delimiterOf(sample, { path, firstLine, ...given });
  const records = headRecords(sample, { path, delimiter, firstLine, workbook });
  const { record, rows, titleLines } = headerOf(records, { path, firstLine, ...given });
  const header = readHeader(record, { path, rows, ...given });
  const dialect = { delimiter, newline: newlineOf(head) };
  const { countries } = given;
  return {
    source,
    head,
    firstLine,
    headerLine: record.line,
    titleLines,
    workbook,
    header,
    countries,
    dialect,
  };
}

/** The head of a longer file, up to the end of a line. */
function wholeLines(head: Buffer, path: string): Buffer {
  const whole = lastLineEnd(head);
  if (whole === 0) throw headerTooLong({ path, line: 1, column: 1 });
  return head.subarray(0, whole);
}

/** The copy of a workbook has commas; the cells of a person's CSV show what it has. */
function delimiterOf(
  sample: Buffer,
  { path, firstLine, columns, workbook }: OpeningRequest & { path: string; firstLine: number },
): string {
  if (workbook !== null) return ',';
  return sniffDelimiter(sample, mayNameMobile(columns), { path, firstLine });
}

/** The first records of the file; of a workbook without the texts behind the values. */
function headRecords(
  sample: Buffer,
  {
    workbook,
    ...format
  }: { path: string; delimiter: string; firstLine: number; workbook: SheetLayout | null },
): ContactRow[] {
  const parser = new RecordParser({ ...format, shape: null });
  const records = [...parser.push(sample), ...parser.end()];
  for (const { cells } of records) cells.splice(workbook?.width ?? cells.length);
  return records;
}

/** The header among the first records, where the job says or where it is found, and the cells of the rows below. */
function headerOf(
  records: readonly ContactRow[],
  { path, firstLine, columns, headerLine }: OpeningRequest & { path: string; firstLine: number },
): { record: ContactRow; rows: string[][]; titleLines: number } {
  const at = headerLine === null ? foundHeader(records, columns) : namedHeader(records, headerLine);
  const record = records[at];
  if (record === undefined) throw noHeader({ path, line: headerLine ?? firstLine, column: 1 }, headerLine);
  const below = records.slice(at + 1).filter(({ problem }) => problem === null);
  const titleLines = records.slice(0, at).filter((each) => !isBlank(each)).length;
  return { record, rows: below.map(({ cells }) => cells), titleLines };
}

/** The index of the header; -1: there is none. A record that cannot be read hides what stands below it. */
function foundHeader(records: readonly ContactRow[], columns: HeaderSource['columns']): number {
  const broken = records.findIndex(({ problem }) => problem !== null);
  const whole = broken === -1 ? records : records.slice(0, broken);
  const found = headerIndex(
    whole.map(({ cells }) => cells),
    mayNameMobile(columns),
  );
  return found === -1 ? broken : found;
}

/** The index of the record on the line that a person names; -1: that line is blank, or far down. */
function namedHeader(records: readonly ContactRow[], wanted: number): number {
  return records.findIndex((record) => record.line === wanted && !isBlank(record));
}

/** A record that cannot be read is not blank. */
function isBlank({ cells, problem }: ContactRow): boolean {
  return problem === null && cells.every((cell) => cell === '');
}

function noHeader(place: Place, wanted: number | null): TumaError {
  if (wanted === null)
    return contactsInvalid(place, 'The file holds no header.', 'Its first line must name the columns.');
  const hint =
    'Write the number of the line that names the columns, or leave `header` out: it is found mostly.';
  return contactsInvalid(
    place,
    `Line ${wanted} of the contacts, which \`header\` names, is no header.`,
    hint,
  );
}
