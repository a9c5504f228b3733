import type { NewWebhook } from '../records.ts';
import type { Claim, ClaimStop, OutcomeRecord, OutcomeResult } from '../sending.ts';

/**
 * How the busiest operations cross between the caller and the ledger's thread: as text, which costs a fraction of what
 * a clone of as many objects or arrays of bytes does.
 */

/** A claimed message as it crosses to the caller. */
type CrossingMessage = [
  seq: number,
  mobile: string,
  fields: string[],
  segments: number,
  attempt: number,
  tries: number,
  slotAt: number,
];

/** A claim as it crosses to the caller. */
export interface CrossingClaim {
  /** JSON of CrossingMessage[]. */
  messages: string;
  stop: ClaimStop | null;
  retryAt: number | null;
}

/** Verdicts as they cross to the ledger. */
export type CrossingOutcomes = Omit<OutcomeRecord, 'outcomes'> & {
  /** JSON of Outcome[]. */
  outcomes: string;
};

/** A webhook as it crosses to the ledger: the bytes of its body as a text of one byte a character (latin1). */
export type CrossingWebhook = Omit<NewWebhook, 'body'> & { text: string };

/** The claim that crossed. */
export function fromCrossing({ messages, stop, retryAt }: CrossingClaim): Claim {
  const crossed = JSON.parse(messages) as CrossingMessage[];
  return {
    messages: crossed.map(([seq, mobile, fields, segments, attempt, tries, slotAt]) => ({
      seq,
      mobile,
      fields,
      segments,
      attempt,
      tries,
      slotAt,
    })),
    stop,
    retryAt,
  };
}

/** Makes verdicts ready to cross. */
export function crossingOutcomes(record: OutcomeRecord): CrossingOutcomes {
  return { ...record, outcomes: JSON.stringify(record.outcomes) };
}

/** What became of the verdicts; `stale` holds the places of those that changed nothing. */
export function resultsOf({ outcomes }: OutcomeRecord, stale: number[]): OutcomeResult[] {
  return outcomes.map((_, index) => (stale.includes(index) ? 'stale' : 'recorded'));
}

/** Makes a webhook ready to cross. */
export function crossingWebhook({ body, ...webhook }: NewWebhook): CrossingWebhook {
  const { buffer, byteOffset, length } = body;
  return { ...webhook, text: Buffer.from(buffer, byteOffset, length).toString('latin1') };
}
