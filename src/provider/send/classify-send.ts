import { withAllWords, isGivenId } from './answer.ts';
import { type MoneyMicro, parseMoney } from '../../domain/money.ts';
import { classifyStatus } from './classify-status.ts';
import { classifyFailure } from './failure.ts';
import {
  clean,
  cleanShort,
  evidence,
  isSuccess,
  NO_ANSWER,
  refused,
  UNREADABLE,
  unknown,
  type Judged,
} from './send-evidence.ts';
import type { SendResult } from '../provider.ts';

/** Said when an answer names another number than the one that was sent to (row P15). */
const WRONG_NUMBER = 'the answer names another number';

/**
 * A million of any currency. No message costs so much: a number of something else stands in the place of its cost, and a
 * few sums of such are more than the ledger's totals can be read with.
 */
const MOST_COST_MICRO: MoneyMicro = 1_000_000 * 1_000_000;

/** Decides what became of one message, by rows P1 to P17 of the answers that a provider can give. */
export function classifySend(exchange: Omit<Judged, 'answer' | 'words'>): SendResult {
  const { reply, request, rules } = exchange;
  if (reply.error !== null) return failed({ ...exchange, answer: NO_ANSWER });
  const answer = reply.encoded ? null : withAllWords(rules.readAnswer(reply.body, request.message));
  const judged: Judged = { request, reply, now: exchange.now, rules, answer: answer ?? NO_ANSWER };
  if (namesAnother(judged)) return unknown('unreadable', { ...judged, words: WRONG_NUMBER });
  if (!isFine(reply.status)) return classifyStatus(judged);
  return answer === null ? unreadable(judged) : byBody(judged);
}

/** P1 to P4, P14: no whole answer. The marker decides. */
function failed(judged: Judged): SendResult {
  const { words, ...failure } = classifyFailure(judged.reply);
  return { ...failure, ...evidence({ ...judged, words }) };
}

/** A success must name our number or none; in a refusal only another real number is a reason for doubt. */
function namesAnother(judged: Judged): boolean {
  const { answer, request } = judged;
  if (answer.mobile === null || sameNumber(request.mobile, answer.mobile)) return false;
  return isSuccess(judged) || looksLikeNumber(answer.mobile);
}

function isFine(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function unreadable(judged: Judged): SendResult {
  const words = judged.reply.encoded ? 'the answer is compressed' : UNREADABLE;
  return unknown('unreadable', { ...judged, words });
}

function byBody(judged: Judged): SendResult {
  if (isSuccess(judged)) return bySuccess(judged);
  const refusal = judged.rules.readRefusal(judged.answer);
  if (refusal !== null) return refused(refusal, judged);
  return unknown(judged.answer.code === null ? 'unreadable' : 'unlisted_code', judged);
}

function bySuccess(judged: Judged): SendResult {
  const { message_id: messageId } = judged.answer;
  if (!isGivenId(messageId)) {
    return unknown('unreadable', { ...judged, words: 'success without a messageid' });
  }
  if (judged.rules.redactor.holdsSecret(messageId)) {
    return unknown('unreadable', { ...judged, words: 'the messageid holds a credential' });
  }
  return accepted(messageId, judged);
}

/** P5, P16, P17. The messageid is kept as it came, to the last digit. */
function accepted(messageId: string, judged: Judged): SendResult {
  const { reply, answer } = judged;
  const costMicro = costOf(answer.cost);
  const flags: string[] = [];
  if (answer.mobile === null) flags.push('no_mobile_echoed');
  if (costMicro === null) flags.push('cost_unreadable');
  return {
    outcome: 'accepted',
    messageId,
    network: cleanShort(answer.network, judged),
    costMicro,
    flags,
    httpStatus: reply.status,
    code: cleanShort(answer.code, judged),
    words: clean(answer.words ?? '', judged),
    // A plain acceptance has nothing that its own fields do not say.
    raw: flags.length === 0 ? null : clean(reply.body, judged),
  };
}

function costOf(text: string | null): MoneyMicro | null {
  const costMicro = text === null ? null : parseMoney(text);
  return costMicro === null || costMicro > MOST_COST_MICRO ? null : costMicro;
}

/** A country code has one to three digits. */
const MOST_COUNTRY_DIGITS = 3;
/** Fewer digits than this are no subscriber's number: an extension, a code, a zero put in for "none". */
const FEWEST_DIGITS = 7;

/**
 * Whether an echoed number is the one that was sent: `sent` is international digits, `echoed` any of the three shapes of
 * the API document 2.1, or with a plus or `00`. A national number must be all of `sent` but its country code.
 */
export function sameNumber(sent: string, echoed: string): boolean {
  const bare = echoed.replace(/[\s().-]/g, '').replace(/^tel:/, '');
  const international = bare.replace(/^(?:\+|00)/, '');
  if (international === sent) return true;
  if (international !== bare) return false;
  const national = bare.replace(/^0/, '');
  return sent.length - national.length <= MOST_COUNTRY_DIGITS && sent.endsWith(national);
}

/** Whether a text could be somebody's number at all. */
export function looksLikeNumber(text: string): boolean {
  return text.replace(/\D/g, '').length >= FEWEST_DIGITS;
}
