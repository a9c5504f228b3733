import { TumaError } from '../../domain/errors.ts';
import type { MediaRequest, MediaResult, ToldMedia } from './account-api.ts';
import { readRefusal, type V2Rules, wordsIn } from './v2-answer.ts';
import { CutBody, MOST_ANSWER_BYTES, type V2Opened, wholeAnswer } from './v2-connection.ts';

/** For the answer to begin … */
const ANSWER_MS = 60_000;
/** … and for the file, over a line of 100 kB a second. */
const SLOWEST_BYTES_A_MS = 100;

/** The longest time for a file of so many bytes, in milliseconds. */
export function mediaDeadlineMs(maxBytes: number): number {
  return ANSWER_MS + Math.ceil(maxBytes / SLOWEST_BYTES_A_MS);
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const GONE = [404, 410];
const WEB_PAGE = /html/;
/** `application/json`, `text/json`, `application/problem+json` … */
const JSON_TYPE = /json$/;
const PROBLEM = 'application/problem+json';
/** Fields of answers beside those of the profile. */
const ANSWER_FIELDS = ['code', 'statuscode', 'success', 'errors', 'detail', 'title', 'type'];

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
  ['application/json', '.json'],
  ['application/pdf', '.pdf'],
  ['text/csv', '.csv'],
  ['text/plain', '.txt'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', '.docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', '.xlsx'],
]);
const TYPES: ReadonlyMap<string, string> = new Map([...EXTENSIONS].map(([type, ending]) => [ending, type]));

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

/** Reads the answer of the media endpoint, and has the file kept. What `keep` throws is thrown. */
export async function readMedia(
  answer: V2Opened,
  { request, rules }: { request: MediaRequest; rules: V2Rules },
): Promise<MediaResult> {
  const { status, contentType, length } = answer;
  try {
    if (status < 200 || status >= 300) return await readNoMedia(answer, rules);
    const unknown = { outcome: 'unknown', httpStatus: status } as const;
    if (status !== 200) return { ...unknown, words: 'not the whole file' };
    if (WEB_PAGE.test(contentType)) return { ...unknown, words: 'a web page instead of a file' };
    if (length !== null && length > request.maxBytes) throw new TooLarge();
    return await readFile(answer, { request, rules });
  } catch (error) {
    return whyNotWhole(error, { request, rules });
  } finally {
    answer.drop();
  }
}

/** Reads the beginning before anything is written, because a short body may be words of the service. */
async function readFile(
  { contentType, body }: V2Opened,
  { request, rules }: { request: MediaRequest; rules: V2Rules },
): Promise<MediaResult> {
  const { told } = request;
  let bytes = 0;
  const rest = upTo(request.maxBytes, body);
  const { head, isWhole } = await beginningOf(rest);
  if (isWhole && head.length === 0) return { outcome: 'no_file', why: 'empty', words: 'an empty file' };
  const text = isWhole ? head.toString('utf8') : null;
  if (isServiceAnswer(text, { contentType, told, rules })) {
    const words = text === null ? null : wordsIn(text, rules);
    return { outcome: 'no_file', why: 'json', words: words ?? 'an answer in JSON instead of a file' };
  }
  async function* all() {
    yield head;
    yield* rest;
  }
  async function* counted() {
    for await (const chunk of all()) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const { ending, mimeType } = typeOf(contentType, told);
  const file = await request.keep({ name: request.id.toLowerCase() + ending, bytes: counted() });
  return { outcome: 'saved', file, bytes, mimeType };
}

class TooLarge extends Error {}

async function* upTo(maxBytes: number, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TooLarge();
    yield chunk;
  }
}

/** The first bytes, more than an answer of the service can have; `isWhole`: there are no others. */
async function beginningOf(body: AsyncGenerator<Buffer>): Promise<{ head: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  for (let bytes = 0; bytes <= MOST_ANSWER_BYTES; ) {
    const next = await body.next();
    if (next.done === true) return { head: Buffer.concat(chunks), isWhole: true };
    bytes += next.value.length;
    chunks.push(next.value);
  }
  return { head: Buffer.concat(chunks), isWhole: false };
}

function whyNotWhole(
  error: unknown,
  { request, rules }: { request: MediaRequest; rules: V2Rules },
): MediaResult {
  if (error instanceof TooLarge) return { outcome: 'too_large', maxBytes: request.maxBytes };
  if (!(error instanceof CutBody)) throw error;
  const words = rules.clean(error.message);
  if (error.givenUp) return { outcome: 'unknown', httpStatus: 200, words };
  return { outcome: 'no_file', why: 'cut', words };
}

async function readNoMedia(opened: V2Opened, rules: V2Rules): Promise<MediaResult> {
  const answer = await wholeAnswer(opened);
  if ('failed' in answer)
    return { outcome: 'unknown', httpStatus: answer.status, words: rules.clean(answer.failed) };
  const refusal = readRefusal(answer, rules);
  if (refusal.outcome !== 'unknown' || !GONE.includes(answer.status)) return refusal;
  return { outcome: 'missing', words: refusal.words };
}

/**
 * The ending and the type of a file: by the answer, else by the webhook's type, else by the ending of the
 * webhook's file name. Nothing else of that name is used, because a stranger chose it (X18).
 */
function typeOf(contentType: string, told: ToldMedia | null): { ending: string; mimeType: string } {
  const ending = endingOf(contentType) ?? toldEnding(told);
  if (ending === null) return { ending: '.bin', mimeType: 'application/octet-stream' };
  return { ending, mimeType: EXTENSIONS.has(contentType) ? contentType : (TYPES.get(ending) ?? '') };
}

/** Null: the type is not on the list. */
function endingOf(type: string): string | null {
  return EXTENSIONS.get(type) ?? (JSON_TYPE.test(type) ? '.json' : null);
}

function toldEnding(told: ToldMedia | null): string | null {
  if (told === null) return null;
  const type = (told.mimeType.split(';')[0] ?? '').trim().toLowerCase();
  return endingOf(type) ?? endingIn(told.fileName);
}

function endingIn(fileName: string): string | null {
  const ending = /\.[a-z\d]{1,5}$/i.exec(fileName)?.[0].toLowerCase().replace('.jpeg', '.jpg') ?? '';
  return TYPES.has(ending) ? ending : null;
}

interface Told {
  contentType: string;
  told: ToldMedia | null;
  rules: V2Rules;
}

/**
 * True: these are words of the service instead of a file. A JSON document of a person is a file. So the
 * webhook's words decide first, and then the look of the JSON. `text` is null for a longer body.
 */
function isServiceAnswer(text: string | null, { contentType, told, rules }: Told): boolean {
  const looks = text === null ? 'document' : looksOf(text, rules);
  if (looks === 'failure') return true;
  const isJson = JSON_TYPE.test(contentType);
  if ((EXTENSIONS.has(contentType) && !isJson) || tellsJson(told)) return false;
  if (looks === 'answer') return true;
  const tellsOther = toldEnding(told) !== null;
  return isJson && (looks === 'no JSON' || contentType === PROBLEM || tellsOther);
}

function tellsJson(told: ToldMedia | null): boolean {
  return toldEnding(told) === '.json' || endingIn(told?.fileName ?? '') === '.json';
}

/** An answer has only fields of answers, and a failure says so. Any other JSON is a document. */
function looksOf(
  text: string,
  { profile, readAnswer }: V2Rules,
): 'failure' | 'answer' | 'document' | 'no JSON' {
  const { fields, failure_words: failures } = profile.v2;
  const names = [...fields.words, ...fields.status, ...ANSWER_FIELDS];
  const value = parsed(text);
  if (value === undefined) return 'no JSON';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'document';
  const given = Object.entries(value).filter(([, content]) => content !== null);
  if (!given.every(([name]) => names.includes(name.toLowerCase().replace(/[-_\s]/g, '')))) return 'document';
  const status = readAnswer(text, '')?.status?.trim().toLowerCase() ?? '';
  return failures.includes(status) ? 'failure' : 'answer';
}

/** Undefined: no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch {
    return undefined;
  }
}
