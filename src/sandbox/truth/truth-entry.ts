import type { AnswerName } from '../api/answers.ts';
import type { InboundName } from '../customers/inbound-event.ts';
import type { ReportOutcome, PayloadPaths } from '../reports/report-plan.ts';
import type { PostEnd } from '../reports/webhook-poster.ts';
import type { MediaName } from '../api/sample-media.ts';

/*
 * The lines of the truth log. Times are milliseconds since the epoch; money is decimal text; a message's text is there as
 * a hash only. A request ends in exactly one of `accepted`, `refused` and `ignored`, written before its answer.
 */

/** First line: what the log began with. `firstSerial` is the serial of its first message. */
interface StartEntry {
  event: 'start';
  at: number;
  seed: number;
  firstSerial: number;
  balance: string;
}

/** The message was taken: debited, and it will be delivered and reported as planned. */
export interface AcceptedEntry {
  event: 'accepted';
  at: number;
  serial: number;
  /** The serial that `messageid` spells: its own, or with `200_dup_id` that of the message before. */
  idSerial: number;
  /** What the answer says (or would have said); with `200_dup_id` another message has it too. */
  messageid: string;
  mobile: string;
  shortcode: string;
  /** Hex, of the text as it came, in UTF-8. */
  sha256: string;
  segments: number;
  network: string;
  cost: string;
  /** Credit after it. */
  balance: string;
  answer: AnswerName;
  /** Index of the script's rule; -1: no rule. */
  rule: number;
  /** The receiver had said STOP, and the sender is a promotional one: its report says so. */
  optedOut?: true;
}

/** Not taken, and the answer says so. `mobile` is as it came when it was not a number. */
export interface RefusedEntry {
  event: 'refused';
  at: number;
  mobile: string | null;
  /** The response code, or the HTTP status where there is none. */
  code: string;
  answer: AnswerName;
  rule: number;
}

/** Not taken, and the answer leaves it open. */
export interface IgnoredEntry {
  event: 'ignored';
  at: number;
  mobile: string;
  answer: AnswerName;
  rule: number;
}

/** The end of one report at the webhook. */
export interface ReportEntry extends PostEnd {
  event: 'report';
  at: number;
  serial: number;
  /** Which of the message's planned reports. */
  step: number;
  messageid: string;
  outcome: ReportOutcome;
  shape: PayloadPaths;
}

/** The end of one message of a customer at the webhook. */
export interface InboundEntry extends PostEnd {
  event: 'inbound';
  at: number;
  /** The event's own name on the wire. */
  name: InboundName;
  /** UUID of the record; an SMS does not show it. */
  id: string;
  /** The message that it answers; null when an operator sent it. */
  serial: number | null;
  mobile: string;
  shortcode: string;
  /** Hex, of the text in UTF-8. */
  sha256: string;
  /** What the text means to the network. */
  means: 'stop' | 'start' | null;
  media: MediaName | null;
  /** Milliseconds since the epoch: the record's own time. */
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
