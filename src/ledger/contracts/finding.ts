import type { Campaign } from '../../domain/campaign.ts';
import type { Actor, Basis, Delivery } from '../../domain/message.ts';
import type { MessageRow } from './records.ts';
import type { ReplyRow } from './replies.ts';
import type { Outcome } from './sending.ts';

/* How a page finds people and their messages: a part of the read contract. Every list comes in pages. */

/** The read part. Drafts are hidden. */
export interface FindingReader {
  /** The latest reply of each number that wrote, the latest first, after `before` in this order. */
  conversations(query: ConversationsQuery): Promise<ReplyRow[]>;
  /** The replies of one number, the latest first, after `before` in this order. */
  repliesFrom(query: ConversationsQuery & { mobile: string }): Promise<ReplyRow[]>;
  /** The reply with this id; null: there is none, or it was taken back or purged. */
  reply(id: number): Promise<ReplyRow | null>;
  /** The messages to one number, those of the latest campaigns first, after `before` in this order. */
  messagesTo(query: { mobile: string; before: MessagePlace | null; limit: number }): Promise<FoundMessage[]>;
  /** The campaigns with these numbers of the ledger. */
  campaignsNumbered(numbers: readonly number[]): Promise<Campaign[]>;
  /** The messages with an id of the provider, in any of its forms. */
  messagesOfId(query: { messageId: string; limit: number }): Promise<FoundMessage[]>;
  /** The messages of one campaign with a key, such as the number of an invoice. */
  messagesOfKey(query: { campaign: number; key: string; limit: number }): Promise<FoundMessage[]>;
  /** All that is known about one message; null: there is none. */
  messageLife(place: MessagePlace): Promise<MessageLife | null>;
}

/** A page of replies. */
export interface ConversationsQuery {
  /** The last one of the page before; null: the first page. */
  before: Pick<ReplyRow, 'writtenAt' | 'id'> | null;
  limit: number;
}

/** The place of a message: the ledger's number of its campaign, and its own number there. */
export interface MessagePlace {
  campaign: number;
  seq: number;
}

/** A message with the number of its campaign. */
export interface FoundMessage extends MessageRow {
  campaign: number;
}

/** A message from its line to its last report. Times in milliseconds. */
export interface MessageLife {
  message: FoundMessage & {
    /** The latest try, and how long its answer took. */
    claimedAt: number | null;
    sendMs: number | null;
    /** Who made the last change of its state. */
    actor: Actor;
    /** Null: it is not sent. */
    basis: Basis | null;
    flags: string | null;
    writtenOff: boolean;
    /** True: reports said different things. */
    conflict: boolean;
  };
  /** Earlier tries, the oldest first. */
  attempts: AttemptRow[];
  /** The bytes of the wire, of every try without a plain acceptance. */
  evidence: EvidenceRow[];
  /** The delivery reports, the oldest first. */
  reports: ReportRow[];
}

/** An earlier try of a message. */
export interface AttemptRow {
  number: number;
  claimedAt: number | null;
  settledAt: number | null;
  outcome: Outcome['to'];
  reason: string | null;
  sendMs: number | null;
}

/** What the provider answered to one try. `raw`: null after a purge. */
export interface EvidenceRow {
  attempt: number;
  at: number;
  httpStatus: number | null;
  code: string | null;
  raw: string | null;
  words: string | null;
}

/** One delivery report of a message. `at`: the time of the network; null: unreadable. */
export interface ReportRow {
  webhook: number;
  at: number | null;
  receivedAt: number;
  word: string;
  delivery: Delivery | null;
  reason: string | null;
}
