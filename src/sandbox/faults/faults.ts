import type { AnswerName } from '../api/answers.ts';
import { chance, pick } from './chance.ts';

/** An answer to one message, with its parameters. */
export interface Answer {
  name: AnswerName;
  /** Response code of `200_fail_code`. */
  code: string;
  /** Wait of `delay`; time between two pieces of a slow answer. Null: the answer's own default. */
  ms: number | null;
  retryAfterSeconds: number;
  /** The fate of the message after an answer with an open fate; null: a coin decides. */
  accepted: boolean | null;
}

/** One rule of a fault script. */
export interface FaultRule {
  /** An international number, last digits, or anyone. */
  who: { mobile: string } | { last: string } | 'anyone';
  /** Uses for each number (for anyone: in total); Infinity: always. */
  times: number;
  answer: Answer;
}

/** Chooses the answers. A restart begins to count anew. */
export interface Faults {
  /** The answer for the next request to this number; counts it. */
  choose(mobile: string): Answer;
  /** Whether to reset a new connection at once; counts it. */
  resetsConnection(): boolean;
}

/** The plain success. */
export const OK: Answer = {
  name: 'ok',
  code: '1003',
  ms: null,
  retryAfterSeconds: 1,
  accepted: null,
};

const DRIP_MS = 20;

/** The answers of `rate`, beside hangs. Each concerns its own message only, so none stops a campaign. */
const RATE_ANSWERS: readonly Answer[] = [
  { ...OK, name: '200_fail_code', code: '1003' },
  { ...OK, name: '200_fail_code', code: '1999' },
  { ...OK, name: '200_garbage' },
  { ...OK, name: '200_no_id' },
  { ...OK, name: '200_wrong_mobile' },
  { ...OK, name: '200_bad_cost' },
  { ...OK, name: '500' },
  { ...OK, name: '503_retry_after' },
  { ...OK, name: '429' },
  { ...OK, name: 'rst_on_accept' },
  { ...OK, name: 'rst_after_body' },
  { ...OK, name: 'half_body' },
  { ...OK, name: 'drip', ms: DRIP_MS },
];
const HANG: Answer = { ...OK, name: 'hang' };
const HANG_SHARE = 0.1;

/** No faults: every answer is a success. */
export const noFaults: Faults = { choose: () => OK, resetsConnection: () => false };

/** The fault of a number under a rate; null: none. */
export function drawnFault(draw: { rate: number; seed: number }, mobile: string): Answer | null {
  if (chance(draw.seed, `fault:${mobile}`) >= draw.rate) return null;
  if (chance(draw.seed, `hang:${mobile}`) < HANG_SHARE) return HANG;
  return pick(RATE_ANSWERS, { seed: draw.seed, key: `answer:${mobile}` });
}

/** Faults by rate. A number meets its fault once, so that a retry can succeed; an invalid number stays invalid. */
export function faultsByRate(draw: { rate: number; seed: number }): Faults {
  const met = new Set<string>();
  return {
    choose(mobile) {
      const answer = drawnFault(draw, mobile);
      if (answer === null) return OK;
      if (isRefusedForGood(answer)) return answer;
      if (met.has(mobile)) return OK;
      met.add(mobile);
      return answer;
    },
    resetsConnection: () => false,
  };
}

function isRefusedForGood(answer: Answer): boolean {
  return answer.name === '200_fail_code' && answer.code === '1003';
}

/** Faults by a script: the first matching rule with uses left gives the answer. */
export function faultsByScript(rules: readonly FaultRule[]): Faults {
  const given = new Map<string, number>();
  const use = (rule: FaultRule, mobile: string): boolean => {
    if (rule.times === Infinity) return true;
    const key = `${rules.indexOf(rule)}:${rule.who === 'anyone' ? '' : mobile}`;
    const count = given.get(key) ?? 0;
    if (count >= rule.times) return false;
    given.set(key, count + 1);
    return true;
  };
  return {
    choose(mobile) {
      const rule = rules.find((rule) => !isForConnections(rule) && isFor(rule, mobile) && use(rule, mobile));
      return rule?.answer ?? OK;
    },
    resetsConnection: () => rules.some((rule) => isForConnections(rule) && use(rule, '')),
  };
}

function isFor(rule: FaultRule, mobile: string): boolean {
  if (rule.who === 'anyone') return true;
  return 'mobile' in rule.who ? rule.who.mobile === mobile : mobile.endsWith(rule.who.last);
}

/** A new connection has no number yet, so only a rule for anyone can reset it. */
function isForConnections(rule: FaultRule): boolean {
  return rule.who === 'anyone' && rule.answer.name === 'rst_on_accept';
}
