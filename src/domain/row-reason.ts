import { MOBILE_REASONS } from './numbers/mobile.ts';

/* Why a row gets no message. It is data: each face says it in its own words, and the rejects file in those below. */

/** The reasons why a record cannot be read as a row, before its number and its text are checked. */
export const RECORD_REASONS = [
  'too few cells',
  'too many cells',
  'cell too long',
  'row too long',
  'bad quoting',
  'template marks',
] as const;
/** One of RECORD_REASONS. */
export type RecordReason = (typeof RECORD_REASONS)[number];

/** The reasons to leave a number out of a promotional plan. */
export const SUPPRESSIONS = ['opted out', 'dead number'] as const;
/** One of SUPPRESSIONS. */
export type Suppression = (typeof SUPPRESSIONS)[number];

/** The reasons that are found behind the number: by the text, the reminder, the other rows, or the opt-outs. */
const LATER_REASONS = [
  'total row',
  'duplicate',
  ...SUPPRESSIONS,
  'text too long',
  'empty text',
  'ambiguous date',
  'not a date',
  'not a time',
  'not an amount',
] as const;

/** The reasons that need no facts. */
export const PLAIN_REASONS = [...RECORD_REASONS, ...MOBILE_REASONS, ...LATER_REASONS] as const;
/** One of PLAIN_REASONS. */
export type PlainReason = (typeof PLAIN_REASONS)[number];

/** Why a row gets no message. */
export type RowReason =
  | PlainReason
  /** A cell that the text, the key or the reminder needs is blank. */
  | { code: 'missing'; field: string }
  /** The text would hold marks of a field; `field` null: no cell alone is guilty. */
  | { code: 'placeholder'; field: string | null }
  /** The number is of a country (ISO 3166) that may not be sent to; null: of none. */
  | { code: 'abroad'; country: string | null };

/** A reason in the words of the rejects file. */
export type ReasonText = PlainReason | `missing ${string}` | `placeholder in ${string}` | `abroad: ${string}`;

/** The reason in the words of the rejects file, equal for all rows of one reason. */
export function reasonText(reason: RowReason): ReasonText {
  if (typeof reason === 'string') return reason;
  if (reason.code === 'missing') return `missing ${reason.field}`;
  if (reason.code === 'placeholder') return `placeholder in ${reason.field ?? 'text'}`;
  return `abroad: ${reason.country ?? 'no country'}`;
}

/** The reason as documents show it: a code, the words of the rejects file, and the facts. */
export function shownReason(reason: RowReason): {
  code: string;
  text: string;
  facts: Record<string, string | null>;
} {
  const text = reasonText(reason);
  if (typeof reason === 'string') return { code: reason.replaceAll(' ', '_'), text, facts: {} };
  const { code, ...facts } = reason;
  return { code, text, facts };
}
