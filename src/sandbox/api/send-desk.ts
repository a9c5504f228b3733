import { type AnswerName, fateOf } from './answers.ts';
import { brokenAnswers } from '../faults/broken-answers.ts';
import { type AnswerFor, type Failure, failureBody, httpAnswers, sendBody, wordsOf } from './http-answers.ts';
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Account } from './account.ts';
import { chance } from '../faults/chance.ts';
import type { Customers } from '../customers/customers.ts';
import { OK, type Answer, type Faults } from '../faults/faults.ts';
import { messageId, numericId } from './message-ids.ts';
import { writeAmount } from '../money.ts';
import type { Settings } from '../options.ts';
import type { ReportPoster } from '../reports/report-poster.ts';
import { checkSend, type CheckedSend } from './send-request.ts';
import type { AcceptedEntry, IgnoredEntry, RefusedEntry } from '../truth/truth-entry.ts';
import type { Truth } from '../truth/truth.ts';
import type { TruthLog } from '../truth/truth-log.ts';

const DELAY_MS = 2_000;
const WRITERS: Record<AnswerName, (reply: AnswerFor) => void> = { ...httpAnswers, ...brokenAnswers };

/** Counts of sends by result. */
export interface SendCounts {
  /** Completely read requests. */
  received: number;
  accepted: number;
  refused: number;
  ignored: number;
}

/** The parts that a send uses. */
export interface DeskParts {
  settings: Settings;
  account: Account;
  faults: Faults;
  truth: TruthLog;
  poster: ReportPoster;
  customers: Customers;
  /** The sends in the truth log count on. */
  past: Truth;
}

/** Handles sends (API document 4.1): checks, chooses the answer, debits, and answers only after the record is written. */
export class SendDesk {
  readonly counts: SendCounts;
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.counts = countsOf(parts.past);
  }

  /** Handles one request, given its parsed body. */
  receive(body: unknown, response: ServerResponse): void {
    this.counts.received += 1;
    const checked = checkSend(body, this.#parts);
    if (!checked.ok) {
      this.#refuse(response, checked);
      return;
    }
    const answer = this.#parts.faults.choose(checked.mobile);
    if (!this.#isTaken(answer, checked.mobile)) this.#turnAway(response, { answer, mobile: checked.mobile });
    else if (this.#parts.account.debit(checked.quote.costMicro)) this.#accept(response, { answer, checked });
    else this.#refuseForCredit(response, { answer, mobile: checked.mobile });
  }

  /** The number decides the coin, so that equal runs end equally. */
  #isTaken(answer: Answer, mobile: string): boolean {
    const fate = fateOf(answer.name, answer.code);
    if (fate !== 'coin') return fate === 'accepted';
    return answer.accepted ?? chance(this.#parts.settings.seed, `coin:${mobile}`) < 0.5;
  }

  #accept(response: ServerResponse, taken: { answer: Answer; checked: CheckedSend }): void {
    const entry = this.#entryOf(taken);
    const { truth, poster, customers } = this.#parts;
    const firstNow = taken.answer.name === 'dlr_before_response';
    truth.append(entry, () => {
      this.counts.accepted += 1;
      customers.answer(entry);
      void poster.schedule(entry, { firstNow }).then(() => {
        this.#answerLater(response, { answer: taken.answer, accepted: entry });
      });
    });
  }

  #entryOf({ answer, checked }: { answer: Answer; checked: CheckedSend }): AcceptedEntry {
    const { account, customers } = this.#parts;
    const { mobile, shortcode } = checked;
    const serial = account.takeSerial();
    const messageid = idFor(answer.name, { serial, last: account.lastMessageId });
    account.lastMessageId = messageid;
    return {
      event: 'accepted',
      at: Date.now(),
      serial,
      messageid,
      mobile,
      shortcode,
      sha256: hash('sha256', checked.text),
      segments: checked.quote.segments,
      network: checked.quote.network,
      cost: writeAmount(checked.quote.costMicro),
      balance: writeAmount(account.balanceMicro),
      answer: answer.name,
      optedOut: customers.hasStopped(mobile) && account.isPromotional(shortcode),
    };
  }

  /** Refuses for lack of credit. An answer with an open fate stays; any other answer becomes 1004. */
  #refuseForCredit(response: ServerResponse, refused: { answer: Answer; mobile: string }): void {
    const { answer, mobile } = refused;
    if (fateOf(answer.name, answer.code) === 'coin') this.#turnAway(response, refused);
    else this.#refuse(response, { failure: { code: '1004', description: wordsOf('1004') }, mobile });
  }

  #refuse(
    response: ServerResponse,
    refused: { failure: Failure; mobile: string | null; httpStatus?: number | undefined },
  ): void {
    const entry: RefusedEntry = {
      event: 'refused',
      at: Date.now(),
      mobile: refused.mobile,
      code: refused.failure.code,
      answer: 'ok',
    };
    this.#parts.truth.append(entry, () => {
      this.counts.refused += 1;
      this.#afterLatency(OK, () => {
        sendBody(response, { status: refused.httpStatus ?? 200, body: failureBody(refused.failure) });
      });
    });
  }

  /** Answers with a fault and does not accept the message. */
  #turnAway(response: ServerResponse, turned: { answer: Answer; mobile: string }): void {
    const { answer, mobile } = turned;
    const base = { at: Date.now(), mobile, answer: answer.name };
    const code = refusalOf(answer);
    const entry: RefusedEntry | IgnoredEntry =
      code === null ? { event: 'ignored', ...base } : { event: 'refused', code, ...base };
    this.#parts.truth.append(entry, () => {
      this.counts[entry.event] += 1;
      this.#answerLater(response, { answer, accepted: null });
    });
  }

  #answerLater(response: ServerResponse, given: { answer: Answer; accepted: AcceptedEntry | null }): void {
    this.#afterLatency(given.answer, () => {
      if (!response.destroyed) WRITERS[given.answer.name]({ response, ...given });
    });
  }

  #afterLatency(answer: Answer, act: () => void): void {
    const extraMs = answer.name === 'delay' ? (answer.ms ?? DELAY_MS) : 0;
    const waitMs = this.#parts.settings.latencyMs + extraMs;
    if (waitMs === 0) act();
    else setTimeout(act, waitMs);
  }
}

function countsOf({ acceptedCount: accepted, refused: byCode, ignoredCount: ignored }: Truth): SendCounts {
  const refused = [...byCode.values()].reduce((sum, count) => sum + count, 0);
  return { received: accepted + refused + ignored, accepted, refused, ignored };
}

function idFor(answer: AnswerName, given: { serial: number; last: string | null }): string {
  if (answer === '200_dup_id' && given.last !== null) return given.last;
  return answer === '200_number_id' ? numericId(given.serial) : messageId(given.serial);
}

/** The code of a clear refusal; null: the answer leaves the fate open. */
function refusalOf(answer: Answer): string | null {
  if (fateOf(answer.name, answer.code) !== 'refused') return null;
  if (answer.name === '200_fail_code') return answer.code;
  return /\d{3}/.exec(answer.name)?.[0] ?? null;
}
