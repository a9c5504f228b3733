import { type PackedOutcome, packOutcome, unpackOutcome } from '../contracts/packed-outcome.ts';
import type { NewMessage, NewWebhook } from '../contracts/records.ts';
import type {
  Claim,
  ClaimedMessage,
  ClaimStop,
  Outcome,
  OutcomeRecord,
  OutcomeResult,
} from '../contracts/sending.ts';

/**
 * The busiest operations cross between the caller and the ledger's thread as text. A text costs a fraction of
 * a clone of many objects or byte arrays.
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

/** The messages of an empty claim. */
export const NO_MESSAGES = '[]';

/** A claim as it crosses to the caller. */
export interface CrossingClaim {
  /** JSON of CrossingMessage[]. */
  messages: string;
  stop: ClaimStop | null;
  retryAt: number | null;
  rated: boolean;
}

/** Verdicts as they cross to the ledger. */
export type EncodedOutcomes = Omit<OutcomeRecord, 'outcomes'> & {
  /** JSON of PackedOutcome[]. */
  outcomes: string;
};

/** A webhook on its way to the ledger: its body is a text with one byte per character (latin1). */
export type EncodedWebhook = [
  receivedAt: number,
  method: string,
  contentType: string,
  query: string,
  text: string,
  ip: string,
  urgent: boolean,
];

/** Rows of a plan as they cross to the ledger: JSON of CrossingRow[]. */
export type EncodedRows = string;

type CrossingRow = [
  line: number,
  mobile: string,
  key: string,
  occurrence: string,
  fields: string,
  segments: number,
  textHash: number | null,
  others?: readonly string[],
];

/** A decoded row; `fields` is JSON. */
export interface DecodedRow extends Omit<NewMessage, 'fields' | 'others' | 'textHash'> {
  others: readonly string[];
  fields: string;
  textHash: number | null;
}

/** Makes rows ready to cross. */
export function encodeRows(rows: readonly NewMessage[]): EncodedRows {
  const crossing = rows.map(
    ({ line, mobile, key, occurrence, fields, segments, textHash = null, others }) => {
      const row: CrossingRow = [line, mobile, key, occurrence, JSON.stringify(fields), segments, textHash];
      if (others !== undefined) row.push(others);
      return row;
    },
  );
  return JSON.stringify(crossing);
}

const NONE: readonly string[] = [];

/** Decodes rows. */
export function decodeRows(rows: EncodedRows): DecodedRow[] {
  const crossed = JSON.parse(rows) as CrossingRow[];
  return crossed.map(([line, mobile, key, occurrence, fields, segments, textHash, others = NONE]) => {
    return { line, mobile, key, occurrence, fields, segments, textHash, others };
  });
}

/** Decodes a claim. */
export function fromCrossing({ messages, stop, retryAt, rated }: CrossingClaim): Claim {
  const crossed = JSON.parse(messages) as CrossingMessage[];
  const claim: Claim = { messages: crossed.map(messageOf), stop, retryAt };
  if (rated) claim.rated = true;
  return claim;
}

function messageOf([seq, mobile, fields, segments, attempt, tries, slotAt]: CrossingMessage): ClaimedMessage {
  return { seq, mobile, fields, segments, attempt, tries, slotAt };
}

/** Makes verdicts ready to cross. */
export function encodeOutcomes(record: OutcomeRecord): EncodedOutcomes {
  return { ...record, outcomes: JSON.stringify(record.outcomes.map(packOutcome)) };
}

/** Decodes verdicts. */
export function decodeOutcomes(outcomes: string): Outcome[] {
  return (JSON.parse(outcomes) as PackedOutcome[]).map(unpackOutcome);
}

/** The results of the verdicts; `stale` holds the positions of verdicts that changed nothing. */
export function resultsOf({ outcomes }: OutcomeRecord, stale: number[]): OutcomeResult[] {
  return outcomes.map((_, index) => (stale.includes(index) ? 'stale' : 'recorded'));
}

/** Makes a webhook ready to cross. */
export function encodeWebhook(webhook: NewWebhook): EncodedWebhook {
  const { receivedAt, method, contentType, query, body, ip, urgent = false } = webhook;
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  return [receivedAt, method, contentType, query, text, ip, urgent];
}
