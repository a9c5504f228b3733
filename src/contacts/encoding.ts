import { isUtf8 } from 'node:buffer';
import { contactsInvalid } from './place.ts';
import type { Place } from './place.ts';

/** The encodings that are read. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** How the bytes of a file become text. `markBytes` is the length of the byte order mark, 0 without one. */
export interface EncodingFound {
  encoding: Encoding;
  markBytes: number;
}

const MARKS: readonly [Encoding, readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
const SAVE_AS_CSV = 'Open it in a spreadsheet and save it as "CSV UTF-8".';
/** What people rename to .csv: first bytes, what it is, what to do. */
const OTHER_FORMATS: readonly [Buffer, string, string][] = [
  [Buffer.from('PK\x03\x04'), 'a zip archive or an Excel workbook (.xlsx)', SAVE_AS_CSV],
  [Buffer.from([0x1f, 0x8b]), 'compressed with gzip', 'Decompress it first: gunzip.'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'an old Excel workbook (.xls)', SAVE_AS_CSV],
  [Buffer.from('%PDF'), 'a PDF', 'Ask for the list as a CSV.'],
  [Buffer.from('PAR1'), 'a Parquet file', 'Convert it to CSV first.'],
];
const GUESS_BYTES = 512;

/** Refuses bytes that are another format under the name of a CSV. `head` is the start of the file. */
export function refuseOtherFormats(head: Buffer, path: string): void {
  for (const [magic, name, hint] of OTHER_FORMATS) {
    if (!head.subarray(0, magic.length).equals(magic)) continue;
    throw contactsInvalid({ path, line: 1, column: 1 }, `This is not a CSV: it is ${name}.`, hint);
  }
}

/** By the byte order mark; without one UTF-16 is known by the zero in every second byte of plain letters. */
export function findEncoding(head: Buffer): EncodingFound {
  for (const [encoding, mark] of MARKS) {
    if (mark.every((byte, at) => head[at] === byte)) return { encoding, markBytes: mark.length };
  }
  return { encoding: guessWithoutMark(head.subarray(0, GUESS_BYTES)), markBytes: 0 };
}

function guessWithoutMark(head: Buffer): Encoding {
  let zeroEven = 0;
  let zeroOdd = 0;
  for (let at = 0; at < head.length; at++) {
    if (head[at] !== 0) continue;
    if (at % 2 === 0) zeroEven++;
    else zeroOdd++;
  }
  const most = head.length / 4;
  if (zeroEven === 0 && zeroOdd > most) return 'utf-16le';
  return zeroOdd === 0 && zeroEven > most ? 'utf-16be' : 'utf-8';
}

/** Turns UTF-16 bytes, as they come, into UTF-8 bytes. */
export class Utf16ToUtf8 {
  readonly #bigEndian: boolean;
  readonly #place: Place;
  #rest: Buffer = Buffer.alloc(0);

  constructor(encoding: Encoding, path: string) {
    this.#bigEndian = encoding === 'utf-16be';
    this.#place = { path, line: 1, column: 1 };
  }

  /** Throws `contacts_invalid` at half of a character pair. */
  push(bytes: Buffer): Buffer {
    const all = Buffer.concat([this.#rest, bytes]);
    let end = all.length - (all.length % 2);
    const whole = Buffer.from(all.subarray(0, end));
    if (this.#bigEndian) whole.swap16();
    // The second half of a pair may still be on its way.
    if (end >= 2 && isHighSurrogate(whole.readUInt16LE(end - 2))) end -= 2;
    this.#rest = Buffer.from(all.subarray(end));
    return this.#toUtf8(whole.toString('utf16le', 0, end));
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
