import type { NewMessage, NewWebhook } from '../contracts/records.ts';

/**
 * Rows and webhooks cross to the ledger's thread as text. A text costs a fraction of a clone of many objects or byte
 * arrays.
 */

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

/** Makes a webhook ready to cross. */
export function encodeWebhook(webhook: NewWebhook): EncodedWebhook {
  const { receivedAt, method, contentType, query, body, ip, urgent = false } = webhook;
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  return [receivedAt, method, contentType, query, text, ip, urgent];
}
