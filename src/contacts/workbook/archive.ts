import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';

/* A workbook is a zip archive: its parts are found by the directory at the end, and unpacked piece by piece. */

/** The end record of a zip archive and its longest comment. */
const END_BYTES = 22 + 65_535;
const END_MARK = Buffer.from('PK\x05\x06');
const END_LEAST_BYTES = 22;
const ENTRY_MARK = 0x02014b50;
const ENTRY_BYTES = 46;
const HEADER_BYTES = 30;
/** A directory of more bytes has far more parts than a workbook. */
const DIRECTORY_MAX_BYTES = 16 * 1024 * 1024;
/** Most bytes of one part, unpacked. A full sheet of a million rows with ten cells has less. */
const PART_MAX_BYTES = 2 * 1024 * 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;

/** The message of a workbook that was cut off, or whose directory is wrong. */
export const NOT_WHOLE = 'This workbook is not whole: its end is missing';

/** One part of the archive, as its directory declares it. */
interface Part {
  method: number;
  /** Of its content; 0: the writer left it out. */
  crc: number;
  packed: number;
  /** Of its header in the file. */
  offset: number;
}

/** The parts of a workbook. Nothing is unpacked before it is read. */
export class Archive {
  readonly #path: string;
  readonly #parts: ReadonlyMap<string, Part>;

  constructor(path: string, parts: ReadonlyMap<string, Part>) {
    this.#path = path;
    this.#parts = parts;
  }

  /** Reads the directory. Throws an Error with a sentence for a broken archive. */
  static async open(path: string): Promise<Archive> {
    await using file = await open(path);
    return new Archive(path, await partsOf(file));
  }

  has(name: string): boolean {
    return this.#parts.has(name);
  }

  /** The unpacked pieces of a part; none for a part that is not there. Throws for a damaged one, and past 2 GB. */
  async *pieces(name: string): AsyncGenerator<Buffer> {
    const part = this.#parts.get(name);
    if (part === undefined || part.packed === 0) return;
    const start = await this.#startOf(part);
    // A stream from an open file would close it.
    const packed = createReadStream(this.#path, { start, end: start + part.packed - 1 });
    const pieces = part.method === STORED ? packed : packed.pipe(createInflateRaw());
    packed.on('error', (error) => pieces.destroy(error));
    let [bytes, crc] = [0, 0];
    try {
      for await (const piece of pieces as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > PART_MAX_BYTES)
          throw new Error('one of its parts has more than 2 GB when it is unpacked');
        crc = crc32(piece, crc);
        yield piece;
      }
      if (part.crc !== 0 && part.crc !== crc) throw new Error('one of its parts is damaged');
    } finally {
      packed.destroy();
    }
  }

  async #startOf({ method, offset }: Part): Promise<number> {
    if (method !== STORED && method !== DEFLATED) throw new Error('it is packed in a way that is not known');
    await using file = await open(this.#path);
    const header = await bytesAt(file, offset, HEADER_BYTES);
    if (header.length < HEADER_BYTES) throw new Error(NOT_WHOLE);
    return offset + HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  }
}

async function partsOf(file: FileHandle): Promise<Map<string, Part>> {
  const { size } = await file.stat();
  const tail = await bytesAt(file, Math.max(0, size - END_BYTES), Math.min(size, END_BYTES));
  const end = tail.lastIndexOf(END_MARK);
  if (end === -1 || end + END_LEAST_BYTES > tail.length) throw new Error(NOT_WHOLE);
  const [length, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (length > DIRECTORY_MAX_BYTES || offset + length > size) throw new Error(NOT_WHOLE);
  const directory = await bytesAt(file, offset, length);
  const parts = new Map<string, Part>();
  for (let at = 0; at < directory.length; ) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_MARK)
      throw new Error(NOT_WHOLE);
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength);
    parts.set(name, {
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packed: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    });
    at += ENTRY_BYTES + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return parts;
}

async function bytesAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}
