import type { Advice } from '../domain/advice.ts';
import { TumaError } from '../domain/errors.ts';
import { maskText } from '../domain/text/mask.ts';
import { printable } from '../domain/text/printable.ts';
import type { MediaResult, Unauthorised, UnknownAnswer } from '../provider/account/account-api.ts';

/** The error for a refusal of the v2 API, in words for a person: API document 5.3 and 7. */
export function accountError(answer: Unauthorised | UnknownAnswer): TumaError {
  const words = maskText(printable(answer.words));
  if (answer.outcome === 'unauthorised')
    return new TumaError('credentials', {
      message: `The v2 API refused the credentials: ${words}`,
      hint: 'Wrong, deactivated, expired or deleted: look in the portal (API Keys). TUMA_V2_AUTH says what is sent: TUMA_API_TOKEN, or TUMA_API_KEY and TUMA_API_SECRET.',
    });
  if (answer.httpStatus === null)
    return new TumaError('provider_unreachable', {
      message: `The v2 API did not answer: ${words}`,
      hint: 'Check TUMA_BASE_URL and the network.',
      where: 'TUMA_BASE_URL',
    });
  const status = `HTTP ${answer.httpStatus}`;
  return new TumaError('provider_answer', {
    message: `The v2 API did not give it: ${words.includes(status) ? words : `${status}, ${words}`}`,
    hint: 'Check TUMA_BASE_URL: it is the host in front of /api/v2.',
    where: 'TUMA_BASE_URL',
  });
}

/** The problem and the advice for each kind of answer without a whole file. */
const NO_FILE = {
  empty: {
    message: 'The service gave an empty file',
    hint: 'Run the command again later. If the file stays empty, ask the person to send it again.',
  },
  cut: {
    message: 'The file did not come whole, and nothing of it was kept',
    hint: 'Run the same command again.',
  },
  json: {
    message: 'The service gave no file but words',
    hint: 'Read its words.',
  },
} as const;

/** Why a file could not be downloaded, for a person. */
export function mediaError(result: Exclude<MediaResult, { outcome: 'saved' }>): TumaError {
  if (result.outcome === 'missing')
    return new TumaError('not_found', {
      message: `The service has no file for this message: ${maskText(printable(result.words))}`,
      hint: 'Only chat messages with an image, a document, audio or video have one, and not for ever.',
    });
  if (result.outcome === 'too_large')
    return new TumaError('provider_answer', {
      message: `The file is larger than ${result.maxBytes / 1_000_000} MB and was not kept.`,
      hint: 'TUMA_MEDIA_LIMIT is the limit. Set a higher one, for example 500MB, and run the command again.',
      where: 'TUMA_MEDIA_LIMIT',
    });
  if (result.outcome !== 'no_file') return accountError(result);
  const { message, hint } = NO_FILE[result.why];
  const words = result.why === 'empty' ? '.' : `: ${maskText(printable(result.words))}`;
  const advice: Advice | null = result.why === 'json' ? { action: 'see_inbox' } : null;
  return new TumaError('provider_answer', { message: message + words, hint, advice });
}
