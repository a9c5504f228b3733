import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TumaError } from '../domain/errors.ts';
import { fileTypeOf, isWebPage, SNIFFED_BYTES } from './v2-file-type.ts';
import type { FileType } from './v2-file-type.ts';

/** Where a download goes. */
export interface MediaPlace {
  /** The record's id: the file's name where only a folder is given. */
  id: string;
  /** A folder or a file. */
  out: string;
  maxBytes: number;
  /** Whether a text is the service's word that it failed, whatever type it came as. */
  isFailure: (text: string) => boolean;
}

/** Whether a body was kept, and why not. Never throws for what the body is. */
export type Kept =
  | { kept: true; file: string; bytes: number; mimeType: string }
  | { kept: false; why: 'too_large' | 'empty' | 'web_page' | 'failure' };

/**
 * Streams a body into a file that only we can read, beside its place, and moves it there when it is whole. Whatever
 * fails, nothing is left behind and what was there before stays. What the sender called it has no say in the name.
 * Throws `file_unwritable`, and whatever the body throws.
 */
export async function keepMedia(body: AsyncIterable<Buffer>, place: MediaPlace): Promise<Kept> {
  const { folder, name } = await placeOf(place.out);
  const aside = join(folder, `.${place.id}.${process.pid}.${randomBytes(4).toString('hex')}`);
  try {
    const written = await writeAside(aside, { ...place, body });
    if (!written.kept) return written;
    const file = join(folder, name ?? place.id + written.type.extension);
    await rename(aside, file);
    return { kept: true, file, bytes: written.bytes, mimeType: written.type.mimeType };
  } catch (error) {
    throw error instanceof BodyError ? error.cause : unwritable(place.out, error as NodeJS.ErrnoException);
  } finally {
    // Gone already when it was moved.
    await rm(aside, { force: true }).catch(() => {});
  }
}

async function placeOf(out: string): Promise<{ folder: string; name: string | null }> {
  if (/[/\\]$/.test(out) || (await isFolder(out))) return { folder: out, name: null };
  return { folder: dirname(out), name: basename(out) };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

type Written = { kept: true; bytes: number; type: FileType } | Extract<Kept, { kept: false }>;

async function writeAside(
  aside: string,
  { body, maxBytes, isFailure }: { body: AsyncIterable<Buffer> } & MediaPlace,
): Promise<Written> {
  const handle = await open(aside, 'wx+', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of marked(body)) {
      bytes += chunk.length;
      if (bytes > maxBytes) return { kept: false, why: 'too_large' };
      await handle.writeFile(chunk);
    }
    if (bytes === 0) return { kept: false, why: 'empty' };
    const [head, tail] = await ends(handle, bytes);
    if (isWebPage(head)) return { kept: false, why: 'web_page' };
    if (bytes === head.length && isFailure(head.toString('utf8'))) return { kept: false, why: 'failure' };
    await handle.sync();
    return { kept: true, bytes, type: fileTypeOf({ head, tail }) };
  } finally {
    await handle.close();
  }
}

async function ends(handle: FileHandle, bytes: number): Promise<[head: Buffer, tail: Buffer]> {
  const length = Math.min(bytes, SNIFFED_BYTES);
  const read = async (position: number) =>
    (await handle.read({ buffer: Buffer.alloc(length), position })).buffer;
  return [await read(0), await read(bytes - length)];
}

/** What went wrong on the wire, so that it is not taken for a fault of the disk: both have a code and a syscall. */
class BodyError extends Error {}

async function* marked(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (cause) {
    throw new BodyError('the body ended early', { cause });
  }
}

function unwritable(out: string, error: NodeJS.ErrnoException): TumaError {
  const full = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  return new TumaError('file_unwritable', {
    message: full ? 'The disk is full.' : `The file cannot be written (${error.code ?? 'unknown error'}).`,
    hint: full ? 'Free some space, or write elsewhere.' : 'Check that the folder exists and is yours.',
    where: out,
    cause: error,
  });
}
