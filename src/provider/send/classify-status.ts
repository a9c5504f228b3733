import { redirectWords } from '../http/redirect-words.ts';
import { isGivenId } from './read-answer.ts';
import { evidence, isSuccess, refused, unknown, type Judged } from './send-evidence.ts';
import type { Profile } from '../profiles/profile.ts';
import type { SendResult } from '../provider.ts';

/** With these 4xx the request may have been accepted before, as with a server error. */
const LATE = new Set([408, 425]);

/** Reads an answer outside 2xx by its status (rows P8 to P12); the body only chooses a refusal's class. */
export function classifyStatus(judged: Judged): SendResult {
  const { reply, rules, now } = judged;
  const status = reply.status ?? 0;
  // The status refuses and the body accepts, so the fate is unknown.
  if (bodyAccepts(judged)) {
    return unknown('unreadable', { ...judged, words: 'the status refuses, the body accepts' });
  }
  const retryAfterMs = parseRetryAfter(reply.retryAfter, now);
  if (isNotAccepted(status, { retryAfterMs, profile: rules.profile })) {
    return { outcome: 'throttled', retryAfterMs, ...evidence(judged) };
  }
  if (status >= 500 || LATE.has(status)) return unknown('server_error', judged);
  if (status >= 400) return byRefusal(status, judged);
  return refused('request', { ...judged, words: redirectWords(status, rules.profile) });
}

/** A success code, or a messageid: no refusal has one. */
function bodyAccepts(judged: Judged): boolean {
  return isSuccess(judged) || isGivenId(judged.answer.message_id);
}

/** P10, and the statuses that the profile declares as not accepted (P11). */
function isNotAccepted(
  status: number,
  { retryAfterMs, profile }: { retryAfterMs: number | null; profile: Profile },
): boolean {
  if (status === 503 && retryAfterMs !== null) return true;
  return profile.http.throttled.includes(status) || profile.not_accepted.includes(status);
}

function byRefusal(status: number, judged: Judged): SendResult {
  const { answer, rules } = judged;
  const { http } = rules.profile;
  const refusedByStatus = http.credentials.includes(status) || http.refused.includes(status);
  const refusal = rules.readRefusal({ ...answer, refusedByStatus });
  if (http.credentials.includes(status)) {
    return refused(refusal === 'credit' ? 'credit' : 'credentials', judged);
  }
  // "Failed" and similar words are not sure with any status.
  if (answer.code !== null && rules.uncertainCodes.has(answer.code.trim())) {
    return unknown('unlisted_code', judged);
  }
  if (http.refused.includes(status)) return refused(refusal ?? 'request', judged);
  return refusal === null ? unknown('unlisted_code', judged) : refused(refusal, judged);
}

/** The longest wait that a provider can impose on a campaign. */
const MOST_WAIT_MS = 10 * 60_000;

/**
 * Reads a Retry-After header (seconds, or an HTTP date) into milliseconds from `now`, at most ten minutes.
 * Returns null when it is missing or unreadable.
 */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MOST_WAIT_MS);
  // Only the shape of an HTTP date, because Date.parse alone takes "-5" for a year.
  if (!/^[A-Za-z]{3,9},? .*\d\d:\d\d:\d\d/.test(text)) return null;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return null;
  return Math.min(Math.max(until - now, 0), MOST_WAIT_MS);
}
