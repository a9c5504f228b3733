import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { Secret } from './secret.ts';
import { TumaError } from '../domain/errors.ts';

const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{22,100}$/;

/**
 * The unguessable part of the webhook's address: TUMA_WEBHOOK_TOKEN, else what `$TUMA_HOME/webhook-token`
 * (0600) holds, which is made when it is missing. Of two processes that make it at once both get the same
 * one.
 */
export async function webhookToken(config: Pick<Config, 'home' | 'webhookToken'>): Promise<Secret> {
  if (config.webhookToken !== null) return config.webhookToken;
  const file = join(config.home, 'webhook-token');
  try {
    return (await readToken(file)) ?? (await makeToken(config.home, file));
  } catch (error) {
    if (error instanceof TumaError) throw error;
    throw new TumaError('file_unwritable', {
      message: 'The webhook token cannot be stored.',
      where: file,
      cause: error,
    });
  }
}

async function readToken(file: string): Promise<Secret | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  if (TOKEN.test(text.trim())) return new Secret(text.trim());
  throw new TumaError('config_invalid', {
    message: 'The webhook token is not 22 to 100 letters, digits, - or _.',
    hint: 'Remove the file to have a new one made; the address of the webhook then changes.',
    where: file,
  });
}

/** Written aside and then linked into place: the name never shows a half-written token, and the first one wins. */
async function makeToken(home: string, file: string): Promise<Secret> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(aside, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(aside, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(aside, { force: true });
  }
  const token = await readToken(file);
  if (token === null) throw new Error('the webhook token vanished');
  return token;
}
