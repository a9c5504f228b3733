import type { Unauthorised, UnknownAnswer } from './account-api.ts';
import { createAnswerReader, type ReadAnswer } from '../send/answer.ts';
import type { Profile } from '../profiles/profile.ts';
import { createRedactor } from '../http/redact.ts';
import { failureWords, type V2Answer } from './v2-connection.ts';

const MOST_ANSWER_BYTES = 65_536;

/** What v2 answers are read by: the profile, made ready once. */
export interface V2Rules {
  profile: Profile;
  readAnswer: ReadAnswer<keyof Profile['v2']['fields']>;
  /** One line, at most 2 kB, without credentials and control characters. */
  clean(text: string): string;
}

/** Makes the rules of one account. */
export function createV2Rules(profile: Profile, secrets: string[]): V2Rules {
  const redactor = createRedactor(secrets);
  return {
    profile,
    readAnswer: createAnswerReader(profile.v2),
    clean: (text) => redactor.clean(text, { message: '', numbers: [] }),
  };
}

/** An answer that is not what was asked for: 401 with the service's words (API document 5.3 and 7), or unknown. */
export async function readRefusal(answer: V2Answer, rules: V2Rules): Promise<Unauthorised | UnknownAnswer> {
  const { status } = answer;
  if (status >= 300 && status < 400) {
    answer.discard();
    return { outcome: 'unknown', httpStatus: status, words: 'a redirect, which is not followed' };
  }
  const body = await readText(answer);
  const said = typeof body === 'string' ? wordsIn(body, rules) : null;
  const words = said ?? `HTTP ${status}`;
  if (rules.profile.http.credentials.includes(status)) return { outcome: 'unauthorised', words };
  return { outcome: 'unknown', httpStatus: status, words };
}

/** The service's own words in a body; null when it says none. */
export function wordsIn(body: string, rules: V2Rules): string | null {
  const words = rules.readAnswer(body, '')?.words ?? null;
  return words === null ? null : rules.clean(words);
}

/** Whether a body says of itself that the request failed, whatever its HTTP status. */
export function saysFailure(body: string, { readAnswer, profile }: V2Rules): boolean {
  const status = readAnswer(body, '')?.status ?? null;
  return status !== null && profile.v2.failure_words.includes(status.trim().toLowerCase());
}

/** The body as text, at most 64 kB; else why not. */
export async function readText(answer: V2Answer): Promise<string | { words: string }> {
  if (answer.encoded) {
    answer.discard();
    return { words: 'a compressed body, which was not asked for' };
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body) {
      size += chunk.length;
      if (size > MOST_ANSWER_BYTES) return { words: `a body of more than ${MOST_ANSWER_BYTES / 1024} kB` };
      chunks.push(chunk);
    }
  } catch (error) {
    return { words: failureWords(error) };
  }
  return Buffer.concat(chunks).toString('utf8');
}
