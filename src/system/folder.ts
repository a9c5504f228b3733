import { lstat, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TumaError } from '../domain/errors.ts';

/**
 * Makes a folder that only this user can read, and those above it that are missing. Throws `file_unwritable`. One level
 * at a time: Node's recursive mkdir never returns below /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeLevels(path);
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

async function makeLevels(path: string): Promise<void> {
  if (await isThere(path)) return;
  const above = dirname(path);
  if (above !== path) await makeLevels(above);
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another process makes the same one at the same time.
    if (error.code !== 'EEXIST') throw error;
  });
}

/** False: nothing has that name. Rejects where a file stands in the way. */
async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found !== null && !found.isDirectory())
    throw Object.assign(new Error(`${path} is a file`), { code: 'ENOTDIR' });
  return found !== null;
}

/** What is removed of a folder: what is called so, and was made before then. */
export interface Old {
  named: (name: string) => boolean;
  before: number;
}

/** Removes what is old in a folder, all else stays. Never rejects: what cannot be removed holds nobody up. */
export async function removeOld(folder: string, { named, before }: Old): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = named(name) ? await lstat(path).catch(() => null) : null;
    if (found !== null && found.mtimeMs < before)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
