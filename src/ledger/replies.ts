import type { Delivery } from '../domain/message.ts';
import type { Wish } from '../domain/text/opt-out-words.ts';
import type { NewWebhook, StateChange, StoredWebhook, Suppression, WebhookKind } from './records.ts';

/* What people answer, who must not be written to, and reports that need a person: a part of both contracts. */

/** An inbound message: API document 2.5 (`sms`) or 2.6 (`chat`). */
export interface NewReply {
  channel: 'sms' | 'chat';
  /** Two replies of one identity are one: the chat record's id, or a hash of the SMS record, which has none. */
  identity: string;
  /** Of a chat message: the path segment of its media. */
  recordId: string | null;
  mobile: string;
  addressee: string;
  text: string;
  /** When the service says that it came, milliseconds UTC; null when unreadable. */
  at: number | null;
  /** The record's other fields, as they came. */
  detail: Record<string, string>;
  wish: Wish | null;
}

/** A number that asked for no more messages. */
export interface NewOptOut {
  mobile: string;
  /** `reply`, `operator` or `import`. */
  source: string;
  /** Only messages of this sender; left out: promotional messages of every sender. */
  sender?: string;
  evidence?: string;
  /** Who did it; left out: the source. */
  by?: string;
}

/** The write part. Everything in here is one transaction a step, as in `Ledger`. */
export interface ReplyLedger {
  /** Opts numbers out, those that are out already once more. Returns how many were new. */
  addOptOuts(entries: NewOptOut[], now: number): Promise<number>;
  /** Lets numbers be written to again, until something new speaks against it. Returns how many were opted out or dead. */
  removeOptOuts(mobiles: string[], change: StateChange): Promise<number>;
  /** Those of `mobiles` that a promotional campaign of `sender` must leave out, with the reason. */
  suppressed(query: { mobiles: string[]; sender: string }): Promise<Map<string, Suppression>>;
  /** Says what an unknown report word means, for every report that has it or will. Returns how many have it. */
  mapWord(map: StateChange & { word: string; delivery: Delivery }): Promise<number>;
  /**
   * Takes back everything that webhooks of an address said since `since` (null: ever). Messages that a report alone had made
   * sent are uncertain again, and replies no longer count. The raws stay.
   */
  voidWebhooks(order: StateChange & { ip: string; since: number | null }): Promise<VoidCounts>;
  /** Raw webhooks in order of id, for reading them again; those taken back are left out. */
  storedWebhooks(query: { after: number; limit: number }): Promise<StoredWebhook[]>;
}

/** How much a void took back. */
export interface VoidCounts {
  webhooks: number;
  reports: number;
  replies: number;
  /** Messages that are uncertain again. */
  uncertain: number;
}

/** The read part. */
export interface ReplyReader {
  /** Replies, newest first, from before `beforeId` (null: the newest). Those taken back are left out. */
  replies(query: RepliesQuery): Promise<ReplyRow[]>;
  /** Who is not written to, in order of number; `after` is the last row of the page before. */
  optOuts(query: { after: OptOutRow | null; limit: number }): Promise<OptOutRow[]>;
  /** What happened to one number's opt-outs, oldest first. */
  optOutHistory(mobile: string): Promise<OptOutEvent[]>;
  /** Words that the profile does not know, most frequent first. */
  unknownWords(limit: number): Promise<UnknownWord[]>;
  /** Reports that have the id of one message and name another mobile, with the latest `limit` of their webhooks. */
  mismatchedReports(limit: number): Promise<MismatchedReports>;
  /** Raw webhooks that were not understood or are no report, grouped by kind and shape, most frequent first. */
  webhookShapes(limit: number): Promise<WebhookShape[]>;
  /** One raw webhook; null: there is none of that id. */
  rawWebhook(webhook: number): Promise<RawWebhookRow | null>;
}

/** Which replies are read, the latest first. */
export interface RepliesQuery {
  campaign: number | null;
  /** Received at or after, milliseconds. */
  since: number;
  beforeId: number | null;
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
  at: number | null;
  receivedAt: number;
  detail: Record<string, string>;
  wish: Wish | null;
  /** The campaign that last wrote to the number before the reply, and the line of its message. */
  campaign: { id: string; name: string; line: number } | null;
}

/** A number that is not written to, and why. Time in milliseconds. */
export interface OptOutRow {
  mobile: string;
  kind: Suppression;
  /** Empty: promotional messages of every sender. */
  sender: string;
  /** `reply`, `report`, `operator`, `import`; of a dead number `learned`. */
  source: string;
  at: number;
  evidence: string | null;
}

/** Something that happened to a number's standing. Time in milliseconds. */
export interface OptOutEvent {
  at: number;
  sender: string;
  change: 'added' | 'removed' | 'voided';
  source: string;
  by: string;
  evidence: string | null;
}

/** A report's word that the profile does not know. Time in milliseconds. */
export interface UnknownWord {
  word: string;
  count: number;
  lastAt: number;
  /** What a person said it means; null: nobody did. */
  mapped: Delivery | null;
  /** A webhook that has it. */
  webhook: number;
}

/** Reports that have the id of one message and name another mobile: they join nothing. Time in milliseconds. */
export interface MismatchedReports {
  count: number;
  /** Null: there are none. */
  lastAt: number | null;
  /** Webhooks that have them, the latest first. */
  webhooks: number[];
}

/** Webhooks of one kind with the same fields. Time in milliseconds. */
export interface WebhookShape {
  kind: WebhookKind;
  /** The names of its fields. */
  shape: string;
  count: number;
  lastAt: number;
  /** One of them. */
  webhook: number;
}

/** A raw webhook, how often it came, and what was made of it. Times in milliseconds. */
export interface RawWebhookRow extends NewWebhook {
  webhook: number;
  kind: WebhookKind | null;
  times: number;
  lastAt: number;
  voidedAt: number | null;
}
