import type { Outage } from '../../domain/pace/outage.ts';
import type { Campaign, CampaignHashes, PauseReason } from '../../domain/campaign.ts';
import type {
  LedgerFacts,
  StateChange,
  CancelPerson,
  PersonMessages,
  NewCampaign,
  NewMessage,
  DuplicateRow,
  SuppressedRow,
  Activation,
  Resolution,
  WorkerRegistration,
  RegisteredWorker,
  AccountTotals,
  NewReading,
  RecordedReading,
  KnownPrice,
  NewWebhook,
  StoredWebhook,
  WebhookKind,
  NewReport,
} from './records.ts';
import type {
  AttemptRef,
  DueBatch,
  Lease,
  LeaseRequest,
  BatchRelease,
  Release,
  ClaimRequest,
  Claim,
  SlotsRequest,
  CanaryStep,
  NetworkStep,
  OutcomeRecord,
  OutcomeResult,
  GuardQuery,
} from './sending.ts';
import type { GuardReason } from '../../domain/message-reason.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { AlertEndpointLedger } from './alert-endpoints.ts';
import type { AlertLedger } from './alerts.ts';
import type { AnswerLedger } from './answers.ts';
import type { EraseLedger } from './erase.ts';
import type { PeopleLedger } from './people.ts';
import type { PreparationLedger } from './preparations.ts';
import type { PurgeLedger } from './purge.ts';
import type { RequestLedger } from './requests.ts';
import type { StaleLedger } from './stale-ledger.ts';
import type { NewReply, ReplyLedger } from './replies.ts';
import type { ScheduleLedger } from './schedules.ts';
import type { TaskLedger } from './tasks.ts';

/**
 * The write contract of the ledger: the record of truth. An operation is one transaction, and durable
 * (fsynced) when its promise resolves. A failed operation does not undo others. `now` is the caller's wall
 * clock in milliseconds. Operations wait for a busy database: claims reject with `ledger_busy` after a
 * deadline, outcomes are retried without limit.
 */
export interface Ledger
  extends AlertEndpointLedger,
    AlertLedger,
    AnswerLedger,
    EraseLedger,
    PeopleLedger,
    PreparationLedger,
    PurgeLedger,
    RequestLedger,
    StaleLedger,
    ReplyLedger,
    ScheduleLedger,
    TaskLedger {
  // ── plan and launch ──────────────────────────────────────────────────────────────────────────────────────
  /** Creates a campaign in state `draft`. Drafts are invisible to workers and to reports. */
  createDraft(draft: NewCampaign): Promise<Campaign>;
  /**
   * Adds at most 5,000 rows to a draft, in order. Returns the rows that it left out. These are duplicates by
   * (mobile, key, occurrence). With `sender`, they are also numbers that its promotional campaigns must not
   * reach.
   */
  addMessages(
    campaign: number,
    rows: NewMessage[],
    about: { now: number; sender?: string },
  ): Promise<(DuplicateRow | SuppressedRow)[]>;
  /**
   * One commit: stores the upload's counts and makes the draft running (scheduled when `startAt` is set).
   * Otherwise returns the open campaign of that name, or one of the same files that was launched `since`.
   */
  activate(activation: Activation): Promise<{ activated: true } | { activated: false; open: Campaign }>;
  /** Deletes a draft and its rows (in several transactions when it is large). */
  discardDraft(campaign: number): Promise<void>;

  // ── verbs ────────────────────────────────────────────────────────────────────────────────────────────────
  /**
   * running → paused. False: the campaign was not running, or its budget was raised above `usedUpMicro`. An
   * operator's pause replaces a pause that would end by itself (`window`, `balance`, `canary` before its
   * verdict). `words` are the provider's own (strangersWords).
   */
  pause(
    campaign: number,
    change: StateChange & { reason: PauseReason; words?: string; usedUpMicro?: MoneyMicro | null },
  ): Promise<boolean>;
  /**
   * paused → running (only from one of `reasons`, when given). `sender` replaces the sender of a resumed
   * campaign. `budgetMicro` raises the budget, also of a running or scheduled campaign. Without `reasons` a
   * person asks, so held networks go on, too. False: nothing changed.
   */
  resume(
    campaign: number,
    change: StateChange & { reasons?: PauseReason[]; sender?: string; budgetMicro?: MoneyMicro },
  ): Promise<boolean>;
  /** Stops the campaign for good; its queued messages become canceled. Returns their number. */
  cancel(campaign: number, change: StateChange): Promise<number>;
  /**
   * Cancels what waits of one person, and whatever of that person becomes queued later. Refused for a recurring job
   * that reads its contacts anew. Returns the counts before it; `queued` were canceled. Twice is as once.
   */
  cancelPerson(campaign: number, order: CancelPerson): Promise<PersonMessages>;
  setRate(campaign: number, change: StateChange & { ratePerSecond: number | null }): Promise<void>;
  /**
   * rejected → queued where a retry can help, or of one reason. Refused if canceled. Leaves out messages whose
   * number a waiting report names, and rejections by a mapping whose answer is not older than
   * `answeredBefore`. Returns the number.
   */
  retry(
    campaign: number,
    change: StateChange & { reason?: string; answeredBefore?: number },
  ): Promise<number>;
  /**
   * Decides uncertain messages. `not_sent` takes only those settled before `before`; `tooYoung`: others. It
   * also leaves out those whose number a waiting report names, unless the line or number is given; `named`
   * left out: none.
   */
  resolve(
    campaign: number,
    change: Resolution,
  ): Promise<{ resolved: number; tooYoung: number; named?: number }>;
  /** scheduled → running when due, or → paused(start) after the deadline. Returns the changed campaigns. */
  startDue(now: number): Promise<{ campaign: Campaign; started: boolean }[]>;
  /**
   * Judges canaries by their reports. A campaign with settled first messages pauses (`canary`) until the
   * verdict. Returns the changes.
   */
  watchCanaries(now: number): Promise<CanaryStep[]>;
  /**
   * Judges by delivery reports which networks are ill for running campaigns; `recordOutcomes` judges by
   * failures in a row. Claims hold an ill network, except for a few messages that try it. Returns the changes
   * since the last call.
   */
  watchNetworks(now: number): Promise<NetworkStep[]>;
  /** Makes held messages due: all of a released network, or the few that may try one. */
  bringBackHeld(now: number): Promise<void>;

  // ── workers ──────────────────────────────────────────────────────────────────────────────────────────────
  registerWorker(identity: WorkerRegistration, now: number): Promise<number>;
  /**
   * Corrects times after heartbeats or launches from the future, because the clock ran ahead and was set
   * back. `clock` is read a second time, because this process may have been frozen.
   */
  clockSetBack(clock: () => number): Promise<void>;
  /**
   * Sends a sign of life with the outage that the worker sees, and prolongs its leases. False: it was reaped and must
   * stop.
   */
  heartbeat(worker: number, now: number, outage?: Outage | null): Promise<boolean>;
  /** The worker stops, and its leases end. The reaper decides about its `sending` messages. */
  retireWorker(worker: number, now: number): Promise<void>;
  /** Registered workers that are neither retired nor reaped, except `except`. Some may be dead. */
  otherWorkers(except: number | null): Promise<RegisteredWorker[]>;
  /** The attempts that a worker has `sending`: at most its claim limit. */
  stillSending(worker: number): Promise<AttemptRef[]>;
  /**
   * Ends a dead worker and its leases. Its `sending` messages become `uncertain`, because its note was
   * recorded before. Its running campaigns pause (`start`) after two hours without a sending worker
   * (`CUT_OFF_MS`), because the ledger may be an older one. Returns the number of uncertain messages.
   */
  reap(worker: number, now: number): Promise<number>;

  // ── sending ──────────────────────────────────────────────────────────────────────────────────────────────
  /**
   * Due, unsettled and unleased batches of running campaigns, at most `perCampaign` of each. The earliest
   * come first, and transactional campaigns before others.
   */
  dueBatches(query: { now: number; perCampaign: number }): Promise<DueBatch[]>;
  /**
   * Takes a batch when its epoch is `epoch`, it has no lease and its campaign runs. The lease's epoch is one
   * higher and fences all its work. Null: nothing to do (stale job, paused, settled, leased by another).
   */
  leaseBatch(lease: LeaseRequest): Promise<Lease | null>;
  /**
   * Ends a lease. Settles the batch when none of its messages is queued or sending. Otherwise returns its
   * next due time, not before `restUntil`.
   */
  releaseBatch(release: BatchRelease): Promise<Release>;
  /**
   * Queued → sending for at most `limit` messages of a leased batch, in one transaction. It checks the lease,
   * the running campaign, the account, `not_before` and the rate slots. It checks opt-outs and guards, whose
   * messages become skipped. It checks money: spent + reserved + estimate <= ceiling, and the budget. Only
   * returned messages may be sent, each not before its slot.
   */
  claim(claim: ClaimRequest): Promise<Claim>;
  /** Those of these campaigns that do not run: paused, canceled. Their claimed messages go back unsent. */
  haltedCampaigns(campaigns: readonly number[]): Promise<number[]>;
  /** New rate slots for messages that missed their own. Wall-clock milliseconds, in order. */
  takeSlots(request: SlotsRequest): Promise<number[]>;
  /**
   * Records verdicts of attempts that are `sending`, or (a worker's own late verdict) `uncertain`. Others are
   * stale. The same commit shrinks the reservations, adds the costs to `spent`, learns prices and applies
   * `pauses`.
   */
  recordOutcomes(record: OutcomeRecord): Promise<OutcomeResult[]>;

  // ── money ────────────────────────────────────────────────────────────────────────────────────────────────
  /** The account's running totals before a balance call; creates the account when it is new. */
  beginReading(account: string, now: number): Promise<AccountTotals>;
  /** The totals of every known account, for a balance call that will name the account. */
  beginReadings(now: number): Promise<AccountTotals[]>;
  /**
   * Stores a reading, which frees the reservations of uncertain messages settled before `begun.at`. Its
   * ceiling is the credit + `begun.spentMicro` + the returned `releasedMicro`.
   */
  recordReading(reading: NewReading): Promise<RecordedReading>;
  /**
   * Costs per segment seen on this account (null: on any), by network; empty: none learned. A zero price
   * counts only after ten free messages.
   */
  knownPrices(account: string | null): Promise<KnownPrice[]>;
  /** The network of each number's last message, in their order; null: not known. */
  networksOf(mobiles: string[]): Promise<(string | null)[]>;
  /** Why the guards would skip each message, as things are; null: they would not. */
  guardedBefore(
    query: GuardQuery & { messages: { mobile: string; textHash: number | null }[] },
  ): Promise<(GuardReason | null)[]>;

  // ── webhooks ─────────────────────────────────────────────────────────────────────────────────────────────
  /** Stores a raw webhook; resolves when it is durable. A repeat of the same content is only counted. */
  storeWebhook(webhook: NewWebhook): Promise<void>;
  /** Resolves after a write as durable as a webhook's; throws the error that a webhook would meet. */
  tryInbox(now: number): Promise<void>;
  /** Raw webhooks that were not processed yet, oldest first. */
  newWebhooks(limit: number): Promise<StoredWebhook[]>;
  /**
   * Stores the content of raw webhooks, and joins each report by messageid. An uncertain message is also
   * found by mobile (docs/state-machines.md, section 6). Reports with an unknown id wait. A reply's wish
   * holds from this commit on. All records are stored, or none.
   */
  recordReports(records: readonly WebhookRecord[]): Promise<void>;
  /** The same for one that was read before: the new content replaces the old. Twice is as once. */
  rereadWebhook(record: WebhookRecord): Promise<void>;
  /** Joins waiting reports whose message is now known. Returns their number. */
  joinWaiting(now: number): Promise<number>;

  // ── look-ups that writers need ───────────────────────────────────────────────────────────────────────────
  campaign(n: number): Promise<Campaign | null>;
  /** Paused campaigns, of any reason. */
  pausedCampaigns(): Promise<Campaign[]>;
  /** The latest non-draft campaign of that name, and whether it is settled. */
  latestNamed(name: string): Promise<{ campaign: Campaign; settled: boolean } | null>;
  /** The latest campaign of these contacts and other files, launched after `since`, without reminders. */
  latestOfContacts(hashes: CampaignHashes, since: number): Promise<Campaign | null>;
  /** False: the file at the ledger's path is not the open one, so no more may be claimed. */
  inPlace(): Promise<boolean>;
  /** A person begins this ledger: a launch need not ask whether nothing was sent before. */
  begin(change: StateChange): Promise<void>;
  /** Facts about the ledger itself. */
  facts(): Promise<LedgerFacts>;
  /** Online copy of the whole ledger to a new file. */
  backup(file: string): Promise<void>;
  /** If the file at the ledger's path is not the open one, the open one is saved beside it; the log says where. */
  close(): Promise<void>;
}

/** The content of one raw webhook. */
export interface WebhookRecord {
  webhook: number;
  kind: WebhookKind;
  reports: NewReport[];
  replies?: NewReply[];
  now: number;
}
