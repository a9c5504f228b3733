import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TumaError } from '../domain/errors.ts';
import { Secret } from './secret.ts';

const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{22,100}$/;

/** A file of the home that holds a secret, and its words for errors. */
export interface SecretFile {
  file: string;
  /** Such as `The webhook token`. */
  subject: string;
  /** What removing the file changes, in a sentence. */
  removed: string;
}

/**
 * Reads a secret of the home (0600), and makes it when it is missing. Of two processes that make it at once both get
 * the same one. Throws `file_unwritable` or `config_invalid`.
 */
export async function secretInFile(place: SecretFile): Promise<Secret> {
  try {
    return (await readToken(place)) ?? (await makeToken(place));
  } catch (error) {
    if (error instanceof TumaError) throw error;
    const message = `${place.subject} cannot be stored.`;
    throw new TumaError('file_unwritable', { message, where: place.file, cause: error });
  }
}

async function readToken({ file, subject, removed }: SecretFile): Promise<Secret | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  if (TOKEN.test(text.trim())) return new Secret(text.trim());
  throw new TumaError('config_invalid', {
    message: `${subject} is not 22 to 100 letters, digits, - or _.`,
    hint: `Remove the file to have a new one made; ${removed}`,
    where: file,
  });
}

/** Written aside and then linked into place: the name never shows a half-written token, and the first one wins. */
async function makeToken(place: SecretFile): Promise<Secret> {
  const { file } = place;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(aside, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(aside, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(aside, { force: true });
  }
  const token = await readToken(place);
  if (token === null) throw new Error('the token vanished');
  return token;
}
