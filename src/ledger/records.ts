import type { CampaignHashes, CampaignKind, CampaignSettings } from '../domain/campaign.ts';
import type { Delivery, NumberEffect } from '../domain/message.ts';
import type { MoneyMicro } from '../domain/money.ts';

/** Why a number is left out of a promotional plan. */
export type Suppression = 'opted out' | 'dead number';

/* The shapes that go into and come out of the ledger, but for those of sending (sending.ts). */

/** What a ledger says of itself. */
export interface LedgerFacts {
  ledgerId: string;
  /** True until a campaign has been activated here. */
  unused: boolean;
  schemaVersion: number;
  engine: string;
  /** Grows with every launch and every other order: what `Activation.since` is taken from. */
  audited: number;
}

/** Who did it and when: becomes an audit row. */
export interface StateChange {
  now: number;
  /** "operator", or the part of Tuma that did it. */
  by: string;
}

/** A campaign to be: everything that its launch fixes. `now` in milliseconds. */
export interface NewCampaign {
  id: string;
  name: string;
  kind: CampaignKind;
  sender: string;
  template: string;
  settings: CampaignSettings;
  hashes: CampaignHashes;
  now: number;
}

/** A row of the contacts that may become a message. */
export interface NewMessage {
  line: number;
  mobile: string;
  key: string;
  occurrence: string;
  /** Every cell of the row, aligned to the campaign's header. */
  fields: string[];
  segments: number;
  /** domain/guards.ts, of the rendered text; without it the message is never taken for a repeated one. */
  textHash?: number;
}

/** A row whose identity an earlier line has already. */
export interface DuplicateRow {
  line: number;
  keptLine: number;
}

/** A row whose number must not be written to. */
export interface SuppressedRow {
  line: number;
  suppression: Suppression;
}

/** One reading of a contacts file: read = planned + unchanged + duplicate + invalid + suppressed. */
export interface UploadCounts {
  read: number;
  planned: number;
  unchanged: number;
  duplicate: number;
  invalid: number;
  suppressed: number;
}

/** What turns a draft into a campaign. Money in millionths, times in milliseconds; null: no limit, no price, at once. */
export interface Activation extends StateChange {
  campaign: number;
  /** `LedgerFacts.audited` from before this launch looked for an earlier one; without it nobody looked. */
  since?: number | null;
  account: string;
  budgetMicro: MoneyMicro | null;
  estimatedMicro: MoneyMicro | null;
  /** The price a segment of that estimate: what a worker that knows none holds back. Left out: none was known. */
  priceMicro?: MoneyMicro | null;
  startAt: number | null;
  startDeadlineMs: number;
  counts: UploadCounts;
}

/** A decision about uncertain messages that became so before an instant: all, or those of one line or number. */
export interface Resolution extends StateChange {
  decision: 'sent' | 'not_sent' | 'write_off';
  before: number;
  line?: number;
  mobile?: string;
}

/** What tells one process from every other, on this machine and after it restarted. */
export interface WorkerIdentity {
  /** Identifies one boot of one machine: a pid means nothing outside it. */
  bootId: string;
  pidNamespace: string;
  pid: number;
  /** Start time of the process in clock ticks, so that a reused pid is told apart. */
  startTicks: string;
  roles: string;
}

/** A worker that the ledger knows, and when it last gave a sign of life. */
export interface RegisteredWorker extends WorkerIdentity {
  worker: number;
  heartbeatAt: number;
  /** Verdicts that were recorded of it, ever. */
  recorded: number;
}

/** The money of an account at an instant (milliseconds), as this ledger knows it. */
export interface AccountTotals {
  account: string;
  at: number;
  /** Charged on the account as far as this ledger knows, ever: known costs, and `assumedMicro`. */
  spentMicro: MoneyMicro;
  /** Part of `spentMicro`: the reserved prices of sent messages whose cost is unknown, and of uncertain ones that a reading covers. */
  assumedMicro: MoneyMicro;
  /** Held back for messages in flight and for uncertain ones not yet covered by a reading. */
  reservedMicro: MoneyMicro;
  /** Messages `sending` on the account. */
  inFlight: number;
  /** Counts every claim ever made: equal before and after a balance call means nothing moved meanwhile. */
  claims: number;
}

/** A credit as the provider tells it, with the totals from before it was asked for. */
export interface NewReading {
  account: string;
  begun: AccountTotals;
  at: number;
  creditMicro: MoneyMicro;
}

/** What became of a reading. */
export interface RecordedReading {
  /** No longer reserved but assumed: belongs to this reading's ceiling, and to no older one's. */
  releasedMicro: MoneyMicro;
  /** Another reading or a verdict assumed something while the call was under way: the ceiling may be too low by that. */
  moved: boolean;
}

/** What messages of a network and a number of segments cost last. */
export interface KnownPrice {
  network: string;
  segments: number;
  costMicro: MoneyMicro;
}

/** A request of the provider as it came in, before anybody reads it. */
export interface NewWebhook {
  receivedAt: number;
  method: string;
  contentType: string;
  query: string;
  body: Uint8Array;
  ip: string;
  /** It may hold a reply, and is read before others that wait. */
  urgent?: boolean;
}

/** A raw webhook with its number in the ledger. */
export interface StoredWebhook extends NewWebhook {
  webhook: number;
}

/** What a webhook turned out to be. */
export type WebhookKind = 'report' | 'reply' | 'other' | 'not_understood';

/** One delivery report, read from a webhook. */
export interface NewReport {
  messageId: string;
  /** The provider's word, as it came. */
  word: string;
  /** Null: an unknown word, kept and shown, changes nothing. */
  delivery: Delivery | null;
  reason: string | null;
  mobile: string | null;
  /** What it says of the number itself; left out: nothing. */
  effect?: NumberEffect | null;
  network: string | null;
  /** When the network says it happened; null when unreadable. */
  at: number | null;
}
