import { randomBytes } from 'node:crypto';
import { type FileHandle, link, lstat, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { TumaError } from '../../domain/errors.ts';
import type { DeclaredFile, MediaFlaw, MediaRequest, MediaResult } from './account-api.ts';
import { readRefusal, type V2Rules, wordsIn } from './v2-answer.ts';
import { MOST_ANSWER_BYTES, type V2Answer, type V2Opening, wholeAnswer } from './v2-connection.ts';

/** Most bytes of one file, where the settings name no other limit. */
export const MOST_MEDIA_BYTES = 100_000_000;
/** Longest time for one file, in milliseconds. */
export const MEDIA_DEADLINE_MS = 600_000;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const GONE = [404, 410];
const WEB_PAGE = /html/;
/** `application/json`, `text/json`, `application/problem+json` … */
const JSON_TYPE = /json$/;

/** Types that say nothing of the content. */
const NO_TYPE = new Set([
  '',
  '*/*',
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/download',
  'application/x-download',
  'application/force-download',
  'application/unknown',
]);

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
  ['application/json', '.json'],
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

/**
 * Reads the answer of the media endpoint into a file: to a private file beside its place, which is moved
 * there when it is whole. A failure leaves no file behind, and an older file unchanged. Throws `usage` where
 * a file must not be replaced, and `file_unwritable`.
 */
export async function readMedia(
  answer: V2Opening,
  { request, rules }: { request: MediaRequest; rules: V2Rules },
): Promise<MediaResult> {
  const { status } = answer;
  if (status < 200 || status >= 300) return readNoMedia(await wholeAnswer(answer), rules);
  const words = unfitWords(answer);
  if (words !== null) return { outcome: 'unknown', httpStatus: status, words };
  const { maxBytes = MOST_MEDIA_BYTES } = request;
  if ((answer.bytes ?? 0) > maxBytes) return { outcome: 'too_large', maxBytes };
  const { ending, mimeType } = kindOf(answer.contentType, request.declared);
  const file = await placeOf(request.out, request.id.toLowerCase() + ending);
  if (request.replace === false && (await isThere(file))) throw refused(file);
  const kept = await keep(answer, { file, maxBytes, request, rules });
  return kept.outcome === 'saved' ? { ...kept, file, mimeType } : kept;
}

type Kept = { outcome: 'saved'; bytes: number } | Exclude<MediaResult, { outcome: 'saved' }>;

async function keep(
  { body, contentType, status }: V2Opening,
  {
    file,
    maxBytes,
    request,
    rules,
  }: { file: string; maxBytes: number; request: MediaRequest; rules: V2Rules },
): Promise<Kept> {
  const aside = join(dirname(file), `.${basename(file)}.${process.pid}.${randomBytes(4).toString('hex')}`);
  try {
    const bytes = await download(body, { aside, out: request.out, maxBytes });
    if (bytes === null) return { outcome: 'too_large', maxBytes };
    const flaw = await flawOf({ aside, bytes, contentType, declared: request.declared ?? {}, rules });
    if (flaw !== null) return { outcome: 'unknown', httpStatus: status, ...flaw };
    await put(aside, file, request);
    return { outcome: 'saved', bytes };
  } finally {
    await rm(aside, { force: true }).catch(() => {});
  }
}

/** The reason why this answer holds no file, without a look into it; null: it may hold one. */
function unfitWords({ status, contentType }: V2Opening): string | null {
  if (status !== 200) return 'not the whole file';
  return WEB_PAGE.test(contentType) ? 'a web page instead of a file' : null;
}

/** The ending and the type, by the answer; by the webhook where the answer does not say. */
function kindOf(contentType: string, declared: DeclaredFile = {}): { ending: string; mimeType: string } {
  const type = JSON_TYPE.test(contentType) ? 'application/json' : contentType;
  const said = NO_TYPE.has(type) ? declaredType(declared) : type;
  const ending = EXTENSIONS.get(said);
  if (ending === undefined) return { ending: '.bin', mimeType: 'application/octet-stream' };
  return { ending, mimeType: said };
}

/** The type that a webhook names, else the one of its file's ending; empty: neither is of the list. */
function declaredType({ mimeType = '', fileName = '' }: DeclaredFile): string {
  const named = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  if (EXTENSIONS.has(named)) return named;
  const ending = extname(fileName.trim()).toLowerCase().replace('.jpeg', '.jpg');
  return [...EXTENSIONS].find(([, each]) => each === ending)?.[0] ?? '';
}

function readNoMedia(answer: V2Answer, rules: V2Rules): MediaResult {
  const refusal = readRefusal(answer, rules);
  if (refusal.outcome !== 'unknown' || !GONE.includes(answer.status)) return refusal;
  return { outcome: 'missing', words: refusal.words };
}

/** The file in a folder, or the named one. */
async function placeOf(out: string, name: string): Promise<string> {
  const isFolder = /[/\\]$/.test(out) || (await stat(out).catch(() => null))?.isDirectory() === true;
  return isFolder ? join(out, name) : out;
}

async function isThere(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null)) !== null;
}

/** Returns the bytes that came; null: there are more than `maxBytes`. */
async function download(
  body: V2Opening['body'],
  { aside, out, maxBytes }: { aside: string; out: string; maxBytes: number },
): Promise<number | null> {
  const handle = await orUnwritable(out, open(aside, 'wx', 0o600));
  try {
    const bytes = await write(body, { handle, out, maxBytes });
    await orUnwritable(out, handle.sync());
    return bytes;
  } finally {
    await handle.close().catch(() => {});
  }
}

async function write(
  body: V2Opening['body'],
  { handle, out, maxBytes }: { handle: FileHandle; out: string; maxBytes: number },
): Promise<number | null> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    await orUnwritable(out, handle.writeFile(chunk));
  }
  return bytes;
}

interface Downloaded {
  aside: string;
  bytes: number;
  contentType: string;
  declared: DeclaredFile;
  rules: V2Rules;
}

const INSTEAD = 'an answer in JSON instead of a file';

interface Flaw {
  flaw: MediaFlaw;
  words: string;
}

/** The reason why what came is no file of a person; null: it is one. */
async function flawOf({ aside, bytes, contentType, declared, rules }: Downloaded): Promise<Flaw | null> {
  if (bytes === 0) return { flaw: 'empty', words: 'an empty file' };
  // The service says nothing so long, and a person may have sent just these bytes.
  if (bytes > MOST_ANSWER_BYTES || declared.fileSize === String(bytes)) return null;
  const body = await readFile(aside, 'utf8');
  const isExpected = declaredType(declared) === 'application/json';
  const words = answerWords(body, { isAnswer: JSON_TYPE.test(contentType) && !isExpected, rules });
  return words === null ? null : { flaw: 'json', words };
}

/**
 * The words of a service that answered in JSON instead of sending the file; null: it did not. A document in
 * JSON is a file like any other, unless it says that something failed. `isAnswer`: nobody declared a document,
 * so words for a person or a status are the service's own.
 */
function answerWords(
  body: string,
  { isAnswer, rules }: { isAnswer: boolean; rules: V2Rules },
): string | null {
  const words = wordsIn(body, rules);
  const status = rules.readAnswer(body, '')?.status?.trim().toLowerCase();
  if (status !== undefined && rules.profile.v2.failure_words.includes(status))
    return words === null ? INSTEAD : `${INSTEAD}: ${words}`;
  if (!isAnswer) return null;
  return words !== null || status !== undefined || !isJsonText(body) ? INSTEAD : null;
}

function isJsonText(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/** File systems without hard links, where a look must do. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Moves the whole file to its place. A link in its place is refused by the system if a file is there. */
async function put(aside: string, file: string, { out, replace = true }: MediaRequest): Promise<void> {
  if (replace) return orUnwritable(out, rename(aside, file));
  try {
    await link(aside, file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || (NO_LINKS.has(code) && (await isThere(file)))) throw refused(file);
    if (!NO_LINKS.has(code)) throw unwritable(out, error as NodeJS.ErrnoException);
    await orUnwritable(out, rename(aside, file));
  }
}

function refused(file: string): TumaError {
  return new TumaError('usage', {
    message: `${file} is not written: it exists.`,
    hint: 'Name another file, or add --force to replace it.',
    where: file,
  });
}

async function orUnwritable<Result>(out: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw unwritable(out, error as NodeJS.ErrnoException);
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
