import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TumaError } from '../domain/errors.ts';

/** Makes a folder that only this user can read, and missing ones above it. Throws `file_unwritable`. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    throw new TumaError('file_unwritable', {
      message: full ? 'The disk is full.' : `The folder cannot be made (${code}).`,
      hint: full
        ? 'Free some space and run the command again.'
        : 'Point TUMA_HOME at a folder that this user may write.',
      where: path,
      cause: error,
    });
  }
}

/** Selects files of a folder by their names and by the time of their last change. */
export interface Old {
  named: (name: string) => boolean;
  before: number;
}

/** Removes old files from a folder. Never rejects: a file that cannot be removed holds nobody up. */
export async function removeOld(folder: string, { named, before }: Old): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = named(name) ? await lstat(path).catch(() => null) : null;
    if (found !== null && found.mtimeMs < before)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
