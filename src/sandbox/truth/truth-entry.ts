import type { AnswerName } from '../api/answers.ts';
import type { InboundName } from '../customers/inbound-event.ts';
import type { ReportOutcome, ReportShape } from '../reports/report-plan.ts';
import type { PostEnd } from '../reports/webhook-poster.ts';
import type { MediaName } from '../api/sample-media.ts';

/*
 * The lines of the truth log. Times are milliseconds since the epoch, money is decimal text, and texts are
 * hashes. Each request makes exactly one line before its answer: `accepted`, `refused` or `ignored`.
 */

/** The first line of a log. */
interface StartEntry {
  event: 'start';
  at: number;
  balance: string;
}

/** The message was accepted and debited. Its reports come as planned. */
export interface AcceptedEntry {
  event: 'accepted';
  at: number;
  serial: number;
  /** The id in the answer, even when the answer never arrives; with `200_dup_id` the id of the previous message. */
  messageid: string;
  mobile: string;
  shortcode: string;
  /** Hex, of the received text in UTF-8. */
  sha256: string;
  segments: number;
  network: string;
  cost: string;
  /** Credit after the debit. */
  balance: string;
  answer: AnswerName;
  /** The receiver had said STOP to promotional messages; the report says so. */
  optedOut: boolean;
}

/** Not accepted, and the answer says so. An invalid `mobile` stays as received. */
export interface RefusedEntry {
  event: 'refused';
  at: number;
  mobile: string | null;
  /** The response code, or the HTTP status where there is none. */
  code: string;
  answer: AnswerName;
}

/** Not accepted, and the answer leaves it open. */
export interface IgnoredEntry {
  event: 'ignored';
  at: number;
  mobile: string;
  answer: AnswerName;
}

/** The end of one report at the webhook. */
export interface ReportEntry extends PostEnd {
  event: 'report';
  at: number;
  serial: number;
  /** Index in the planned reports of the message. */
  step: number;
  messageid: string;
  outcome: ReportOutcome;
  shape: ReportShape;
}

/** The end of one message of a customer at the webhook. */
export interface InboundEntry extends PostEnd {
  event: 'inbound';
  at: number;
  /** The name of the event on the wire. */
  name: InboundName;
  /** UUID of the record; an SMS does not show it. */
  id: string;
  /** The message that it answers; null when an operator sent it. */
  serial: number | null;
  mobile: string;
  shortcode: string;
  /** Hex, of the text in UTF-8. */
  sha256: string;
  /** The meaning of the text for the network. */
  means: 'stop' | 'start' | null;
  media: MediaName | null;
  /** The time in the record. */
  sentAt: number;
}

/** An operator added credit. */
interface TopUpEntry {
  event: 'topup';
  at: number;
  amount: string;
  balance: string;
}

/** Somebody followed `redirect_307`, with the credentials in the body. */
interface RedirectFollowedEntry {
  event: 'redirect_followed';
  at: number;
}

/** A line of the truth log. */
export type TruthEntry =
  | StartEntry
  | AcceptedEntry
  | RefusedEntry
  | IgnoredEntry
  | ReportEntry
  | InboundEntry
  | TopUpEntry
  | RedirectFollowedEntry;
