import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TumaError } from '../../domain/errors.ts';

/**
 * Everything that a file is ever called, by its media type. Whatever else the service declares is `.bin`, so that no browser
 * or program opens a file that its sender made for it.
 */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', '.jpg'],
  ['image/png', '.png'],
  ['image/gif', '.gif'],
  ['image/webp', '.webp'],
  ['audio/aac', '.aac'],
  ['audio/amr', '.amr'],
  ['audio/mp4', '.m4a'],
  ['audio/mpeg', '.mp3'],
  ['audio/ogg', '.ogg'],
  ['video/3gpp', '.3gp'],
  ['video/mp4', '.mp4'],
  ['application/pdf', '.pdf'],
  ['text/csv', '.csv'],
  ['text/plain', '.txt'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', '.docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', '.xlsx'],
]);
const UNLISTED = 'application/octet-stream';

/** Where a download goes. */
export interface MediaPlace {
  /** The record's id: the file's name where only a folder is given. */
  id: string;
  /** A folder or a file. */
  out: string;
  /** The media type that the service declares; empty when it declares none. */
  declared: string;
  maxBytes: number;
}

/** The file, or why there is none. */
export type Kept = { file: string; bytes: number; mimeType: string } | { none: 'too_large' | 'empty' };

/**
 * Streams a body into a file that only we can read, beside its place, and moves it there when it is whole. Whatever
 * fails, nothing is left behind and what was there before stays. What the sender called it has no say in the name.
 * Throws `file_unwritable`, and whatever the body throws.
 */
export async function keepMedia(body: AsyncIterable<Buffer>, place: MediaPlace): Promise<Kept> {
  const { folder, name } = await placeOf(place.out);
  const aside = join(folder, `.${place.id}.${process.pid}.${randomBytes(4).toString('hex')}`);
  try {
    const bytes = await writeAside(aside, { body, maxBytes: place.maxBytes });
    if (bytes === 0) return { none: 'empty' };
    if (bytes > place.maxBytes) return { none: 'too_large' };
    const mimeType = EXTENSIONS.has(place.declared) ? place.declared : UNLISTED;
    const file = join(folder, name ?? place.id + (EXTENSIONS.get(mimeType) ?? '.bin'));
    await rename(aside, file);
    return { file, bytes, mimeType };
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

/** How many bytes came, which are all of them or, past the bound, enough to tell. */
async function writeAside(
  aside: string,
  { body, maxBytes }: { body: AsyncIterable<Buffer>; maxBytes: number },
): Promise<number> {
  const handle = await open(aside, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of marked(body)) {
      bytes += chunk.length;
      if (bytes > maxBytes) return bytes;
      await handle.writeFile(chunk);
    }
    await handle.sync();
    return bytes;
  } finally {
    await handle.close();
  }
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
