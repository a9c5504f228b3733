import type { Campaign } from '../../domain/campaign.ts';
import type { MessageState } from '../../domain/message.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { AlertEndpointReader } from './alert-endpoints.ts';
import type { PeopleReader } from './people.ts';
import type { PreparationReader } from './preparations.ts';
import type { PurgeReader } from './purge.ts';
import type { AcceptedLoss } from './stale-ledger.ts';
import type {
  AuditPage,
  AuditTrail,
  LivingWorker,
  MessageRow,
  PersonMessages,
  PersonOfCampaign,
  UploadCounts,
} from './records.ts';
import type { EraseReader } from './erase.ts';
import type { FindingReader } from './finding.ts';
import type { ReplyReader } from './replies.ts';
import type { ScheduleReader } from './schedules.ts';
import type { AnswerReader } from './answers.ts';
import type { CounterReader } from './counters.ts';
import type { CampaignOverview, Tallies } from './overview.ts';
import type { Evidence } from './sending.ts';
import type { StatementReader } from './statement.ts';
import type { TaskReader } from './tasks.ts';

export type { CampaignOverview, HeldNetwork, Tallies } from './overview.ts';
export type { MessageRow } from './records.ts';

/**
 * The read contract of the ledger. No read's transaction lasts longer than a second, except for the sums of
 * `violations`. Drafts are hidden.
 */
export interface LedgerReader
  extends AlertEndpointReader,
    AnswerReader,
    EraseReader,
    FindingReader,
    PeopleReader,
    CounterReader,
    PreparationReader,
    PurgeReader,
    ReplyReader,
    ScheduleReader,
    StatementReader,
    TaskReader {
  /** All campaigns, newest first. */
  campaigns(): Promise<CampaignOverview[]>;
  /** The campaigns that `reference` may mean: an id, a prefix of ids, or a name (then only its latest). */
  find(reference: string): Promise<Campaign[]>;
  overview(campaign: number): Promise<CampaignOverview>;
  uploads(campaign: number): Promise<UploadCounts>;
  /** The counts of the campaign report. Pending since before `unreportedBefore` counts as unreported. */
  tallies(campaign: number, unreportedBefore: number): Promise<Tallies>;
  /**
   * The most frequent words of the provider for each reason of rejected and uncertain messages, among the first and the
   * last thousand of such answers.
   */
  providerWords(campaign: number): Promise<ProviderWords[]>;
  /** One page of messages by sequence, for exports. `withFields` false: their `fields` are empty, and cost nothing. */
  messages(query: {
    campaign: number;
    afterSeq: number;
    limit: number;
    states: MessageState[] | null;
    withFields?: boolean;
  }): Promise<MessageRow[]>;
  /** At most `limit` uncertain messages by sequence, and their total number. */
  uncertain(query: UncertainQuery): Promise<{ rows: UncertainRow[]; total: number }>;
  /** The open uncertain messages that were settled at or after `since`, in milliseconds. */
  youngUncertain(query: { campaign: number; since: number }): Promise<YoungUncertain>;
  /** The number of people who would still get something of the campaign. */
  peopleLeft(campaign: number): Promise<number>;
  /** The messages of one person, by their states. `isSeries`: its keys are followed by offsets. */
  personMessages(person: PersonOfCampaign & { isSeries: boolean }): Promise<PersonMessages>;
  /** Balance readings of an account, oldest first. */
  readings(account: string, span: { from: number; to: number }): Promise<Reading[]>;
  /** The last balance reading of an account, and the charges known since; null: none. */
  lastReading(account: string): Promise<LastReading | null>;
  /**
   * What every open campaign of an account, or (null) of all accounts, still has to send, and the credit: one snapshot.
   * Costs the same for any number of messages, reminders excepted.
   */
  plannedAhead(account: string | null): Promise<PlannedAhead>;
  /** Ids of other campaigns of the account that had messages in flight in the span. */
  sharedWith(campaign: number, span: { from: number; to: number }): Promise<string[]>;
  /** Workers with a heartbeat after `since`. */
  aliveWorkers(since: number): Promise<LivingWorker[]>;
  /** The latest entries of the audit; `campaign` null: of all campaigns and of the account. */
  auditTrail(query: { campaign: number | null; limit: number }): Promise<AuditTrail>;
  /** A page of the same, the latest first, behind `before`; null: the first page. */
  auditPage(query: { campaign: number | null; before: number | null; limit: number }): Promise<AuditPage>;
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

/** Open uncertain messages that may not be sent again yet; `latestAt`: when the last one was settled, null: none. */
export interface YoungUncertain {
  count: number;
  latestAt: number | null;
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

/** The credit and the open campaigns of one moment. */
export interface PlannedAhead {
  /** Of the account; null: none was read, or the campaigns are of several accounts. */
  reading: LastReading | null;
  campaigns: OpenCampaign[];
}

/** A campaign with messages to send. Times in milliseconds, money in millionths. */
export interface OpenCampaign {
  campaign: { id: string; name: string; zone: string };
  /** When it begins; null: it has begun, or may at once. */
  startAt: number | null;
  /** Queued and sending messages, and what they cost at the price of the launch; null: it is not known. */
  waiting: number;
  leftMicro: number | null;
  /** Of reminders: the next ten moments, and the waiting messages of each. Else null. */
  due: { at: number; messages: number }[] | null;
  /** Of a recurring job: the next firing (null: none comes), which sends all messages again. Else null. */
  firing: { at: number | null; messages: number; costMicro: number | null } | null;
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
