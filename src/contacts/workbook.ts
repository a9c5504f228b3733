import { spawn } from 'node:child_process';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { TumaError } from '../domain/errors.ts';
import { contactsInvalid } from './contact-row.ts';

/* Excel workbooks (.xlsx): checked here, and turned into CSV by a process of their own. */

/** Most rows of a sheet, without its header. */
export const SHEET_ROWS_MAX = 200_000;
/** Largest sum of the parts of a workbook, unpacked. 200,000 rows of eight cells have about 100 MB. */
const UNPACKED_MAX_BYTES = 512 * 1024 * 1024;
/** The end record of a zip archive and its longest comment. */
const END_BYTES = 22 + 65_535;
const END_MARK = Buffer.from('PK\x05\x06');
const ENTRY_MARK = 0x02014b50;
const ENTRY_BYTES = 46;
/** Heap of the process that reads a workbook, in MB. */
const HEAP_MB = 1_024;
const SAVE_AS = 'Save it as an Excel workbook (.xlsx) or as CSV.';

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
 * Writes a sheet (null: the first) of the workbook as CSV into the new file `target`; line n is row n of the sheet.
 * Throws `contacts_invalid` for a workbook that is too large or broken, and for a sheet that is not there.
 */
export async function sheetToCsv(path: string, sheet: string | null, target: string): Promise<void> {
  await refuseTooLarge(path);
  const answer = await runConverter([
    path,
    target,
    String(SHEET_ROWS_MAX),
    ...(sheet === null ? [] : [sheet]),
  ]);
  if ('rows' in answer) return;
  throw refused(path, `This workbook cannot be read: ${answer.problem.replace(/\.$/, '')}.`);
}

async function runConverter(args: string[]): Promise<{ rows: number } | { problem: string }> {
  const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const program = fileURLToPath(new URL(`./workbook-process${ending}`, import.meta.url));
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {},
  });
  const line = await text(child.stdout);
  if (line === '') return { problem: 'reading it takes more memory than is allowed' };
  return JSON.parse(line) as { rows: number } | { problem: string };
}

/** Reads the sizes that the archive declares, before anything is unpacked. */
async function refuseTooLarge(path: string): Promise<void> {
  await using file = await open(path);
  const { size } = await file.stat();
  const tail = await bytesAt(file, Math.max(0, size - END_BYTES), Math.min(size, END_BYTES));
  const end = tail.lastIndexOf(END_MARK);
  if (end === -1) throw refused(path, 'This workbook is not whole: its end is missing.');
  const directory = await bytesAt(file, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
  let unpacked = 0;
  for (let at = 0; at + ENTRY_BYTES <= directory.length && directory.readUInt32LE(at) === ENTRY_MARK; ) {
    unpacked += directory.readUInt32LE(at + 24);
    at += ENTRY_BYTES + [28, 30, 32].reduce((sum, field) => sum + directory.readUInt16LE(at + field), 0);
  }
  if (unpacked <= UNPACKED_MAX_BYTES) return;
  const most = UNPACKED_MAX_BYTES / 1024 / 1024;
  throw refused(path, `This workbook has more than ${most} MB when it is unpacked.`);
}

async function bytesAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

function refused(path: string, message: string): TumaError {
  return contactsInvalid({ path, line: 1, column: 1 }, message, SAVE_AS);
}
