import { type PackedOutcome, packOutcome, unpackOutcome } from '../packed-outcome.ts';
import type { NewMessage, NewWebhook } from '../records.ts';
import type { Claim, ClaimedMessage, ClaimStop, Outcome, OutcomeRecord, OutcomeResult } from '../sending.ts';

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

/** Of a claim that got nothing. */
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

/** A webhook as it crosses to the ledger: the bytes of its body as a text of one byte a character (latin1). */
export type EncodedWebhook = [
  receivedAt: number,
  method: string,
  contentType: string,
  query: string,
  text: string,
  ip: string,
  urgent: boolean,
];

/** Rows of a plan as they cross to the ledger: a column each, because a million objects cost more than they carry. */
export interface EncodedRows {
  lines: number[];
  segments: number[];
  textHashes: (number | null)[];
  /** JSON of mobile, key, occurrence of the first row, then of the second … */
  identities: string;
  /** A JSON array a line: that of `NewMessage.fields`. */
  fields: string;
}

/** A row that crossed; `fields` is JSON. */
export interface DecodedRow extends Omit<NewMessage, 'fields' | 'textHash'> {
  fields: string;
  textHash: number | null;
}

/** Makes rows ready to cross. */
export function encodeRows(rows: readonly NewMessage[]): EncodedRows {
  const identities: string[] = [];
  for (const { mobile, key, occurrence } of rows) identities.push(mobile, key, occurrence);
  return {
    lines: rows.map(({ line }) => line),
    segments: rows.map(({ segments }) => segments),
    textHashes: rows.map(({ textHash }) => textHash ?? null),
    identities: JSON.stringify(identities),
    // JSON holds no line end of its own.
    fields: rows.map(({ fields }) => JSON.stringify(fields)).join('\n'),
  };
}

/** The rows that crossed. */
export function decodeRows({ lines, segments, textHashes, ...rows }: EncodedRows): DecodedRow[] {
  const identities = JSON.parse(rows.identities) as string[];
  const fields = rows.fields.split('\n');
  return lines.map((line, at) => ({
    line,
    mobile: identities[3 * at] as string,
    key: identities[3 * at + 1] as string,
    occurrence: identities[3 * at + 2] as string,
    fields: fields[at] as string,
    segments: segments[at] as number,
    textHash: textHashes[at] as number | null,
  }));
}

/** The claim that crossed. */
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

/** The verdicts that crossed. */
export function decodeOutcomes(outcomes: string): Outcome[] {
  return (JSON.parse(outcomes) as PackedOutcome[]).map(unpackOutcome);
}

/** What became of the verdicts; `stale` holds the places of those that changed nothing. */
export function resultsOf({ outcomes }: OutcomeRecord, stale: number[]): OutcomeResult[] {
  return outcomes.map((_, index) => (stale.includes(index) ? 'stale' : 'recorded'));
}

/** Makes a webhook ready to cross. */
export function encodeWebhook(webhook: NewWebhook): EncodedWebhook {
  const { receivedAt, method, contentType, query, body, ip, urgent = false } = webhook;
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  return [receivedAt, method, contentType, query, text, ip, urgent];
}
