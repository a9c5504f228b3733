import { TumaError } from '../domain/errors.ts';
import type { MediaRequest, MediaResult, UnknownAnswer } from './account-api.ts';
import { readRefusal, saysFailure } from './v2-answer.ts';
import type { V2Rules } from './v2-answer.ts';
import { failureWords } from './v2-line.ts';
import type { V2Answer } from './v2-line.ts';
import { keepMedia } from './v2-media-file.ts';
import type { Kept } from './v2-media-file.ts';

/** Most bytes of one file. */
export const MOST_MEDIA_BYTES = 25_000_000;
/** Longest time for one file, in milliseconds. */
export const MEDIA_DEADLINE_MS = 60_000;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const GONE = [404, 410];

/**
 * The path of a record's file (API document 4.4), made of nothing but its id: an address that came in a webhook is never
 * asked for (X17). Throws `usage` when the id is no UUID.
 */
export function mediaPath(id: string): string {
  if (UUID.test(id)) return `/api/v2/messages/whatsapp/${id}/media`;
  throw new TumaError('usage', {
    message: 'That is not the id of a chat message.',
    hint: 'It is the id field of the inbound record, such as 3f2b8c1e-9d4a-4f6b-8a1c-0e5d7f9b2a34; not its media_url or file name.',
  });
}

/** Reads the answer of the media endpoint into a file. */
export async function readMedia(
  answer: V2Answer,
  { request, rules }: { request: MediaRequest; rules: V2Rules },
): Promise<MediaResult> {
  if (answer.status !== 200) return readNoMedia(answer, rules);
  const maxBytes = request.maxBytes ?? MOST_MEDIA_BYTES;
  try {
    const words = unfitWords(answer);
    if (words !== null) return unknown(answer, words);
    if ((answer.declaredBytes ?? 0) > maxBytes) return { outcome: 'too_large', maxBytes };
    const id = request.id.toLowerCase();
    const place = { id, out: request.out, maxBytes, isFailure: (text: string) => saysFailure(text, rules) };
    return resultOf(await keepMedia(answer.body, place), { answer, maxBytes });
  } catch (error) {
    if (error instanceof TumaError) throw error;
    return unknown(answer, rules.clean(failureWords(error)));
  } finally {
    answer.discard();
  }
}

function resultOf(kept: Kept, { answer, maxBytes }: { answer: V2Answer; maxBytes: number }): MediaResult {
  if (kept.kept) return { outcome: 'saved', file: kept.file, bytes: kept.bytes, mimeType: kept.mimeType };
  if (kept.why === 'too_large') return { outcome: 'too_large', maxBytes };
  return unknown(answer, NO_FILES[kept.why]);
}

function unknown({ status }: V2Answer, words: string): UnknownAnswer {
  return { outcome: 'unknown', httpStatus: status, words };
}

const NO_FILES = {
  empty: 'an empty file',
  web_page: 'a web page instead of a file',
  failure: 'an answer in JSON instead of a file',
} as const;
/** `application/json`, `text/json`, `application/problem+json` … */
const JSON_TYPE = /[/+](?:x-)?json$/;

/** What a file never comes as. */
function unfitWords({ encoded, contentType }: V2Answer): string | null {
  if (encoded) return 'a compressed body, which was not asked for';
  if (contentType === 'text/html' || contentType === 'application/xhtml+xml') return NO_FILES.web_page;
  return JSON_TYPE.test(contentType) ? NO_FILES.failure : null;
}

async function readNoMedia(answer: V2Answer, rules: V2Rules): Promise<MediaResult> {
  if (answer.status === 204 || answer.status === 206) {
    answer.discard();
    return unknown(answer, 'not the whole file');
  }
  const refusal = await readRefusal(answer, rules);
  if (refusal.outcome === 'unknown' && GONE.includes(answer.status))
    return { outcome: 'missing', words: refusal.words };
  return refusal;
}
