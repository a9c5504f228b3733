import type { Outage } from '../../domain/pace/outage.ts';
import type { CampaignHashes, CampaignKind, CampaignSettings } from '../../domain/campaign.ts';
import type { Delivery, MessageState, NumberEffect } from '../../domain/message.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { Suppression } from '../../domain/row-reason.ts';

/* The shapes that go into and come out of the ledger, except for sending (sending.ts). */

/** The ledger's facts about itself. */
export interface LedgerFacts {
  ledgerId: string;
  /** True until a person began it (`begin`), or launched a campaign that is no test. */
  unused: boolean;
  schemaVersion: number;
  engine: string;
  /** Grows with every launch and every other order; the source of `Activation.since`. */
  audited: number;
}

/** The person and the time of a change, for its audit row. */
export interface StateChange {
  now: number;
  /** "operator", or the part of Tuma that made the change. */
  by: string;
}

/** A future campaign with everything that its launch fixes. `now` in milliseconds. */
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
  /** The other usable numbers of the row, of the same person; left out: none. */
  others?: readonly string[];
  key: string;
  occurrence: string;
  /** Every cell of the row, aligned to the campaign's header. */
  fields: string[];
  segments: number;
  /** The hash of the rendered text (domain/guards.ts). Left out: the message never counts as repeated. */
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

/** The values that make a draft a campaign. Money in millionths, times in milliseconds; null: none. */
export interface Activation extends StateChange {
  campaign: number;
  /** `LedgerFacts.audited` from before the search for an earlier launch; left out: there was no search. */
  since?: number | null;
  account: string;
  budgetMicro: MoneyMicro | null;
  estimatedMicro: MoneyMicro | null;
  /** The estimate's price per segment, which a worker without a price reserves. Left out: none was known. */
  priceMicro?: MoneyMicro | null;
  startAt: number | null;
  startDeadlineMs: number;
  counts: UploadCounts;
  /** The preparation that becomes launched in this commit, or the commit is undone; null or left out: a job file. */
  preparation?: LaunchedPreparation | null;
  /** The firing of a recurring job that read its files anew, with the segments of its messages. */
  firing?: Firing & { segments: number };
}

/** The preparation that a commit makes launched, with whom the rule of approval is held against. */
export interface LaunchedPreparation {
  id: string;
  revision: number;
  /** The process that was noted for this launch. */
  process: string;
  /** All names of who launches: of a program also of who made its token. */
  identities: readonly string[];
  /** True: this person may launch what others prepared. */
  mayApprove: boolean;
}

/** The firing of a recurring job: which one runs, which were missed, when the next is due (milliseconds). */
export interface Firing {
  schedule: number;
  /** The value from `dueSchedules`, so that only one of two processes decides. */
  nextAt: number;
  fireAt: number | null;
  missed: number[];
  followingAt: number | null;
  /** Id and name of the campaign to be made. */
  id: string;
  name: string;
  now: number;
}

/** A decision about messages that became uncertain before an instant: all, or of one line or number. */
export interface Resolution extends StateChange {
  decision: 'sent' | 'not_sent' | 'write_off';
  before: number;
  line?: number;
  mobile?: string;
}

/** The messages of one person: a number, a line of the contacts, a key, or several of these. */
export interface PersonOfCampaign {
  campaign: number;
  /** International digits. */
  mobile?: string;
  line?: number;
  key?: string;
  /** The date that a reminder is about (yyyy-mm-dd); left out: all. */
  occurrence?: string;
}

/** The order to send one person nothing more of a campaign. */
export interface CancelPerson extends StateChange, Omit<PersonOfCampaign, 'campaign'> {}

/** The messages that such an order means, by their states before it. */
export interface PersonMessages {
  people: number;
  messages: number;
  queued: number;
  sending: number;
  uncertain: number;
  sent: number;
}

/** The values that distinguish one process from every other, on this machine and after its restart. */
export interface WorkerIdentity {
  /** Identifies one boot of one machine, because a pid means nothing outside it. */
  bootId: string;
  pidNamespace: string;
  pid: number;
  /** The process's start time in clock ticks, because pids are reused. */
  startTicks: string;
  roles: string;
}

/** A process that registers as a worker. */
export interface WorkerRegistration extends WorkerIdentity {
  /** The identity of the file whose kernel lock this process holds; null or left out: it holds none. */
  lock?: string | null;
}

/** Who did what, and when. */
export interface AuditEntry {
  /** Milliseconds. */
  at: number;
  /** "operator amina", a user of the pages, or the part of Tuma that did it. */
  by: string;
  /** The address that it was asked from; null: at this machine, or by Tuma itself. */
  from: string | null;
  verb: string;
  campaign: { id: string; name: string } | null;
  /** What the verb noted: reasons, amounts (…Micro), times (…At), counts; `mobile` in full. */
  detail: Record<string, unknown>;
}

/** A page of the audit, the latest entry first. */
export interface AuditPage {
  entries: AuditEntry[];
  /** What the next page begins behind; null: this is the last page. */
  next: number | null;
}

/** The latest entries of the audit, oldest first. */
export interface AuditTrail {
  /** The number of all entries. */
  total: number;
  entries: AuditEntry[];
}

/** A worker of the ledger, and its last heartbeat. */
export interface RegisteredWorker extends WorkerIdentity {
  worker: number;
  heartbeatAt: number;
  lock: string | null;
  /** The number of its latest claim that found messages; zero: none. */
  claims: number;
  /** All verdicts that were ever recorded for it. */
  recorded: number;
}

/** A worker with a recent heartbeat. */
export interface LivingWorker extends RegisteredWorker {
  /** The outage that it saw at its heartbeat; null: none. */
  outage: Outage | null;
}

/** The money of an account at an instant (milliseconds), as this ledger knows it. */
export interface AccountTotals {
  account: string;
  at: number;
  /** All charges on the account that this ledger knows: known costs, and `assumedMicro`. */
  spentMicro: MoneyMicro;
  /** Part of `spentMicro`: reserved prices of sent messages of unknown cost and of covered uncertain ones. */
  assumedMicro: MoneyMicro;
  /** Reserved for messages in flight, and for uncertain ones that no reading covers yet. */
  reservedMicro: MoneyMicro;
  /** Messages `sending` on the account. */
  inFlight: number;
  /** The number of all claims. If it is equal before and after a balance call, nothing changed meanwhile. */
  claims: number;
}

/** A credit from the provider, with the totals from before the call. */
export interface NewReading {
  account: string;
  begun: AccountTotals;
  at: number;
  creditMicro: MoneyMicro;
}

/** The result of a reading. */
export interface RecordedReading {
  /** No longer reserved but assumed: it belongs to this reading's ceiling only. */
  releasedMicro: MoneyMicro;
  /** Another reading or a verdict assumed money during the call, so the ceiling may be too low by that. */
  moved: boolean;
}

/** The last cost of messages by network and number of segments. */
export interface KnownPrice {
  network: string;
  segments: number;
  costMicro: MoneyMicro;
}

/** A request of the provider, unread. */
export interface NewWebhook {
  receivedAt: number;
  method: string;
  contentType: string;
  query: string;
  body: Uint8Array;
  ip: string;
  /** It may hold a reply, so it is read before others. */
  urgent?: boolean;
}

/** A raw webhook with its number in the ledger. */
export interface StoredWebhook extends NewWebhook {
  webhook: number;
}

/** The kind of a webhook's content. */
export type WebhookKind = 'report' | 'reply' | 'other' | 'not_understood';

/** One delivery report, read from a webhook. */
export interface NewReport {
  messageId: string;
  /** The provider's exact word. */
  word: string;
  /** Null: an unknown word, which is kept and shown but changes nothing. */
  delivery: Delivery | null;
  reason: string | null;
  mobile: string | null;
  /** The effect on the number; left out: none. */
  effect?: NumberEffect | null;
  network: string | null;
  /** The network's time of the event; null: unreadable. */
  at: number | null;
}

/** A message as exports show it. */
export interface MessageRow {
  seq: number;
  line: number;
  mobile: string;
  key: string;
  occurrence: string;
  fields: string[];
  state: MessageState;
  delivery: Delivery | null;
  reason: string | null;
  /** The provider's own words about a message that is not sent; null: none. */
  providerWords: string | null;
  messageId: string | null;
  network: string | null;
  segments: number;
  costMicro: MoneyMicro | null;
  attempts: number;
  queuedAt: number;
  /** The time of the present verdict. */
  settledAt: number | null;
  /** The earliest time for it, such as the moment of a reminder; 0: none. */
  notBefore: number;
  /** The time when it left. A later decision of a person or a report does not change it. */
  sentAt: number | null;
  reportedAt: number | null;
  batch: number;
}
