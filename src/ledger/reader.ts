import type { Campaign, CampaignState, PauseReason } from '../domain/campaign.ts';
import type { CanaryProgress } from '../domain/pace/canary.ts';
import type { Delivery, MessageState } from '../domain/message.ts';
import type { MoneyMicro } from '../domain/money.ts';
import type { PurgeReader } from './purge.ts';
import type { RegisteredWorker, UploadCounts } from './records.ts';
import type { ReplyReader } from './replies.ts';
import type { ScheduleReader } from './schedules.ts';
import type { AnswerReader } from './answers.ts';
import type { Evidence } from './sending.ts';
import type { StatementReader } from './statement.ts';

/** The read contract of the ledger. No read holds a transaction for longer than a second. Drafts are not seen. */
export interface LedgerReader
  extends AnswerReader,
    PurgeReader,
    ReplyReader,
    ScheduleReader,
    StatementReader {
  /** All campaigns, newest first. */
  campaigns(): Promise<CampaignOverview[]>;
  /** Campaigns that `reference` may mean: an id, a prefix of ids, or a name (then its latest, alone). */
  find(reference: string): Promise<Campaign[]>;
  overview(campaign: number): Promise<CampaignOverview>;
  uploads(campaign: number): Promise<UploadCounts>;
  /** Everything that the campaign report counts. `unreportedBefore`: pending since before it counts as unreported. */
  tallies(campaign: number, unreportedBefore: number): Promise<Tallies>;
  /** Nearest-rank percentiles (0 < p <= 100) of send and delivery latency, milliseconds; null without values. */
  latencies(
    campaign: number,
    percentiles: number[],
  ): Promise<{ send: (number | null)[]; delivery: (number | null)[] }>;
  /** One page of messages by sequence, for exports. */
  messages(query: {
    campaign: number;
    afterSeq: number;
    limit: number;
    states: MessageState[] | null;
  }): Promise<MessageRow[]>;
  /** Uncertain messages by sequence, no more than `limit`, and how many there are in `total`. */
  uncertain(query: UncertainQuery): Promise<{ rows: UncertainRow[]; total: number }>;
  /** Balance readings of an account, oldest first. */
  readings(account: string, span: { from: number; to: number }): Promise<Reading[]>;
  /** The last balance reading of an account, and what the ledger knows to be charged since; null: there is none. */
  lastReading(account: string): Promise<LastReading | null>;
  /** Ids of other campaigns of the account that had messages in flight in the span. */
  sharedWith(campaign: number, span: { from: number; to: number }): Promise<string[]>;
  /** Workers that gave a sign of life after `since`. */
  aliveWorkers(since: number): Promise<RegisteredWorker[]>;
  /** Rows that break an invariant; empty is what must be. `campaign` null: all. */
  violations(campaign: number | null): Promise<Violation[]>;
  /** Raw webhooks by kind, and reports that wait for their message. */
  webhookCounts(): Promise<{
    report: number;
    reply: number;
    other: number;
    notUnderstood: number;
    new: number;
    waiting: number;
  }>;
  close(): Promise<void>;
}

/** A campaign with its counts and its money. Times in milliseconds, money in millionths. */
export interface CampaignOverview {
  campaign: Campaign;
  /** `finished`: activated, not canceled, nothing queued or sending, and no corrected contacts wait. */
  state: CampaignState | 'finished';
  reason: PauseReason | null;
  /** Paused (`start`) because it was cut off while it was sending: the last sign of that; left out: it was not. */
  cutOffAt?: number;
  /** How its first messages stand; null, or not there: it has no canary. */
  canary?: CanaryProgress | null;
  /** Networks whose messages wait, while it is running or paused; left out: none. */
  networks?: HeldNetwork[];
  messages: Record<MessageState, number> & { written_off: number };
  /** How often a message was taken back that a killed worker had claimed and never sent. */
  takenBack: number;
  startedAt: number | null;
  /** When the last message was settled; one that a person or a report decided later counts as of when it left. */
  finishedAt: number | null;
  /** What is charged, and the most that everything of unknown cost may have cost by the prices known now. */
  spentMicro: MoneyMicro;
  /** Messages that may have cost something and count as nothing, because no price is known. Left out: none. */
  unpriced?: number;
  /** What the messages that are queued or sending cost at the price of the launch; null, or left out: none was known. */
  leftMicro?: MoneyMicro | null;
  budgetMicro: MoneyMicro | null;
  /** Sent in the last 10 seconds of the campaign's activity, for the rate shown. */
  sentLast10s: number;
  /** When the latest message was sent, to the second; null: none was. */
  lastSentAt: number | null;
}

/** A network whose messages of a campaign wait. Times in milliseconds. */
export interface HeldNetwork {
  network: string;
  /** What it was seen by: messages that failed while they were sent, or delivery reports. */
  cause: 'sending' | 'delivery';
  /** A few messages try it now. */
  probing: boolean;
  since: number;
  /** When it is tried again; while it is tried, how long the reports are waited for. */
  until: number;
  /** In words, for `delivery`. */
  why: string | null;
}

/** The sums over all messages of a campaign. */
export interface Tallies {
  messages: Record<MessageState, number> & { written_off: number };
  delivery: Record<Delivery, number> & { unreported: number; conflict: number };
  reasons: { state: MessageState; reason: string; count: number; retryHelps: boolean }[];
  segments: { planned: number; one: number; two: number; more: number };
  chargedMicro: MoneyMicro;
  /** Sent messages whose cost is not known. */
  unknownCost: number;
  /** Highest reserved or known price of those, of open uncertain messages, and of those that were written off. */
  unknownMicro: MoneyMicro;
  atStakeMicro: MoneyMicro;
  writtenOffMicro: MoneyMicro;
  /** How many of these count as nothing, because no price is known. */
  unpriced: number;
  /** What the skipped messages would have cost at the lowest price seen; 0 when no price is known. */
  sparedMicro: MoneyMicro;
  /** The lowest price seen on the account for one segment; null when none is known. */
  lowestPriceMicro: MoneyMicro | null;
  byNetwork: { network: string | null; sent: number; delivered: number; chargedMicro: MoneyMicro }[];
  firstSentAt: number | null;
  lastSentAt: number | null;
}

/** Which uncertain messages: those of one line of the contacts file, to one number (international digits), or null: all. */
export interface UncertainQuery {
  campaign: number;
  limit: number;
  line: number | null;
  mobile: string | null;
}

/** A message whose fate nobody knows, and what is known of it. Times in milliseconds. */
export interface UncertainRow {
  seq: number;
  line: number;
  mobile: string;
  key: string;
  reason: string | null;
  attempts: number;
  /** When it became uncertain. */
  settledAt: number;
  writtenOff: boolean;
  flags: string[];
  /** What was seen on the wire of its latest attempt; null: nothing was, as when the worker died. */
  seen: (Evidence & { at: number }) | null;
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
  messageId: string | null;
  network: string | null;
  segments: number;
  costMicro: MoneyMicro | null;
  attempts: number;
  queuedAt: number;
  /** When the present verdict was recorded. */
  settledAt: number | null;
  /** When it left. A later decision of a person or a report does not change it. */
  sentAt: number | null;
  reportedAt: number | null;
  batch: number;
}

/** The last that the provider said of the credit, and the known charges since. */
export interface LastReading {
  at: number;
  creditMicro: MoneyMicro;
  chargedSinceMicro: MoneyMicro;
}

/** What the provider said of the credit (API document 2.4), beside what was spent by then. */
export interface Reading {
  at: number;
  creditMicro: MoneyMicro;
  spentMicro: MoneyMicro;
  quiet: boolean;
}

/** An invariant that does not hold, and the row that breaks it. */
export interface Violation {
  invariant: string;
  campaign: string | null;
  row: string;
  detail: string;
}
