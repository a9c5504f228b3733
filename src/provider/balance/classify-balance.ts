import { maskText } from '../../domain/text/mask.ts';
import { type DecimalMark, readCredit } from '../../domain/money.ts';
import { withAllWords, type Answer, type ReadAnswer } from '../send/read-answer.ts';
import type { Reply } from '../send/exchange.ts';
import { explanationOf } from '../send/explanation.ts';
import { classifyFailure } from '../send/failure.ts';
import type { Profile } from '../profiles/profile.ts';
import type { BalanceResult, RefusalClass, WireEvidence } from '../provider.ts';
import type { Redactor } from '../http/redact.ts';
import { redirectWords } from '../http/redirect-words.ts';
import type { ReadRefusal } from '../send/refusal.ts';

/** The words for a credit such as 1.000, and the row that settles it. */
const TWO_WAYS =
  'the credit can be read in two ways: set the row "decimal" of the profile (TUMA_PROFILE) to "point" or "comma"';

type BalanceRole = keyof Profile['balance']['fields'];

/** The rules for balance answers: the profile, prepared once. */
export interface BalanceRules {
  profile: Profile;
  successCodes: Set<string>;
  readAnswer: ReadAnswer<BalanceRole>;
  readRefusal: ReadRefusal;
  redactor: Redactor;
  /** The provider's way to write amounts. */
  money: { currency: string; decimal: DecimalMark };
}

interface Judged {
  reply: Reply;
  rules: BalanceRules;
  answer: Answer<BalanceRole> | null;
}

/**
 * Reads the answer to a balance call (API document 2.4). Only a plain amount of a named account under a
 * success code counts. Any other answer is unknown, which is neither zero nor infinite (rows M1, M5).
 */
export function classifyBalance(reply: Reply, rules: BalanceRules): BalanceResult {
  if (reply.error !== null) {
    return unknown(classifyFailure(reply).words, { reply, rules, answer: null });
  }
  const status = reply.status ?? 0;
  const answer = reply.encoded ? null : withAllWords(rules.readAnswer(reply.body, ''));
  const judged = { reply, rules, answer };
  if (status < 200 || status >= 300) return byStatus(status, judged);
  if (answer === null) return unknown('the answer cannot be read', judged);
  if (answer.code === null || !rules.successCodes.has(answer.code.trim())) return byCode(answer, judged);
  return bySuccess(answer, judged);
}

function bySuccess(answer: Answer<BalanceRole>, judged: Judged): BalanceResult {
  const creditMicro = answer.credit === null ? null : readCredit(answer.credit, judged.rules.money);
  if (creditMicro === null) return unknown('the credit is not a plain amount', judged);
  if (creditMicro === 'two ways') return unknown(TWO_WAYS, judged);
  // Balance, rate and reservations belong to an account, so money without a named account cannot be spent.
  if (answer.client_id === null) return unknown('the answer does not name the account (clientId)', judged);
  if (judged.rules.redactor.holdsSecret(answer.client_id)) {
    return unknown('the clientId holds a credential', judged);
  }
  return { outcome: 'balance', creditMicro, clientId: answer.client_id.trim() };
}

function byCode(answer: Answer<BalanceRole>, judged: Judged, refusedByStatus = false): BalanceResult {
  const refusal = judged.rules.readRefusal({ ...answer, refusedByStatus });
  return refusal === null ? unknown(saidIn(judged) ?? 'no success code', judged) : refused(refusal, judged);
}

function byStatus(status: number, judged: Judged): BalanceResult {
  const { http } = judged.rules.profile;
  if (http.credentials.includes(status)) return refused('credentials', judged);
  if (http.refused.includes(status) && judged.answer !== null) return byCode(judged.answer, judged, true);
  const isRedirect = status >= 300 && status < 400;
  if (isRedirect) return unknown(redirectWords(status, judged.rules.profile), judged);
  return unknown(saidIn(judged) ?? `HTTP ${status}`, judged);
}

function refused(refusal: RefusalClass, judged: Judged): BalanceResult {
  const words = saidIn(judged) ?? `HTTP ${judged.reply.status}`;
  return { outcome: 'refused', refusal, ...evidence(words, judged) };
}

/** The provider's explanation, for people; null: none. */
function saidIn({ reply, answer }: Judged): string | null {
  if (reply.encoded) return null;
  return explanationOf({ body: reply.body, text: '', words: answer?.words ?? null });
}

function unknown(words: string, judged: Judged): BalanceResult {
  return { outcome: 'unknown', ...evidence(words, judged) };
}

function evidence(words: string, { reply, rules, answer }: Judged): WireEvidence {
  const clean = (text: string) => maskText(rules.redactor.clean(text, { message: '', numbers: [] }));
  return {
    httpStatus: reply.status,
    code: answer?.code == null ? null : clean(answer.code),
    words: clean(words),
    raw: reply.body === '' ? null : clean(reply.body),
  };
}
