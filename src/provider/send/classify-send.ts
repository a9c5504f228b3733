import { withAllWords, isGivenId } from './read-answer.ts';
import { type MoneyMicro, type ReadAmount, readAmount } from '../../domain/money.ts';
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

/*
 * The first of two steps: this file reads the provider's answer to one message. The second step,
 * src/campaign/sending/verdict.ts, decides the consequences for the message, the campaign and the provider's
 * health.
 */

/** The words for an answer that names another number than the message's (row P15). */
const WRONG_NUMBER = 'the answer names another number';

/**
 * A million of any currency. No message costs so much, so a larger number is not its cost. A few such sums
 * would also exceed the numbers that the ledger's totals can hold.
 */
const MOST_COST_MICRO: MoneyMicro = 1_000_000 * 1_000_000;

/** Reads the provider's answer to one message, by rows P1 to P17 of docs/state-machines.md. */
export function classifySend(exchange: Omit<Judged, 'answer' | 'words'>): SendResult {
  const { reply, request, rules } = exchange;
  if (reply.error !== null) return failed({ ...exchange, answer: NO_ANSWER });
  const answer = reply.encoded ? null : withAllWords(rules.readAnswer(reply.body, request.message));
  const judged: Judged = { request, reply, now: exchange.now, rules, answer: answer ?? NO_ANSWER };
  if (namesAnother(judged)) return unknown('unreadable', { ...judged, words: WRONG_NUMBER });
  if (!isFine(reply.status)) return classifyStatus(judged);
  return answer === null ? unreadable(judged) : byBody(judged);
}

/** P1 to P4, P14: no complete answer. The marker decides. */
function failed(judged: Judged): SendResult {
  const { words, ...failure } = classifyFailure(judged.reply);
  return { ...failure, ...evidence({ ...judged, words }) };
}

/** A success must name the message's number or none. A refusal may name anything but another real number. */
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

/** P5, P16, P17. The messageid is kept exactly, to the last digit. */
function accepted(messageId: string, judged: Judged): SendResult {
  const { reply, answer } = judged;
  const cost = costOf(answer.cost, judged);
  const costMicro = typeof cost === 'number' ? cost : null;
  const flags: string[] = [];
  if (answer.mobile === null) flags.push('no_mobile_echoed');
  if (costMicro === null) flags.push(cost === 'two ways' ? 'cost_two_ways' : 'cost_unreadable');
  return {
    outcome: 'accepted',
    messageId,
    network: cleanShort(answer.network, judged),
    costMicro,
    flags,
    httpStatus: reply.status,
    code: cleanShort(answer.code, judged),
    words: clean(answer.words ?? '', judged),
    // The fields of a plain acceptance say everything.
    raw: flags.length === 0 ? null : clean(reply.body, judged),
  };
}

function costOf(text: string | null, { rules }: Judged): ReadAmount {
  const cost = text === null ? null : readAmount(text, rules.money);
  return typeof cost === 'number' && cost > MOST_COST_MICRO ? null : cost;
}

/** A country code has one to three digits. */
const MOST_COUNTRY_DIGITS = 3;
/** Fewer digits are no subscriber's number, but an extension, a code, or a zero for "none". */
const FEWEST_DIGITS = 7;

/**
 * True: an echoed number is the message's number. `sent` has international digits. `echoed` has any of the
 * three shapes of the API document 2.1, or a plus or `00`. A national number must be all of `sent` without
 * its country code.
 */
export function sameNumber(sent: string, echoed: string): boolean {
  const bare = echoed.replace(/[\s().-]/g, '').replace(/^tel:/, '');
  const international = bare.replace(/^(?:\+|00)/, '');
  if (international === sent) return true;
  if (international !== bare) return false;
  const national = bare.replace(/^0/, '');
  return sent.length - national.length <= MOST_COUNTRY_DIGITS && sent.endsWith(national);
}

/** True: a text may be a phone number. */
export function looksLikeNumber(text: string): boolean {
  return text.replace(/\D/g, '').length >= FEWEST_DIGITS;
}
