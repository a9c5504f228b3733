import type { CampaignHashes, CampaignKind, CampaignSettings } from '../domain/campaign.ts';
import type { Delivery, NumberEffect } from '../domain/message.ts';
import type { MoneyMicro } from '../domain/money.ts';

/* The shapes that go into and come out of the ledger, but for those of sending (sending.ts). */

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

export interface NewMessage {
  line: number;
  mobile: string;
  key: string;
  occurrence: string;
  /** Every cell of the row, aligned to the campaign's header. */
  fields: string[];
  segments: number;
}

export interface DuplicateRow {
  line: number;
  keptLine: number;
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

export interface Activation extends StateChange {
  campaign: number;
  /** `LedgerFacts.audited` from before this launch looked for an earlier one; without it nobody looked. */
  since?: number | null;
  account: string;
  budgetMicro: MoneyMicro | null;
  estimatedMicro: MoneyMicro | null;
  startAt: number | null;
  startDeadlineMs: number;
  counts: UploadCounts;
}

export interface Resolution extends StateChange {
  decision: 'sent' | 'not_sent' | 'write_off';
  before: number;
  line?: number;
  mobile?: string;
}

export interface WorkerIdentity {
  /** Identifies one boot of one machine: a pid means nothing outside it. */
  bootId: string;
  pidNamespace: string;
  pid: number;
  /** Start time of the process in clock ticks, so that a reused pid is told apart. */
  startTicks: string;
  roles: string;
}

export interface RegisteredWorker extends WorkerIdentity {
  worker: number;
  heartbeatAt: number;
}

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

export interface NewReading {
  account: string;
  begun: AccountTotals;
  at: number;
  creditMicro: MoneyMicro;
}

export interface RecordedReading {
  /** No longer reserved but assumed: belongs to this reading's ceiling, and to no older one's. */
  releasedMicro: MoneyMicro;
  /** Another reading or a verdict assumed something while the call was under way: the ceiling may be too low by that. */
  moved: boolean;
}

export interface KnownPrice {
  network: string;
  segments: number;
  costMicro: MoneyMicro;
}

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

export interface StoredWebhook extends NewWebhook {
  webhook: number;
}

export type WebhookKind = 'report' | 'reply' | 'other' | 'not_understood';

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
