import type { Delivery } from '../../domain/message.ts';
import type { OptOutSource, WishSource } from '../../domain/opt-out-source.ts';
import type { Suppression } from '../../domain/row-reason.ts';
import type { UnmatchedReports } from '../../domain/unmatched-reports.ts';
import type { Wish } from '../../domain/text/opt-out-words.ts';
import type { NewWebhook, StateChange, StoredWebhook, WebhookKind } from './records.ts';

/* Replies, opt-outs, and reports that need a person: a part of both contracts. */

/** An inbound message: API document 2.5 (`sms`) or 2.6 (`chat`). */
export interface NewReply {
  channel: 'sms' | 'chat';
  /** Two replies with one identity are one: a chat record's id, or a hash of the SMS record. */
  identity: string;
  /** The path segment of a chat message's media. */
  recordId: string | null;
  mobile: string;
  addressee: string;
  text: string;
  /** The provider's time, in milliseconds UTC; null: unreadable. */
  at: number | null;
  /** The record's other fields, unchanged. */
  detail: Record<string, string>;
  wish: Wish | null;
}

/** A number that asked for no more messages. */
export interface NewOptOut {
  mobile: string;
  source: WishSource;
  /** Only messages of this sender; left out: promotional messages of every sender. */
  sender?: string;
  evidence?: string;
  /** The person or part that did it; left out: the source. */
  by?: string;
}

/** The write part. Each step is one transaction, as in `Ledger`. */
export interface ReplyLedger {
  /** Opts numbers out, also already opted-out ones. Returns the number of new ones. */
  addOptOuts(entries: NewOptOut[], now: number): Promise<number>;
  /**
   * Frees numbers until a new fact speaks against them, and decides that a reply in doubt was no stop. Returns
   * how many were opted out, dead or in doubt. `evidence`: why, in the words of a person.
   */
  removeOptOuts(mobiles: string[], change: StateChange & { evidence?: string }): Promise<number>;
  /**
   * Decides a reply in doubt: its number opts out (`stop`), or it was no wish to stop. False: the reply is no
   * longer in doubt, and nothing changed.
   */
  decideReply(decision: StateChange & { reply: number; stop: boolean }): Promise<boolean>;
  /** The numbers among `mobiles` that a promotional campaign of `sender` must leave out, with reasons. */
  suppressed(query: { mobiles: string[]; sender: string }): Promise<Map<string, Suppression>>;
  /** Gives an unknown report word a meaning, also for later reports. Returns the number of present ones. */
  mapWord(map: StateChange & { word: string; delivery: Delivery }): Promise<number>;
  /**
   * Takes back all content of webhooks from an address since `since` (null: ever). Messages that only a
   * report made sent are uncertain again, and replies no longer count. The raw webhooks stay.
   */
  voidWebhooks(order: StateChange & { ip: string; since: number | null }): Promise<VoidCounts>;
  /** The names under which campaigns wrote: a reply may name the one that it answers. */
  senders(): Promise<string[]>;
  /** Raw webhooks in order of id, for another read; webhooks that were taken back are left out. */
  storedWebhooks(query: { after: number; limit: number }): Promise<StoredWebhook[]>;
}

/** The numbers of a void. */
export interface VoidCounts {
  webhooks: number;
  reports: number;
  replies: number;
  /** Messages that are uncertain again. */
  uncertain: number;
}

/** The read part. */
export interface ReplyReader {
  /** Replies, the latest written first, after `before` in this order, without those taken back. */
  replies(query: RepliesQuery): Promise<ReplyRow[]>;
  /** The number of replies that may ask to stop, and about which nobody has decided. */
  repliesInDoubt(): Promise<number>;
  /** The other fields of the chat record with this id; null: none came, or it was taken back. */
  chatDetail(recordId: string): Promise<Record<string, string> | null>;
  /** Suppressed numbers, in order of number; `after` is the last row of the previous page, or the place before a number. */
  optOuts(query: { after: OptOutPlace | null; limit: number }): Promise<OptOutRow[]>;
  /** The events of one number's opt-outs, oldest first. */
  optOutHistory(mobile: string): Promise<OptOutEvent[]>;
  /** Words that the profile does not know, most frequent first. */
  unknownWords(limit: number): Promise<UnknownWord[]>;
  /** The number of such words that nobody has given a meaning. */
  openWords(): Promise<number>;
  /** Reports with the id of one message and another mobile, with the latest `limit` of their webhooks. */
  mismatchedReports(limit: number): Promise<MismatchedReports>;
  /** Reports that fit no message and came in a span, with one id beside an id that is known. */
  unmatchedReports(span: { since: number; until: number }): Promise<UnmatchedReports>;
  /** Ids that several messages have, those of most messages first. */
  repeatedIds(limit: number): Promise<RepeatedIds>;
  /** Raw webhooks that are no reports or not understood, by kind and shape, most frequent first. */
  webhookShapes(limit: number): Promise<WebhookShape[]>;
  /** One raw webhook; null: there is no such id. */
  rawWebhook(webhook: number): Promise<RawWebhookRow | null>;
}

/** The wanted replies, the latest written first. */
export interface RepliesQuery {
  campaign: number | null;
  /** True: only those that may ask to stop, and about which nobody has decided. */
  inDoubt?: boolean;
  /** Received at or after, milliseconds. */
  since: number;
  /** The last one of the page before; null: the first page. */
  before: Pick<ReplyRow, 'writtenAt' | 'id'> | null;
  limit: number;
}

/** A reply as the inbox shows it. Times in milliseconds. */
export interface ReplyRow {
  id: number;
  channel: 'sms' | 'chat';
  recordId: string | null;
  mobile: string;
  addressee: string;
  text: string;
  /** The time in the message; null: unreadable. */
  at: number | null;
  /** The arrival of its webhook. */
  receivedAt: number;
  /** The time in the message, or the arrival where that is missing or later. */
  writtenAt: number;
  detail: Record<string, string>;
  wish: Wish | null;
  /** The campaign that last wrote to the number before the reply, and the line of its message. */
  campaign: { id: string; name: string; line: number } | null;
}

/** A place in the list of suppressed numbers. `kind` empty: before all rows of the number. */
export interface OptOutPlace {
  mobile: string;
  kind: Suppression | '';
  /** Empty: promotional messages of every sender. */
  sender: string;
}

/** A suppressed number, and the reason. Time in milliseconds. */
export interface OptOutRow extends OptOutPlace {
  kind: Suppression;
  source: OptOutSource;
  at: number;
  evidence: string | null;
}

/** An event of a number's standing. Time in milliseconds. */
export interface OptOutEvent {
  at: number;
  sender: string;
  change: 'added' | 'removed' | 'voided';
  source: OptOutSource;
  by: string;
  evidence: string | null;
}

/** A report's word that the profile does not know. Time in milliseconds. */
export interface UnknownWord {
  word: string;
  count: number;
  lastAt: number;
  /** The meaning from a person; null: none. */
  mapped: Delivery | null;
  /** One webhook with the word. */
  webhook: number;
}

/** Reports with the id of one message and another mobile, which join nothing. Time in milliseconds. */
export interface MismatchedReports {
  count: number;
  /** Null: there are none. */
  lastAt: number | null;
  /** Their webhooks, the latest first. */
  webhooks: number[];
}

/** Ids that several messages have. */
export interface RepeatedIds {
  total: number;
  ids: RepeatedId[];
}

/** An id of several messages. */
export interface RepeatedId {
  messageId: string;
  messages: number;
  /** The reports with the id that are of none of them for sure. */
  undecided: number;
}

/** Webhooks of one kind with the same fields. Time in milliseconds. */
export interface WebhookShape {
  kind: WebhookKind;
  /** The names of its fields. */
  shape: string;
  count: number;
  lastAt: number;
  /** One webhook of this shape. */
  webhook: number;
}

/** A raw webhook, its number of arrivals, and the result of its reading. Times in milliseconds. */
export interface RawWebhookRow extends NewWebhook {
  webhook: number;
  kind: WebhookKind | null;
  times: number;
  lastAt: number;
  voidedAt: number | null;
}
