import { TumaError } from '../../domain/errors.ts';
import type { MediaRequest, MediaResult, UnknownAnswer } from './account-api.ts';
import { readRefusal, type V2Rules } from './v2-answer.ts';
import { failureWords, type V2Answer } from './v2-connection.ts';
import { keepMedia } from './v2-media-file.ts';

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
    const place = { id: request.id.toLowerCase(), out: request.out, declared: answer.contentType, maxBytes };
    const kept = await keepMedia(answer.body, place);
    if ('file' in kept) return { outcome: 'saved', ...kept };
    return kept.none === 'empty' ? unknown(answer, 'an empty file') : { outcome: 'too_large', maxBytes };
  } catch (error) {
    if (error instanceof TumaError) throw error;
    return unknown(answer, rules.clean(failureWords(error)));
  } finally {
    answer.discard();
  }
}

function unknown({ status }: V2Answer, words: string): UnknownAnswer {
  return { outcome: 'unknown', httpStatus: status, words };
}

const WEB_PAGES = ['text/html', 'application/xhtml+xml'];
/** `application/json`, `text/json`, `application/problem+json` … */
const JSON_TYPE = /[/+](?:x-)?json$/;

/** What a file never comes as. */
function unfitWords({ encoded, contentType }: V2Answer): string | null {
  if (encoded) return 'a compressed body, which was not asked for';
  if (WEB_PAGES.includes(contentType)) return 'a web page instead of a file';
  return JSON_TYPE.test(contentType) ? 'an answer in JSON instead of a file' : null;
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
