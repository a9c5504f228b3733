import { randomBytes } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TumaError } from '../../domain/errors.ts';
import type { MediaRequest, MediaResult } from './account-api.ts';
import { readRefusal, type V2Rules } from './v2-answer.ts';
import type { V2Answer } from './v2-connection.ts';

/** Most bytes of one file. */
export const MOST_MEDIA_BYTES = 25_000_000;
/** Longest time for one file, in milliseconds. */
export const MEDIA_DEADLINE_MS = 60_000;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const GONE = [404, 410];
const WEB_PAGE = /html/;
/** `application/json`, `text/json`, `application/problem+json` … */
const JSON_TYPE = /json$/;

/**
 * The extension of a file, by its media type. Every other type is `.bin`, so that no browser or program opens
 * a file that an attacker made for it.
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

/**
 * The path of a record's file (API document 4.4), built only from its id: Tuma never requests an address from
 * a webhook (X17). Throws `usage` when the id is no UUID.
 */
export function mediaPath(id: string): string {
  if (UUID.test(id)) return `/api/v2/messages/whatsapp/${id}/media`;
  throw new TumaError('usage', {
    message: 'That is not the id of a chat message.',
    hint: 'It is the id field of the inbound record, such as 3f2b8c1e-9d4a-4f6b-8a1c-0e5d7f9b2a34; not its media_url or file name.',
  });
}

/** Reads the answer of the media endpoint into a file. Throws `file_unwritable`. */
export async function readMedia(
  answer: V2Answer,
  { request, rules }: { request: MediaRequest; rules: V2Rules },
): Promise<MediaResult> {
  const { status, contentType, body } = answer;
  if (status < 200 || status >= 300) return readNoMedia(answer, rules);
  const words = unfitWords(answer);
  if (words !== null) return { outcome: 'unknown', httpStatus: status, words };
  if (body === null) return { outcome: 'too_large', maxBytes: request.maxBytes ?? MOST_MEDIA_BYTES };
  const extension = EXTENSIONS.get(contentType);
  const file = await keep(body, request.out, request.id.toLowerCase() + (extension ?? '.bin'));
  const mimeType = extension === undefined ? 'application/octet-stream' : contentType;
  return { outcome: 'saved', file, bytes: body.length, mimeType };
}

/** The reason why this answer holds no file; null: it does. */
function unfitWords({ status, contentType, body }: V2Answer): string | null {
  if (status !== 200) return 'not the whole file';
  if (WEB_PAGE.test(contentType)) return 'a web page instead of a file';
  if (JSON_TYPE.test(contentType)) return 'an answer in JSON instead of a file';
  return body?.length === 0 ? 'an empty file' : null;
}

function readNoMedia(answer: V2Answer, rules: V2Rules): MediaResult {
  const refusal = readRefusal(answer, rules);
  if (refusal.outcome !== 'unknown' || !GONE.includes(answer.status)) return refusal;
  return { outcome: 'missing', words: refusal.words };
}

/**
 * Writes a private file beside its place, and moves it there when it is whole. A failure leaves no file
 * behind, and an older file unchanged. The sender's file name is never used.
 */
async function keep(body: Buffer, out: string, name: string): Promise<string> {
  const isFolder = /[/\\]$/.test(out) || (await stat(out).catch(() => null))?.isDirectory() === true;
  const file = isFolder ? join(out, name) : out;
  const aside = join(dirname(file), `.${basename(name)}.${process.pid}.${randomBytes(4).toString('hex')}`);
  try {
    await writeFile(aside, body, { flag: 'wx', mode: 0o600, flush: true });
    await rename(aside, file);
    return file;
  } catch (error) {
    throw unwritable(out, error as NodeJS.ErrnoException);
  } finally {
    await rm(aside, { force: true }).catch(() => {});
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
