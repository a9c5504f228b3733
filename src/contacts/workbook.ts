import { spawn } from 'node:child_process';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';
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
const END_LEAST_BYTES = 22;
const HEADER_BYTES = 30;
/** A directory of more bytes has far more parts than a workbook. */
const DIRECTORY_MAX_BYTES = 16 * 1024 * 1024;
/** The list of sheets, packed or not. */
const LIST_MAX_BYTES = 4 * 1024 * 1024;
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
 * Writes a sheet (null: the first visible one) of the workbook as CSV into the new file `target`; line n is row n of
 * the sheet. Throws `contacts_invalid` for a workbook that is too large or broken, and for a sheet that is not there.
 */
export async function sheetToCsv(path: string, sheet: string | null, target: string): Promise<void> {
  const which = await sheetArgument(path, sheet);
  const answer = await runConverter([path, target, String(SHEET_ROWS_MAX), which]);
  if ('rows' in answer) return;
  throw refused(path, `This workbook cannot be read: ${answer.problem.replace(/\.$/, '')}.`);
}

/** The sheet as the converter takes it: `#` and its number, or `=` and its name. */
async function sheetArgument(path: string, sheet: string | null): Promise<string> {
  await using file = await open(path);
  const parts = await partsOf(file, path);
  refuseTooLarge(parts, path);
  return sheet === null ? `#${await firstVisible(file, parts).catch(() => 0)}` : `=${sheet}`;
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

/** One part of the archive, as its directory declares it. */
interface Part {
  name: string;
  /** 0: stored, 8: deflated. */
  method: number;
  packed: number;
  unpacked: number;
  /** Of its header in the file. */
  offset: number;
}

/** The parts of the archive, before anything is unpacked. Throws `contacts_invalid` for a broken or too large one. */
async function partsOf(file: FileHandle, path: string): Promise<Part[]> {
  const { size } = await file.stat();
  const tail = await bytesAt(file, Math.max(0, size - END_BYTES), Math.min(size, END_BYTES));
  const end = tail.lastIndexOf(END_MARK);
  const broken = refused(path, 'This workbook is not whole: its end is missing.');
  if (end === -1 || end + END_LEAST_BYTES > tail.length) throw broken;
  const [length, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (length > DIRECTORY_MAX_BYTES || offset + length > size) throw broken;
  const directory = await bytesAt(file, offset, length);
  const parts: Part[] = [];
  for (let at = 0; at < directory.length; ) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_MARK) throw broken;
    const nameLength = directory.readUInt16LE(at + 28);
    parts.push({
      name: directory.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength),
      method: directory.readUInt16LE(at + 10),
      packed: directory.readUInt32LE(at + 20),
      unpacked: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    });
    at += ENTRY_BYTES + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return parts;
}

function refuseTooLarge(parts: Part[], path: string): void {
  const sum = parts.reduce((total, { unpacked }) => total + unpacked, 0);
  if (sum <= UNPACKED_MAX_BYTES) return;
  const most = UNPACKED_MAX_BYTES / 1024 / 1024;
  throw refused(path, `This workbook has more than ${most} MB when it is unpacked.`);
}

/** The number of the first sheet that a person sees; 0 where the list of sheets cannot be read. */
async function firstVisible(file: FileHandle, parts: Part[]): Promise<number> {
  const part = parts.find(({ name }) => name === 'xl/workbook.xml');
  if (part === undefined || part.packed > LIST_MAX_BYTES) return 0;
  const header = await bytesAt(file, part.offset, HEADER_BYTES);
  if (header.length < HEADER_BYTES) return 0;
  const from = part.offset + HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = await bytesAt(file, from, part.packed);
  const list = part.method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: LIST_MAX_BYTES });
  const sheets = [...list.toString('utf8').matchAll(/<(?:\w+:)?sheet\s[^>]*>/g)].map(([sheet]) => sheet);
  return Math.max(
    0,
    sheets.findIndex((sheet) => !/\sstate=["'](?:veryH|h)idden["']/.test(sheet)),
  );
}

async function bytesAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

function refused(path: string, message: string): TumaError {
  return contactsInvalid({ path, line: 1, column: 1 }, message, SAVE_AS);
}
