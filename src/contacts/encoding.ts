import { isUtf8 } from 'node:buffer';
import { contactsInvalid, type Place } from './place.ts';

/** How the bytes of a file become text. `markBytes` is the length of the byte order mark, 0 without one. */
export interface EncodingFound {
  isUtf16: boolean;
  markBytes: number;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARK = Buffer.from([0xff, 0xfe]);
const SAVE_AS_CSV = 'Open it in a spreadsheet and save it as "CSV UTF-8".';
/** What people rename to .csv: first bytes, and what it is. */
const WORKBOOKS: readonly [Buffer, string][] = [
  [Buffer.from('PK\x03\x04'), 'a zip archive or an Excel workbook (.xlsx)'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'an old Excel workbook (.xls)'],
];

/** Refuses a workbook under the name of a CSV. `head` is the start of the file. */
export function refuseWorkbooks(head: Buffer, path: string): void {
  for (const [magic, name] of WORKBOOKS) {
    if (!beginsWith(head, magic)) continue;
    throw contactsInvalid({ path, line: 1, column: 1 }, `This is not a CSV: it is ${name}.`, SAVE_AS_CSV);
  }
}

/** By the byte order mark; without one it is UTF-8. Any other encoding is refused later, by a byte that no UTF-8 text has. */
export function findEncoding(head: Buffer): EncodingFound {
  if (beginsWith(head, UTF16_MARK)) return { isUtf16: true, markBytes: UTF16_MARK.length };
  return { isUtf16: false, markBytes: beginsWith(head, UTF8_MARK) ? UTF8_MARK.length : 0 };
}

function beginsWith(head: Buffer, begins: Buffer): boolean {
  return head.subarray(0, begins.length).equals(begins);
}

/** Turns UTF-16 bytes (the low byte first), as they come, into UTF-8 bytes. */
export class Utf16ToUtf8 {
  readonly #place: Place;
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#place = { path, line: 1, column: 1 };
  }

  /** Throws `contacts_invalid` at half of a character pair. */
  push(bytes: Buffer): Buffer {
    const all = Buffer.concat([this.#rest, bytes]);
    let end = all.length - (all.length % 2);
    // The second half of a pair may still be on its way.
    if (end >= 2 && isHighSurrogate(all.readUInt16LE(end - 2))) end -= 2;
    this.#rest = Buffer.from(all.subarray(end));
    return this.#toUtf8(all.toString('utf16le', 0, end));
  }

  end(): void {
    if (this.#rest.length > 0) throw this.#broken();
  }

  #toUtf8(text: string): Buffer {
    const broken = text.isWellFormed() ? -1 : text.search(/\p{Surrogate}/u);
    const lines = (broken === -1 ? text : text.slice(0, broken)).split('\n');
    const last = (lines.at(-1) ?? '').length;
    this.#place.column = lines.length === 1 ? this.#place.column + last : last + 1;
    this.#place.line += lines.length - 1;
    if (broken !== -1) throw this.#broken();
    return Buffer.from(text);
  }

  #broken(): Error {
    return contactsInvalid(this.#place, 'Half of a UTF-16 character stands here.', SAVE_AS_CSV);
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Throws `contacts_invalid` at a zero byte. `place` is that of the first byte, which begins a line. */
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
  const hint = `It looks like a Windows or Latin encoding. ${SAVE_AS_CSV}`;
  throw contactsInvalid(placeAt(bytes, wrong, place), `The byte 0x${code} here is not UTF-8.`, hint);
}

function firstInvalidByte(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  for (let at = text.indexOf('\uFFFD'); at !== -1; at = text.indexOf('\uFFFD', at + 1)) {
    // Until the first broken byte, text and bytes correspond; a replacement mark may also stand in the file itself.
    const offset = Buffer.byteLength(text.slice(0, at));
    if (!bytes.subarray(offset, offset + 3).equals(Buffer.from('\uFFFD'))) return offset;
  }
  return bytes.length - 1;
}

/** `start` is where a line begins. */
function placeAt(bytes: Buffer, offset: number, start: Place): Place {
  const before = bytes.toString('utf8', 0, offset).split(/\r\n|\n|\r/);
  const column = (before.at(-1) ?? '').length + 1;
  return { path: start.path, line: start.line + before.length - 1, column };
}
