import type { DecimalMark } from '../../domain/money.ts';
import type { AnswerQuestion } from '../../domain/answer-meaning.ts';
import { questionAbout } from './answer-content.ts';
import { explanationOf } from './explanation.ts';
import type { Answer, ReadAnswer } from './read-answer.ts';
import type { Reply } from './exchange.ts';
import type { Profile } from '../profiles/profile.ts';
import type { RefusalClass, SendRequest, SendResult, WireEvidence } from '../provider.ts';
import type { Redactor } from '../http/redact.ts';
import type { ReadRefusal } from './refusal.ts';

type SendRole = keyof Profile['send']['fields'];
type SendAnswer = Answer<SendRole>;
/** The reason why a message's fate is unknown. */
export type UnknownKind = Extract<SendResult, { outcome: 'unknown' }>['kind'];

/** The rules for answers: the profile, prepared once. */
export interface SendRules {
  profile: Profile;
  successCodes: Set<string>;
  uncertainCodes: Set<string>;
  readAnswer: ReadAnswer<SendRole>;
  readRefusal: ReadRefusal;
  redactor: Redactor;
  /** The provider's way to write amounts. */
  money: { currency: string; decimal: DecimalMark };
}

/** One exchange, and the rules for it. */
export interface Judged {
  request: SendRequest;
  reply: Reply;
  /** Milliseconds since the epoch, for a Retry-After with a date. */
  now: number;
  rules: SendRules;
  /** All null when the body is not one readable object. */
  answer: SendAnswer;
  /** Tuma's own words instead of the provider's. */
  words?: string;
}

/** An answer without readable fields. */
export const NO_ANSWER: SendAnswer = {
  code: null,
  words: null,
  error: null,
  message_id: null,
  mobile: null,
  network: null,
  cost: null,
};

/** Tuma's words for a body that is not one readable object. */
export const UNREADABLE = 'the answer cannot be read';

/** The longest kept code or network. */
const MOST_SHORT_CHARS = 64;
/** Too short for a private part. */
const HARMLESS_CHARS = 8;

/** Refused before any work was done; surely not sent. */
export function refused(refusal: RefusalClass, judged: Judged): SendResult {
  const retryHelps = judged.rules.profile.retry_helps[refusal] ?? false;
  return { outcome: 'refused', refusal, retryHelps, ...evidence(judged) };
}

/** The result of an exchange with an unknown fate. */
export function unknown(kind: UnknownKind, judged: Judged): SendResult {
  const question = questionOf(kind, judged);
  return { outcome: 'unknown', kind, ...evidence(judged), ...(question === null ? {} : { question }) };
}

/** The question for a person about an answer; null: its own content contradicts it, or it may be cut. */
function questionOf(kind: UnknownKind, judged: Judged): AnswerQuestion | null {
  const { request, reply, answer, words, rules } = judged;
  if (reply.encoded || (words !== undefined && words !== UNREADABLE)) return null;
  // A gateway's page says nothing about the message.
  if (kind === 'server_error' && answer.words === null && answer.code === null) return null;
  const { message: text, mobile } = request;
  const said = explanationOf({ body: reply.body, text, words: answer.words });
  const { fields } = rules.profile.send;
  const asked = { body: reply.body, endIsSaid: reply.endIsSaid, mobile, text, fields };
  const shown = said ?? (answer.code === null ? null : '');
  return questionAbout({ ...asked, clean: (each) => clean(each, judged) }, shown);
}

/** The evidence of an exchange, without private parts. */
export function evidence(judged: Judged): WireEvidence {
  const { reply, answer } = judged;
  return {
    httpStatus: reply.status,
    code: cleanShort(answer.code, judged),
    words: clean(wordsFor(judged), judged),
    raw: reply.body === '' ? null : clean(reply.body, judged),
  };
}

/** Tuma's own words if its reading decided, else whatever the provider says. */
function wordsFor({ request, reply, answer, words }: Judged): string {
  if (words !== undefined && words !== UNREADABLE) return words;
  const said = explanationOf({ body: reply.body, text: request.message, words: answer.words });
  return said ?? words ?? `HTTP ${reply.status}`;
}

/** A code or a network's id. */
export function cleanShort(text: string | null, judged: Judged): string | null {
  if (text === null) return null;
  if (text.length < HARMLESS_CHARS && !judged.rules.redactor.holdsSecret(text)) return text;
  return clean(text, judged).slice(0, MOST_SHORT_CHARS);
}

/** The provider's words, or its whole answer. */
export function clean(text: string, { request, rules, answer }: Judged): string {
  const { mobile, message } = request;
  if (rules.redactor.isHarmless(text, message)) return text;
  const echoed = answer.mobile ?? mobile;
  return rules.redactor.clean(text, { message, numbers: [mobile, echoed] });
}

/** A success code, as text or as number. */
export function isSuccess({ answer, rules }: Judged): boolean {
  return answer.code !== null && rules.successCodes.has(answer.code.trim());
}
