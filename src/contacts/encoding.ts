import { isAscii, isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { contactsInvalid, type Place } from './contact-row.ts';
import { READ_BYTES } from './limits.ts';

/** The encodings of contacts. Excel on Windows writes its plain CSV in windows-1252. */
export type Encoding = 'utf-8' | 'windows-1252';

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const SAVE_AS_CSV = 'Open it in a spreadsheet and save it as "CSV UTF-8".';
/** Formats that people save as .csv or rename to it: their first bytes and names. */
const OTHER_FORMATS: readonly [Buffer, string][] = [
  [Buffer.from('PK\x03\x04'), 'a zip archive or a spreadsheet (.xlsx, .ods)'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'an old Excel workbook (.xls)'],
  [Buffer.from([0xff, 0xfe]), 'text in UTF-16 ("Unicode text")'],
  [Buffer.from([0xfe, 0xff]), 'text in UTF-16 ("Unicode text")'],
];

/** Refuses another format under the name of a CSV. `head` is the start of the file. */
function refuseOtherFormats(head: Buffer, path: string): void {
  const found = OTHER_FORMATS.find(([magic]) => beginsWith(head, magic));
  if (found === undefined) return;
  const message = `This is not a CSV in UTF-8: it is ${found[1]}.`;
  throw contactsInvalid({ path, line: 1, column: 1 }, message, SAVE_AS_CSV);
}

/** A character of several bytes in UTF-8, as latin1. It hardly ever stands in text of windows-1252. */
const UTF8_CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
/** Zero, and the bytes without a meaning in windows-1252. */
const NO_TEXT = /[\0\x81\x8d\x8f\x90\x9d]/;
/** A character of UTF-8 that is cut between two reads has at most this many bytes before the cut. */
const CUT_BYTES = 3;

/**
 * The encoding of a whole file. It is windows-1252 when it has bytes that are not ASCII, and no character of UTF-8. A
 * byte without a meaning in windows-1252 makes it UTF-8, so that reading it names the place of the first wrong byte.
 * Throws `contacts_invalid`, with `path`, for another format.
 */
export async function encodingOf(file: FileHandle, path: string): Promise<Encoding> {
  const block = Buffer.allocUnsafeSlow(READ_BYTES);
  let [cut, found]: [Buffer, Encoding] = [Buffer.alloc(0), 'utf-8'];
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(block, 0, READ_BYTES, at);
    if (bytesRead === 0) return found;
    if (at === 0) refuseOtherFormats(block.subarray(0, bytesRead), path);
    at += bytesRead;
    const bytes = Buffer.concat([cut, block.subarray(0, bytesRead)]);
    cut = bytes.subarray(-CUT_BYTES);
    if (isAscii(bytes)) continue;
    if (!mayBeWindows(bytes)) return 'utf-8';
    found = 'windows-1252';
  }
}

function mayBeWindows(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  return !UTF8_CHARACTER.test(text) && !NO_TEXT.test(text);
}

/** Bytes of the byte order mark; 0 without one. */
export function markBytesOf(head: Buffer): number {
  return beginsWith(head, UTF8_MARK) ? UTF8_MARK.length : 0;
}

function beginsWith(head: Buffer, begins: Buffer): boolean {
  return head.subarray(0, begins.length).equals(begins);
}

/** Throws `contacts_invalid` at a zero byte. `place` is the start of the first line. */
export function refuseZeroBytes(bytes: Buffer, place: Place): void {
  const zero = bytes.indexOf(0);
  if (zero === -1) return;
  throw contactsInvalid(
    placeAt(bytes, zero, place),
    'A zero byte stands here: this is not text.',
    SAVE_AS_CSV,
  );
}

/** Throws `contacts_invalid` at the first byte that is no UTF-8. `bytes` must not end within a character. */
export function refuseInvalidUtf8(bytes: Buffer, place: Place): void {
  if (isUtf8(bytes)) return;
  const wrong = firstInvalidByte(bytes);
  const code = (bytes[wrong] ?? 0).toString(16).padStart(2, '0');
  const message = `The byte 0x${code} here is not UTF-8, and the rest of the file is.`;
  throw contactsInvalid(placeAt(bytes, wrong, place), message, `Correct this character. ${SAVE_AS_CSV}`);
}

function firstInvalidByte(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  for (let at = text.indexOf('\uFFFD'); at !== -1; at = text.indexOf('\uFFFD', at + 1)) {
    // Text and bytes correspond up to the first broken byte; the file may also hold real replacement marks.
    const offset = Buffer.byteLength(text.slice(0, at));
    if (!bytes.subarray(offset, offset + 3).equals(Buffer.from('\uFFFD'))) return offset;
  }
  return bytes.length - 1;
}

/** `start` is the start of a line. */
function placeAt(bytes: Buffer, offset: number, start: Place): Place {
  const before = bytes.toString('utf8', 0, offset).split(/\r\n|\n|\r/);
  const column = (before.at(-1) ?? '').length + 1;
  return { path: start.path, line: start.line + before.length - 1, column };
}
