import type { Campaign, CampaignState, PauseReason } from '../domain/campaign.ts';
import type { CanaryProgress } from '../domain/pace/canary.ts';
import type { Delivery, MessageState } from '../domain/message.ts';
import type { MoneyMicro } from '../domain/money.ts';
import type { PeopleReader } from './people.ts';
import type { PurgeReader } from './purge.ts';
import type { AcceptedLoss } from './stale-ledger.ts';
import type { AuditTrail, LivingWorker, PersonMessages, PersonOfCampaign, UploadCounts } from './records.ts';
import type { ReplyReader } from './replies.ts';
import type { ScheduleReader } from './schedules.ts';
import type { AnswerReader } from './answers.ts';
import type { Evidence } from './sending.ts';
import type { StatementReader } from './statement.ts';

/** The read contract of the ledger. No read's transaction lasts longer than a second. Drafts are hidden. */
export interface LedgerReader
  extends AnswerReader,
    PeopleReader,
    PurgeReader,
    ReplyReader,
    ScheduleReader,
    StatementReader {
  /** All campaigns, newest first. */
  campaigns(): Promise<CampaignOverview[]>;
  /** The campaigns that `reference` may mean: an id, a prefix of ids, or a name (then only its latest). */
  find(reference: string): Promise<Campaign[]>;
  overview(campaign: number): Promise<CampaignOverview>;
  uploads(campaign: number): Promise<UploadCounts>;
  /** The counts of the campaign report. Pending since before `unreportedBefore` counts as unreported. */
  tallies(campaign: number, unreportedBefore: number): Promise<Tallies>;
  /** The most frequent words of the provider for each reason of rejected and uncertain messages. */
  providerWords(campaign: number): Promise<ProviderWords[]>;
  /** Nearest-rank percentiles (0 < p <= 100) of send and delivery latency, milliseconds; null: no values. */
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
  /** At most `limit` uncertain messages by sequence, and their total number. */
  uncertain(query: UncertainQuery): Promise<{ rows: UncertainRow[]; total: number }>;
  /** The number of people who would still get something of the campaign. */
  peopleLeft(campaign: number): Promise<number>;
  /** The messages of one person, by their states. `isSeries`: its keys are followed by offsets. */
  personMessages(person: PersonOfCampaign & { isSeries: boolean }): Promise<PersonMessages>;
  /** Balance readings of an account, oldest first. */
  readings(account: string, span: { from: number; to: number }): Promise<Reading[]>;
  /** The last balance reading of an account, and the charges known since; null: none. */
  lastReading(account: string): Promise<LastReading | null>;
  /** Ids of other campaigns of the account that had messages in flight in the span. */
  sharedWith(campaign: number, span: { from: number; to: number }): Promise<string[]>;
  /** Workers with a heartbeat after `since`. */
  aliveWorkers(since: number): Promise<LivingWorker[]>;
  /** The latest entries of the audit; `campaign` null: of all campaigns and of the account. */
  auditTrail(query: { campaign: number | null; limit: number }): Promise<AuditTrail>;
  /** The loss that makes a launch of this draft doubtful; null: none, or a person has answered. */
  acceptedLoss(draft: number): Promise<AcceptedLoss | null>;
  /** Rows that break an invariant; a sound ledger has none. `campaign` null: all. */
  violations(campaign: number | null): Promise<Violation[]>;
  /** When the last delivery report arrived; null: none did. */
  lastReportAt(): Promise<number | null>;
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
  /** The last sign of sending before it was paused (`start`) as cut off; left out: it was not cut off. */
  cutOffAt?: number;
  /** True: a recurring job that was paused (`start`), because it could not read its files; else left out. */
  filesUnread?: true;
  /** The provider's own words about the pause, cleaned; left out: none. */
  pauseSaid?: string;
  /** The progress of its canary; null or left out: it has none. */
  canary?: CanaryProgress | null;
  /** Networks whose messages wait, while it is running or paused; left out: none. */
  networks?: HeldNetwork[];
  messages: Record<MessageState, number> & { written_off: number };
  /** The number of messages that a killed worker had claimed and never sent. */
  takenBack: number;
  startedAt: number | null;
  /** The time when the last message was settled; for one decided later, the time when it left. */
  finishedAt: number | null;
  /** The charged money, and the highest possible cost of messages with unknown cost by present prices. */
  spentMicro: MoneyMicro;
  /** Messages that may have a cost but count as nothing, because no price is known. Left out: none. */
  unpriced?: number;
  /** The cost of queued and sending messages at the price of the launch; null or left out: unknown. */
  leftMicro?: MoneyMicro | null;
  budgetMicro: MoneyMicro | null;
  /** Sent in the last 10 seconds of the campaign's activity, for the rate shown. */
  sentLast10s: number;
  /** The second of the latest sent message; null: none was sent. */
  lastSentAt: number | null;
}

/** A network whose messages of a campaign wait. Times in milliseconds. */
export interface HeldNetwork {
  network: string;
  /** The evidence: messages that failed while they were sent, or delivery reports. */
  cause: 'sending' | 'delivery';
  /** A few messages try it now. */
  probing: boolean;
  since: number;
  /** The time of the next try; during a try, the end of the wait for its reports. */
  until: number;
  /** The reason in words, if the cause is `delivery`. */
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
  /** The highest reserved or known prices of these, of open uncertain messages, and of written-off ones. */
  unknownMicro: MoneyMicro;
  atStakeMicro: MoneyMicro;
  writtenOffMicro: MoneyMicro;
  /** The number of these that count as nothing, because no price is known. */
  unpriced: number;
  /** The possible cost of the skipped messages at the lowest price seen; 0: no price is known. */
  sparedMicro: MoneyMicro;
  /** The lowest price seen on the account for one segment; null when none is known. */
  lowestPriceMicro: MoneyMicro | null;
  byNetwork: { network: string | null; sent: number; delivered: number; chargedMicro: MoneyMicro }[];
  firstSentAt: number | null;
  lastSentAt: number | null;
}

/** Words of the provider, cleaned, about messages of one state and reason. */
export interface ProviderWords {
  state: MessageState;
  reason: string;
  words: string;
}

/** The wanted uncertain messages: one line of the contacts, one number, or null: all. */
export interface UncertainQuery {
  campaign: number;
  limit: number;
  line: number | null;
  mobile: string | null;
}

/** A message with an unknown fate, and its known facts. Times in milliseconds. */
export interface UncertainRow {
  seq: number;
  line: number;
  mobile: string;
  key: string;
  reason: string | null;
  attempts: number;
  /** The time when it became uncertain. */
  settledAt: number;
  writtenOff: boolean;
  flags: string[];
  /** The evidence of its latest attempt; null: none, for example because the worker died. */
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

/** The provider's last credit, and the known charges since. */
export interface LastReading {
  at: number;
  creditMicro: MoneyMicro;
  chargedSinceMicro: MoneyMicro;
}

/** The provider's credit (API document 2.4), and the money spent by then. */
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
