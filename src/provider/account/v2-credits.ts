import { readCredit, type MoneyMicro } from '../../domain/money.ts';
import { amountAlone } from '../send/read-answer.ts';
import type { CreditsResult } from './account-api.ts';
import { readRefusal, wordsIn, type V2Rules } from './v2-answer.ts';
import type { V2Answer } from './v2-connection.ts';

/** Reads the credits endpoint's answer (API document 4.3). The document lacks its body: it is kept raw. */
export function readCredits(answer: V2Answer, rules: V2Rules): CreditsResult {
  if (answer.status < 200 || answer.status >= 300) return readRefusal(answer, rules);
  const body = answer.body?.toString('utf8') ?? null;
  const fault = body === null ? 'a body of more than 64 kB' : faultOf(body, answer.contentType, rules);
  if (body === null || fault !== null)
    return { outcome: 'unknown', httpStatus: answer.status, words: fault ?? '' };
  return { outcome: 'credits', amountMicro: amountOf(body, rules), raw: rules.clean(body) };
}

/** The reason why a body is no answer, whatever its HTTP status; null: it may be one. */
function faultOf(body: string, contentType: string, rules: V2Rules): string | null {
  const text = body.trim();
  if (text === '') return 'an empty answer';
  if (contentType === 'text/html' || text.startsWith('<')) return 'a web page instead of an answer';
  const status = rules.readAnswer(body, '')?.status?.trim().toLowerCase() ?? '';
  if (!rules.profile.v2.failure_words.includes(status)) return null;
  return wordsIn(body, rules) ?? 'a failure without words';
}

/** The amount under a known name, or alone. */
function amountOf(body: string, rules: V2Rules): MoneyMicro | null {
  const text = amountAlone(body) ?? rules.readAnswer(body, '')?.credits ?? null;
  const { currency, profile } = rules;
  const amount = text === null ? null : readCredit(text, { currency, decimal: profile.decimal });
  return typeof amount === 'number' ? amount : null;
}
