import { mkdir } from 'node:fs/promises';
import { TumaError } from '../domain/errors.ts';

/** Makes a folder that only this user can read, and missing ones above it. Throws `file_unwritable`. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw folderError(path, error);
  }
}

/** The error of a folder that cannot be made. */
export function folderError(path: string, error: unknown): TumaError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new TumaError('file_unwritable', {
    message: full ? 'The disk is full.' : `The folder cannot be made (${code}).`,
    hint: full
      ? 'Free some space and run the command again.'
      : 'Point TUMA_HOME at a folder that this user may write.',
    where: path,
    cause: error,
  });
}
