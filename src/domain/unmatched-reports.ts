import type { IdForm } from './message-id.ts';
import { counted } from './money.ts';
import { strangersWords } from './text/mask.ts';

/* Delivery reports that found no message: an id in another form, somebody else's message, or more than one that fits. */

/** Reports without a message that came in a span. Times in milliseconds. */
export interface UnmatchedReports {
  /** Reports whose id no message has. */
  count: number;
  /** Reports whose id a message has, but of another mobile, or several messages have. */
  ambiguous: number;
  /** Null: there are none. */
  lastAt: number | null;
  /** Of those whose id no message has; null: there are none. */
  example: UnmatchedExample | null;
}

/** A report's id beside an id of ours. */
export interface UnmatchedExample {
  reported: string;
  /** The webhook of the report. */
  webhook: number;
  /** The most similar id that a message has; null: no message has an id. */
  known: string | null;
  /** `known` is of a message to the report's mobile. */
  sameMobile: boolean;
  /** How the two differ; null: they have nothing in common. */
  form: IdForm | null;
}

/** Reports of this span count where somebody asks whether all is well. */
export const UNMATCHED_SPAN_MS = 72 * 3_600_000;
/** A younger report may have come before the answer that tells its id. */
export const UNMATCHED_AFTER_MS = 60_000;

const FORMS = {
  same: '',
  case: ' (upper and lower case differ)',
  zeros: ' (leading zeros differ)',
  number: ' (one is the other in hexadecimal)',
} as const;

/** Whether some report found no message. */
export function someUnmatched({ count, ambiguous }: UnmatchedReports): boolean {
  return count + ambiguous > 0;
}

/**
 * "20 delivery reports fit no message, such as af; for its mobile we know 00AF (leading zeros differ)", and
 * "1 delivery report has an id of ours but another mobile, or an id that several messages have".
 */
export function unmatchedWords(reports: UnmatchedReports): string {
  const { count, ambiguous } = reports;
  return [
    ...(count > 0 ? [strangeIdWords(reports)] : []),
    ...(ambiguous > 0 ? [ambiguousWords(ambiguous)] : []),
  ].join('; ');
}

function ambiguousWords(count: number): string {
  const have = count === 1 ? 'has' : 'have';
  return `${counted(count, 'delivery report')} ${have} an id of ours but another mobile, or an id that several messages have`;
}

function strangeIdWords({ count, example }: UnmatchedReports): string {
  const words = `${counted(count, 'delivery report')} ${count === 1 ? 'fits' : 'fit'} no message`;
  if (example === null) return words;
  const { reported, known, sameMobile, form } = example;
  const such = `${words}, such as ${strangersWords(reported)}`;
  if (known === null) return such;
  const of = sameMobile ? 'for its mobile we know' : 'an id that we know is';
  return `${such}; ${of} ${strangersWords(known)}${form === null ? '' : FORMS[form]}`;
}
