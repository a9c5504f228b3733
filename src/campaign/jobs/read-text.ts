import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** A small text file that was read whole, or why not, in words that can follow its name. */
export type TextFile =
  | { ok: true; text: string; bytes: Uint8Array }
  | { ok: false; missing: boolean; problem: string };

/** Reads a regular UTF-8 file of at most `maxBytes`. A byte order mark is not part of the text. */
export async function readText(path: string, maxBytes: number): Promise<TextFile> {
  try {
    // Non-blocking, or opening a pipe would wait for its writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return await readOpened(file, maxBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return { ok: false, missing: true, problem: 'does not exist' };
    if (code === 'EACCES') return { ok: false, missing: false, problem: 'may not be read by this user' };
    return { ok: false, missing: false, problem: `cannot be read (${code ?? 'unknown error'})` };
  }
}

async function readOpened(file: FileHandle, maxBytes: number): Promise<TextFile> {
  if (!(await file.stat()).isFile()) return { ok: false, missing: false, problem: 'is not a regular file' };
  const buffer = new Uint8Array(maxBytes + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < buffer.length; length += read) {
    ({ bytesRead: read } = await file.read(buffer, length));
  }
  if (length > maxBytes) return { ok: false, missing: false, problem: `is larger than ${maxBytes} bytes` };
  const bytes = buffer.subarray(0, length);
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), bytes };
  } catch {
    return { ok: false, missing: false, problem: 'is not UTF-8 text' };
  }
}
