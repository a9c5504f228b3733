import { createRedactor } from '../http/redact.ts';
import type { Profile } from '../profiles/profile.ts';
import { createAnswerReader, type ReadAnswer } from '../send/read-answer.ts';
import type { Unauthorised, UnknownAnswer } from './account-api.ts';
import type { V2Answer } from './v2-connection.ts';

/** The rules for v2 answers: the profile, prepared once. */
export interface V2Rules {
  profile: Profile;
  /** The currency of the credit. */
  currency: string;
  readAnswer: ReadAnswer<keyof Profile['v2']['fields']>;
  /** One line, at most 2 kB, without credentials and control characters. */
  clean(text: string): string;
}

/** Makes the rules of one account. */
export function createV2Rules(profile: Profile, currency: string, secrets: string[]): V2Rules {
  const redactor = createRedactor(secrets);
  return {
    profile,
    currency,
    readAnswer: createAnswerReader(profile.v2),
    clean: (text) => redactor.clean(text, { message: '', numbers: [] }),
  };
}

/** An answer that does not fit: 401 with the provider's words (API document 5.3 and 7), or unknown. */
export function readRefusal({ status, body }: V2Answer, rules: V2Rules): Unauthorised | UnknownAnswer {
  if (status >= 300 && status < 400)
    return { outcome: 'unknown', httpStatus: status, words: 'a redirect, which is not followed' };
  const words = wordsIn(body?.toString('utf8') ?? '', rules) ?? `HTTP ${status}`;
  if (rules.profile.http.credentials.includes(status)) return { outcome: 'unauthorised', words };
  return { outcome: 'unknown', httpStatus: status, words };
}

/** The provider's own words in a body; null: none. */
export function wordsIn(body: string, rules: V2Rules): string | null {
  const words = rules.readAnswer(body, '')?.words ?? null;
  return words === null ? null : rules.clean(words);
}
