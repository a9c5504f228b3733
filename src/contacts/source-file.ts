import { contactsInvalid } from './contact-row.ts';
import { createHash, type Hash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { type Encoding, encodingOf } from './encoding.ts';
import { FILE_MAX_BYTES, READ_BYTES } from './limits.ts';
import { TumaError } from '../domain/errors.ts';

const WINDOWS = new TextDecoder('windows-1252');

interface Opened {
  file: string;
  before: BigIntStats;
}

/**
 * An open contacts file: a regular file of a bounded size, read once from start to end and hashed on the way.
 * A file that changed during the read is refused at the end. It is opened without blocking and checked
 * afterwards, so that no FIFO or device blocks. A symbolic link to a regular file is followed.
 */
export class SourceFile implements AsyncDisposable {
  /** The name in errors. */
  readonly path: string;
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #before: BigIntStats;
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;
  #encoding: Encoding = 'utf-8';

  constructor(path: string, handle: FileHandle, { file, before }: Opened) {
    this.path = path;
    this.#file = file;
    this.#handle = handle;
    this.#before = before;
  }

  /** Opens `file`, which errors call `path`. Throws `contacts_invalid` or `not_found`. */
  static async open(path: string, file = path): Promise<SourceFile> {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
      throw unreadable(path, error);
    });
    try {
      const before = await handle.stat({ bigint: true });
      refuseUnfit(path, before);
      return new SourceFile(path, handle, { file, before });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** UTF-8 until `findEncoding` has looked. */
  get encoding(): Encoding {
    return this.#encoding;
  }

  /** Looks through the whole file for its encoding. Only text needs it, and a hash does not. Throws `contacts_invalid`. */
  async findEncoding(): Promise<void> {
    this.#encoding = await encodingOf(this.#handle, this.path);
  }

  /** Bytes read so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The next bytes as UTF-8; null at the end. */
  async read(wantedBytes = READ_BYTES): Promise<Buffer | null> {
    const bytes = await this.readRaw(wantedBytes);
    return bytes === null || this.#encoding === 'utf-8' ? bytes : Buffer.from(WINDOWS.decode(bytes));
  }

  /** The next bytes of the file, in a buffer of their own; null at the end, after a check that it is unchanged. */
  async readRaw(wantedBytes = READ_BYTES): Promise<Buffer | null> {
    // The extra byte reveals a file that grows.
    const most = Math.min(wantedBytes, Number(this.#before.size) - this.#bytes + 1);
    const buffer = Buffer.allocUnsafeSlow(most);
    const { bytesRead } = await this.#handle.read(buffer, 0, most, null).catch((error: unknown) => {
      throw unreadable(this.path, error);
    });
    if (bytesRead === 0) return this.#finish();
    this.#bytes += bytesRead;
    if (this.#bytes > Number(this.#before.size)) throw this.#changed();
    const bytes = buffer.subarray(0, bytesRead);
    this.#hash.update(bytes);
    return bytes;
  }

  /** Hex sha256 of all bytes; only after `read` has answered null, and only once. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  async #finish(): Promise<null> {
    const after = await this.#handle.stat({ bigint: true });
    const named = await stat(this.#file, { bigint: true }).catch(() => null);
    const same = named?.ino === after.ino && named.dev === after.dev;
    const untouched = after.mtimeNs === this.#before.mtimeNs && BigInt(this.#bytes) === after.size;
    if (!same || !untouched) throw this.#changed();
    return null;
  }

  #changed(): TumaError {
    const place = { path: this.path, line: 1, column: 1 };
    return contactsInvalid(
      place,
      'The file changed while it was being read.',
      'Wait until it is written whole.',
    );
  }
}

/** Hex sha256 of a contacts file, which errors call `path`, under the same bounds as reading it. */
export async function hashFile(path: string, file = path): Promise<string> {
  await using source = await SourceFile.open(path, file);
  while ((await source.readRaw()) !== null);
  return source.digest();
}

function refuseUnfit(path: string, stats: BigIntStats): void {
  const place = { path, line: 1, column: 1 };
  if (!stats.isFile()) {
    throw contactsInvalid(
      place,
      'This is not a regular file.',
      'Name a CSV file; save a pipe to a file first.',
    );
  }
  if (stats.size > FILE_MAX_BYTES) {
    const most = FILE_MAX_BYTES / 1024 / 1024;
    throw contactsInvalid(place, `The file is larger than ${most} MB.`, 'Split it into several campaigns.');
  }
  if (stats.size === 0n) {
    throw contactsInvalid(place, 'The file is empty.', 'Its first line must name the columns.');
  }
}

function unreadable(path: string, error: unknown): TumaError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new TumaError('not_found', { message: `There is no file ${path}.`, where: path, cause: error });
  }
  const place = { path, line: 1, column: 1 };
  const hint = code === 'EACCES' ? 'Give yourself the right to read it.' : 'Name a readable CSV file.';
  return contactsInvalid(place, `The file cannot be read (${code}).`, hint);
}
