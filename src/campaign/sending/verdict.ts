import { backoffMs } from '../../domain/pace/pace.ts';
import { type ReasonOf, REFUSED, type RejectedReason } from '../../domain/message-reason.ts';
import { reasonText, type RowReason } from '../../domain/row-reason.ts';
import { strangersWords } from '../../domain/text/mask.ts';
import type { PauseReason, RetryPolicy } from '../../domain/campaign.ts';
import type { AttemptRef, OrderedPause, Outcome } from '../../ledger/contracts/sending.ts';
import type { Env } from '../env.ts';
import type { SendResult, WireEvidence } from '../../provider/provider.ts';

/*
 * The second of two steps. First, src/provider/send/classify-send.ts reads the provider's answer. Then this
 * file decides its consequences for the message, the campaign and the provider's health.
 */

/** The consequences of an answer for its message, its campaign and the provider's health. */
export interface Verdict {
  outcome: Outcome;
  /** Pauses the campaign in the same commit. */
  pause: PauseReason | null;
  /** A complaint pauses the campaign when it repeats (consecutive-failures.ts). Null: the count restarts. */
  complaint: Complaint | null;
  health: 'well' | 'ill' | 'neutral';
  /** The time without dispatches after a throttle, in milliseconds; null: none. */
  holdMs: number | null;
}

/** A fault that probably concerns more than one message. */
export type Complaint = 'sender' | 'unlisted_code' | 'unreadable' | `request:${string}`;

/** The attempt that an answer belongs to. */
export interface AttemptFacts {
  campaign: number;
  seq: number;
  attempt: number;
  segments: number;
  tries: number;
  sendMs: number | null;
}

/** The other values that a verdict depends on. */
export interface VerdictContext {
  retry: RetryPolicy;
  /** Wall clock, milliseconds. */
  now: number;
  /** Uniform in [0, 1). */
  random: number;
}

const DEFAULT_HOLD_MS = 1_000;
/** A message refused because of the account comes back soon after the campaign resumes. */
const RETURN_MS = 1_000;

/** Decides by the rows P1 to P18 of docs/state-machines.md. Pure. */
export function decide(result: SendResult, facts: AttemptFacts, context: VerdictContext): Verdict {
  switch (result.outcome) {
    case 'accepted':
      return accepted(result, facts);
    case 'refused':
      return refused(result, facts, context);
    case 'throttled':
      return throttled(result, facts, context);
    case 'not_sent':
      return notSent(result, facts, context);
    case 'unknown':
      return unknown(result, facts);
    default:
      return result satisfies never;
  }
}

/** The result of a call that throws: the message may have left. */
export function failedCall(log: Env['log'], error: unknown): SendResult {
  // The error's message may hold a phone number or a text, which must not reach the log.
  log.error(
    { error: error instanceof Error ? error.name : 'unknown' },
    'a call of the provider failed in Tuma',
  );
  const seen = { httpStatus: null, code: null, words: 'the call failed in Tuma', raw: null };
  return { outcome: 'unknown', kind: 'unreadable', ...seen };
}

/** The pause that an outcome asks for. */
export function pauseBy({ campaign, evidence }: Outcome, reason: PauseReason): OrderedPause {
  const words = evidence?.words;
  return words === undefined ? { campaign, reason } : { campaign, reason, words };
}

/** The outcome of a claimed message that was not dispatched. Without a request it was not sent. */
export function putBack(of: AttemptRef, reason: ReasonOf<'queued'>, notBefore: number): Outcome {
  const unsent = identity({ ...of, sendMs: null });
  return { ...unsent, evidence: null, to: 'queued', reason, notBefore, countsAsTry: false };
}

/** The outcome of a claimed message whose text cannot be rendered. */
export function unrenderable(facts: AttemptFacts, row: RowReason): Outcome {
  const reason = reasonText(row);
  return { ...identity(facts), evidence: null, to: 'rejected', reason, retryHelps: false };
}

/** Written out without copies, because nearly every message takes this path. */
function accepted(result: SendResult & { outcome: 'accepted' }, facts: AttemptFacts): Verdict {
  const { messageId, network, costMicro, flags } = result;
  const { campaign, seq, attempt, sendMs, segments } = facts;
  const evidence = flags.length > 0 ? evidenceOf(result) : null;
  const outcome: Outcome = {
    campaign,
    seq,
    attempt,
    sendMs,
    evidence,
    to: 'sent',
    messageId,
    network,
    costMicro,
    segments,
    flags,
  };
  return { outcome, pause: null, complaint: null, health: 'well', holdMs: null };
}

function refused(
  result: SendResult & { outcome: 'refused' },
  facts: AttemptFacts,
  context: VerdictContext,
): Verdict {
  const base = { ...identity(facts), evidence: evidenceOf(result) };
  // Only the profile proves that nothing was sent. A person's mapping may be wrong, so no machine sends again.
  const back =
    result.question === undefined
      ? ({ to: 'queued', notBefore: context.now + RETURN_MS, countsAsTry: false } as const)
      : ({ to: 'rejected', retryHelps: true } as const);
  switch (result.refusal) {
    case 'credentials':
      return { ...PLAIN, outcome: { ...base, ...back, reason: REFUSED.credentials }, pause: 'credentials' };
    case 'credit':
      return { ...PLAIN, outcome: { ...base, ...back, reason: REFUSED.credit }, pause: 'balance' };
    case 'sender':
      return { ...PLAIN, outcome: { ...base, ...back, reason: REFUSED.sender }, complaint: 'sender' };
    case 'request':
      return requestRefused(result, base);
    case 'contact':
    case 'network':
    case 'opted_out': {
      const reason = REFUSED[result.refusal];
      return {
        ...PLAIN,
        outcome: { ...base, to: 'rejected', reason, retryHelps: result.retryHelps },
        health: 'well',
      };
    }
    default:
      return result.refusal satisfies never;
  }
}

function requestRefused(
  result: SendResult & { outcome: 'refused' },
  base: ReturnType<typeof identity> & { evidence: Evidence },
): Verdict {
  const code = result.code ?? String(result.httpStatus ?? '');
  const redirected = result.httpStatus !== null && result.httpStatus >= 300 && result.httpStatus < 400;
  const reason: RejectedReason = redirected ? `redirected (${code})` : `request refused (${code})`;
  return {
    ...PLAIN,
    outcome: { ...base, to: 'rejected', reason, retryHelps: result.retryHelps },
    pause: redirected ? 'errors' : null,
    complaint: `request:${code}`,
  };
}

function throttled(
  result: SendResult & { outcome: 'throttled' },
  facts: AttemptFacts,
  { retry, now, random }: VerdictContext,
): Verdict {
  const base = { ...identity(facts), evidence: evidenceOf(result) };
  const holdMs = result.retryAfterMs ?? DEFAULT_HOLD_MS;
  const tries = facts.tries + 1;
  if (tries >= retry.attempts) {
    const end = { to: 'rejected', reason: `gave up after ${tries}`, retryHelps: true } as const;
    return { ...PLAIN, outcome: { ...base, ...end }, holdMs };
  }
  const notBefore = now + Math.max(holdMs, backoffMs(retry, tries, random));
  return {
    ...PLAIN,
    outcome: { ...base, to: 'queued', reason: 'throttled', notBefore, countsAsTry: true },
    holdMs,
  };
}

function notSent(
  result: SendResult & { outcome: 'not_sent' },
  facts: AttemptFacts,
  { retry, now, random }: VerdictContext,
): Verdict {
  const notBefore = now + backoffMs({ ...retry, mostMs: retry.firstMs }, 1, random);
  const reason = result.fatal ? 'could not be requested' : 'no connection';
  const outcome: Outcome = {
    ...identity(facts),
    evidence: evidenceOf(result),
    to: 'queued',
    reason,
    notBefore,
    countsAsTry: false,
  };
  return { ...PLAIN, outcome, health: 'ill', pause: result.fatal ? 'errors' : null };
}

const UNCERTAIN_WORDS = {
  deadline: 'no answer in time',
  lost: 'answer lost',
  server_error: 'server error',
  unreadable: 'answer unreadable',
  unlisted_code: 'unlisted code',
  mapped_accepted: 'unlisted code',
} as const;

function unknown(result: SendResult & { outcome: 'unknown' }, facts: AttemptFacts): Verdict {
  const outcome: Outcome = {
    ...identity(facts),
    evidence: evidenceOf(result),
    to: 'uncertain',
    reason: UNCERTAIN_WORDS[result.kind],
  };
  if (result.kind === 'unreadable' || result.kind === 'unlisted_code')
    return { ...PLAIN, outcome, complaint: result.kind };
  if (result.kind === 'mapped_accepted') return { ...PLAIN, outcome, health: 'well' };
  return { ...PLAIN, outcome, health: 'ill' };
}

const PLAIN = { pause: null, complaint: null, health: 'neutral', holdMs: null } as const;

type Evidence = NonNullable<Outcome['evidence']>;

function identity({ campaign, seq, attempt, sendMs }: AttemptRef & { sendMs: number | null }) {
  return { campaign, seq, attempt, sendMs };
}

function evidenceOf({ httpStatus, code, raw, words, question }: WireEvidence): Evidence {
  const said = strangersWords(words);
  return {
    httpStatus,
    code,
    raw: raw ?? words,
    ...(said === '' ? {} : { words: said }),
    ...(question === undefined ? {} : { question }),
  };
}
