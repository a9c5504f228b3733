import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FILE_MAX_BYTES } from '../../contacts/limits.ts';
import { isWorkbook } from '../../contacts/workbook/workbook.ts';
import { TumaError } from '../../domain/errors.ts';
import { printableLine, shortened } from '../../domain/text/printable.ts';
import type { KeptContacts } from './preparation.ts';

/* The folders of preparations: `preparations/<id>/` of the shared folder, for this user only, with the kept contacts. */

const ID = /^[a-z0-9]{8,40}$/;
const MOST_NAME = 120;

/** A file that somebody sends. */
export interface IncomingContacts {
  /** As the sender calls it. Only shown. */
  name: string;
  stream: Readable;
  /** The bytes that the sender announced; null: none. */
  length: number | null;
}

/** The folder of one preparation. Throws `not_found` for a text that is no id of ours. */
export function preparationFolder(sharedFolder: string, id: string): string {
  if (!ID.test(id)) throw new TumaError('not_found', { message: 'There is no such draft.' });
  return join(sharedFolder, 'preparations', id);
}

/**
 * Keeps contacts under a new name in a folder, durably. Throws `contacts_invalid` for a file that is cut, empty, too
 * large or of another kind; then nothing of it stays.
 */
export async function keepContacts(
  folder: string,
  { name, stream, length }: IncomingContacts,
  now: number,
): Promise<KeptContacts> {
  // It may break before anybody reads it.
  stream.on('error', () => undefined);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const incoming = join(folder, `incoming-${randomBytes(8).toString('hex')}`);
  try {
    const { bytes, sha256 } = await write(stream, incoming);
    if (stream.readableAborted || (length !== null && bytes !== length))
      throw refused('It came only in part.');
    if (bytes === 0) throw refused('It is empty.');
    const format = (await isWorkbook(incoming)) ? 'xlsx' : 'csv';
    const file = `contacts-${sha256.slice(0, 16)}`;
    await rename(incoming, join(folder, file));
    await syncFolder(folder);
    const shown = shortened(printableLine(name), MOST_NAME);
    return { name: shown === '' ? file : shown, bytes, at: now, format, sha256, file };
  } catch (error) {
    await rm(incoming, { force: true });
    throw error instanceof TumaError ? withoutPlace(error) : cut(error);
  }
}

async function write(stream: Readable, target: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* bounded(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > FILE_MAX_BYTES) throw refused(`It has more than ${FILE_MAX_BYTES / 1024 / 1024} MB.`);
      hash.update(chunk);
      yield chunk;
    }
  }
  await pipeline(stream, bounded, createWriteStream(target, { mode: 0o600, flags: 'wx', flush: true }));
  return { bytes, sha256: hash.digest('hex') };
}

/** The name of the file is durable after this. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}

function refused(message: string): TumaError {
  return new TumaError('contacts_invalid', {
    message: `The file was not kept: ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    hint: 'Choose it again; a large list can be split into several campaigns.',
  });
}

/** The place is a path of ours, which says nothing to whoever sent the file. */
function withoutPlace({ code, message, hint, advice }: TumaError): TumaError {
  return new TumaError(code, { message, hint, advice });
}

function cut(error: unknown): TumaError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new TumaError('file_unwritable', { message: 'The disk is full.', cause: error });
  return refused('It came only in part.');
}

/** Removes every file of a folder but these. */
export async function removeOthers(folder: string, kept: readonly string[]): Promise<void> {
  const files = await readdir(folder).catch(() => []);
  const others = files.filter((file) => !kept.includes(file));
  for (const file of others) await rm(join(folder, file), { force: true, recursive: true });
}

/** Removes a folder with everything in it. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { force: true, recursive: true });
}

/** The ids of folders that nobody has touched since an instant, in milliseconds. */
export async function foldersBefore(sharedFolder: string, instant: number): Promise<string[]> {
  const parent = join(sharedFolder, 'preparations');
  const ids = await readdir(parent).catch(() => []);
  const old: string[] = [];
  for (const id of ids) {
    const facts = await stat(join(parent, id)).catch(() => null);
    if (facts !== null && facts.mtimeMs < instant) old.push(id);
  }
  return old;
}
