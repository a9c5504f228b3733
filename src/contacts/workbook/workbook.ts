import { spawn } from 'node:child_process';
import { open, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { TumaError } from '../../domain/errors.ts';
import { contactsInvalid } from '../contact-row.ts';
import { NOT_WHOLE } from './archive.ts';

/* Excel workbooks (.xlsx): turned into CSV by a process of their own. */

/** Heap of the process that reads a workbook, in MB; it also stops by itself at 400 MB in all. */
const HEAP_MB = 256;
const SAVE_AS = 'Save it as an Excel workbook (.xlsx) or as CSV.';

/** What a sheet is, beside its rows. */
export interface SheetFacts {
  /** Its name, and its place among the sheets that a person sees; 0: it is hidden. */
  sheet: { name: string; position: number; of: number };
  /** The names of the sheets that a person sees, in order. */
  sheets: string[];
  rows: number;
  /** Rows that a filter (`isFiltered`) or a person hides. */
  hidden: number;
  isFiltered: boolean;
  /** True: those rows are not in the copy. */
  hiddenLeftOut: boolean;
  /** Cells with a date whose order is that of the computer that shows them. */
  localeDates: number;
  /** Cells of a line of the copy, without those that follow for `shown`. */
  width: number;
  /** Columns whose text is another than their value. The copy has the texts behind its other cells, in this order. */
  shown: number[];
}

/** The wish for a copy: `sheet` null is the first visible one, and `rows` may leave out hidden ones. */
export interface ConverterRequest {
  path: string;
  /** A new file. */
  target: string;
  sheet: string | null;
  rows: 'all' | 'visible';
}

/** What the process prints. */
export type ConverterAnswer = SheetFacts | { problem: string };

/** Whether a file begins as an Excel workbook (.xlsx). Throws `contacts_invalid` for .xls and .ods. */
export async function isWorkbook(path: string): Promise<boolean> {
  // Opening a pipe would wait for its writer.
  if (!(await stat(path)).isFile()) return false;
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(128), 0, 128, 0);
  const head = buffer.toString('latin1', 0, bytesRead);
  if (head.startsWith('\xd0\xcf\x11\xe0'))
    throw refused(path, 'This is an old Excel workbook (.xls), or one with a password.');
  if (!head.startsWith('PK\x03\x04')) return false;
  if (head.includes('opendocument')) throw refused(path, 'This is an OpenDocument file (.ods).');
  return true;
}

/**
 * Writes a sheet of the workbook as CSV; line n is row n of the sheet. Throws `contacts_invalid` for a workbook that
 * is too large or broken, and for a sheet that is not there.
 */
export async function sheetToCsv(request: ConverterRequest): Promise<SheetFacts> {
  const answer = await runConverter(request);
  if (!('problem' in answer)) return answer;
  const problem = answer.problem.replace(/\.$/, '');
  const message = problem === NOT_WHOLE ? `${problem}.` : `This workbook cannot be read: ${problem}.`;
  throw refused(request.path, message);
}

async function runConverter(request: ConverterRequest): Promise<ConverterAnswer> {
  const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const program = fileURLToPath(new URL(`./workbook-process${ending}`, import.meta.url));
  const options = [`--max-old-space-size=${HEAP_MB}`, program, JSON.stringify(request)];
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'ignore'], env: {} });
  const line = await text(child.stdout);
  if (line === '') return { problem: 'reading it takes more memory than is allowed' };
  return JSON.parse(line) as ConverterAnswer;
}

function refused(path: string, message: string): TumaError {
  return contactsInvalid({ path, line: 1, column: 1 }, message, SAVE_AS);
}
