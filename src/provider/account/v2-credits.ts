import { parseMoney, type MoneyMicro } from '../../domain/money.ts';
import type { CreditsResult } from './account-api.ts';
import { parseExactly } from '../send/answer.ts';
import { readRefusal, readText, saysFailure, wordsIn, type V2Rules } from './v2-answer.ts';
import type { V2Answer } from './v2-connection.ts';

const MOST_FIELDS = 50;
const MOST_DEPTH = 4;
const MOST_VALUE_CHARS = 200;

/** Reads the answer of the credits endpoint (API document 4.3). Its body is not shown there: it is kept raw. */
export async function readCredits(answer: V2Answer, rules: V2Rules): Promise<CreditsResult> {
  if (answer.status < 200 || answer.status >= 300) return readRefusal(answer, rules);
  const unknown = (words: string): CreditsResult => ({
    outcome: 'unknown',
    httpStatus: answer.status,
    words,
  });
  const body = await readText(answer);
  if (typeof body !== 'string') return unknown(body.words);
  if (body.trim() === '') return unknown('an empty answer');
  if (answer.contentType === 'text/html' || body.trimStart().startsWith('<'))
    return unknown('a web page instead of an answer');
  if (saysFailure(body, rules)) return unknown(wordsIn(body, rules) ?? 'a failure without words');
  return {
    outcome: 'credits',
    amountMicro: amountOf(body, rules),
    raw: rules.clean(body),
    fields: fieldsOf(parseExactly(body), rules),
  };
}

/** The amount, where one stands plainly under a known name, or alone. */
function amountOf(body: string, rules: V2Rules): MoneyMicro | null {
  const parsed = parseExactly(body);
  if (typeof parsed === 'number' || typeof parsed === 'string') return parseMoney(String(parsed));
  const credits = rules.readAnswer(body, '')?.credits ?? null;
  return credits === null ? null : parseMoney(credits);
}

/** Every plain value with its path, in the order of the body. */
function fieldsOf(value: unknown, rules: V2Rules): Record<string, string> {
  const fields: [string, string][] = [];
  const walk = (inner: unknown, path: string[]): void => {
    if (fields.length >= MOST_FIELDS || path.length > MOST_DEPTH) return;
    if (typeof inner === 'object' && inner !== null) {
      for (const [key, child] of Object.entries(inner)) walk(child, [...path, key]);
    } else if (path.length > 0) {
      fields.push([rules.clean(path.join('.')), rules.clean(String(inner)).slice(0, MOST_VALUE_CHARS)]);
    }
  };
  walk(value, []);
  return Object.fromEntries(fields);
}
