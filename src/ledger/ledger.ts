import type { Campaign, CampaignHashes, PauseReason } from '../domain/campaign.ts';
import type {
  LedgerFacts,
  StateChange,
  NewCampaign,
  NewMessage,
  DuplicateRow,
  SuppressedRow,
  Activation,
  Resolution,
  WorkerIdentity,
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
} from './sending.ts';
import type { MoneyMicro } from '../domain/money.ts';
import type { AlertLedger } from './alerts.ts';
import type { AnswerLedger } from './answers.ts';
import type { PurgeLedger } from './purge.ts';
import type { StaleLedger } from './stale-ledger.ts';
import type { NewReply, ReplyLedger } from './replies.ts';
import type { ScheduleLedger } from './schedules.ts';

/**
 * The write contract of the ledger: the record of truth. An operation is one transaction, and durable (fsynced) when its
 * promise resolves. One that fails does not undo others. `now` is the caller's wall clock in milliseconds. A busy database
 * is waited for: claims reject with `ledger_busy` after a deadline, outcomes are retried without limit.
 */
export interface Ledger
  extends AlertLedger,
    AnswerLedger,
    PurgeLedger,
    StaleLedger,
    ReplyLedger,
    ScheduleLedger {
  // ── plan and launch ──────────────────────────────────────────────────────────────────────────────────────────────
  /** Creates a campaign in state `draft`. Drafts are invisible to workers and to reports. */
  createDraft(draft: NewCampaign): Promise<Campaign>;
  /**
   * Adds at most 5,000 rows to a draft, in order. Returns the rows that it left out: those whose (mobile, key, occurrence)
   * is there already, and with `sender` those to which a promotional campaign of that sender must not write.
   */
  addMessages(
    campaign: number,
    rows: NewMessage[],
    about: { now: number; sender?: string },
  ): Promise<(DuplicateRow | SuppressedRow)[]>;
  /**
   * One commit: stores the upload's counts and makes the draft running (scheduled when `startAt` is set). Returns instead
   * the campaign of that name that is open, or one of the same files that was launched `since`.
   */
  activate(activation: Activation): Promise<{ activated: true } | { activated: false; open: Campaign }>;
  /** Deletes a draft and its rows (in several transactions when it is large). */
  discardDraft(campaign: number): Promise<void>;

  // ── verbs ────────────────────────────────────────────────────────────────────────────────────────────────────────
  /**
   * running → paused. False: the campaign was not running, or its budget was raised and is not `usedUpMicro` any more. An
   * operator's pause takes the place of one that would end by itself (`window`, `balance`, `canary` before its verdict).
   */
  pause(
    campaign: number,
    change: StateChange & { reason: PauseReason; usedUpMicro?: MoneyMicro | null },
  ): Promise<boolean>;
  /**
   * paused → running (only from one of `reasons`, when given). `sender` replaces the sender of a campaign that resumes.
   * `budgetMicro` raises the budget, also of a campaign that is running or scheduled. Without `reasons` a person asks, so
   * held networks go on, too. Returns whether anything changed.
   */
  resume(
    campaign: number,
    change: StateChange & { reasons?: PauseReason[]; sender?: string; budgetMicro?: MoneyMicro },
  ): Promise<boolean>;
  /** Stops the campaign for good; its queued messages become canceled. Returns how many. */
  cancel(campaign: number, change: StateChange): Promise<number>;
  setRate(campaign: number, change: StateChange & { ratePerSecond: number | null }): Promise<void>;
  /** rejected → queued where a retry can help (or of one reason). Refused on a canceled campaign. Returns how many. */
  retry(campaign: number, change: StateChange & { reason?: string }): Promise<number>;
  /** Decides uncertain messages. `not_sent` takes only those settled before `before`; `tooYoung` counts the others. */
  resolve(campaign: number, change: Resolution): Promise<{ resolved: number; tooYoung: number }>;
  /** scheduled → running when due, or → paused(start) when missed by more than the deadline. Returns those that changed. */
  startDue(now: number): Promise<{ campaign: Campaign; started: boolean }[]>;
  /**
   * Judges canaries by their reports: a campaign whose first messages are settled pauses (`canary`) until it is decided.
   * Returns what changed.
   */
  watchCanaries(now: number): Promise<CanaryStep[]>;
  /**
   * Judges by delivery reports which networks are ill for running campaigns (`recordOutcomes` judges by failures in a row).
   * Claims hold back an ill network, but for a few messages that try it. Returns what changed since the last call.
   */
  watchNetworks(now: number): Promise<NetworkStep[]>;
  /** Makes held messages due: all of a network that was let go, and of one that is tried as many as may try it. */
  bringBackHeld(now: number): Promise<void>;

  // ── workers ──────────────────────────────────────────────────────────────────────────────────────────────────────
  registerWorker(identity: WorkerIdentity, now: number): Promise<number>;
  /**
   * Puts times right after signs of life or launches that come from the future: the clock was ahead and has been set back.
   * `clock` is read a second time, because this process may have been frozen.
   */
  clockSetBack(clock: () => number): Promise<void>;
  /** Proves life and prolongs every lease of this worker. False: this worker was reaped and must stop. */
  heartbeat(worker: number, now: number): Promise<boolean>;
  /** The worker stops: its leases end. Anything of it still `sending` is left to the reaper. */
  retireWorker(worker: number, now: number): Promise<void>;
  /** Workers that are registered, not retired and not reaped, except `except`. The caller proves who is dead. */
  otherWorkers(except: number | null): Promise<RegisteredWorker[]>;
  /** The attempts that a worker has `sending`: at most its claim limit. */
  stillSending(worker: number): Promise<AttemptRef[]>;
  /**
   * Ends a dead worker and its leases. Whatever it left `sending` becomes `uncertain`, because its note is recorded before.
   * Its running campaigns are paused (`start`) when nobody was seen to send them for two hours (`CUT_OFF_MS`): the ledger
   * may be an older one. Returns how many messages became uncertain.
   */
  reap(worker: number, now: number): Promise<number>;

  // ── sending ──────────────────────────────────────────────────────────────────────────────────────────────────────
  /**
   * Batches of running campaigns that are due, unsettled and not leased: of each campaign at most `perCampaign`, those
   * due first, transactional campaigns before others.
   */
  dueBatches(query: { now: number; perCampaign: number }): Promise<DueBatch[]>;
  /**
   * Takes a batch when its epoch is `epoch`, it is not leased and its campaign runs. The lease's epoch is one higher
   * and fences everything done under it. Null: nothing to do (stale job, paused, settled, leased by another).
   */
  leaseBatch(lease: LeaseRequest): Promise<Lease | null>;
  /**
   * Ends a lease. Marks the batch settled when nothing of it is queued or sending; else says when it is due again: not
   * before `restUntil`, if given.
   */
  releaseBatch(release: BatchRelease): Promise<Release>;
  /**
   * Queued → sending for at most `limit` messages of a leased batch, in one transaction that checks: lease, campaign
   * running, account, opt-outs and guards (those become skipped), not_before, money (spent + reserved + estimate <= ceiling,
   * and the budget) and the rate slots. Only messages that come back may be sent, each not before its slot.
   */
  claim(claim: ClaimRequest): Promise<Claim>;
  /** New rate slots for messages that missed theirs. Wall-clock milliseconds, in order. */
  takeSlots(request: SlotsRequest): Promise<number[]>;
  /**
   * Records verdicts of attempts that are `sending`, or (a worker's own late verdict) `uncertain`. Others are stale. The
   * same commit shrinks the reservations, adds the costs to `spent`, learns prices and applies `pauses`.
   */
  recordOutcomes(record: OutcomeRecord): Promise<OutcomeResult[]>;

  // ── money ────────────────────────────────────────────────────────────────────────────────────────────────────────
  /** The account's running totals before a balance call; creates the account when it is new. */
  beginReading(account: string, now: number): Promise<AccountTotals>;
  /** The same of every account that is known, for a balance call that will tell whose it is. */
  beginReadings(now: number): Promise<AccountTotals[]>;
  /**
   * Stores a reading: uncertain messages settled before `begun.at` no longer hold money back. It allows its credit +
   * `begun.spentMicro` + the `releasedMicro` answered.
   */
  recordReading(reading: NewReading): Promise<RecordedReading>;
  /** Costs a segment seen on this account (or on any, for null), by network; empty when nothing was learned. A zero price counts only after ten free messages. */
  knownPrices(account: string | null): Promise<KnownPrice[]>;

  // ── webhooks ─────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Stores a raw webhook; the promise resolves after it is durable. A repeat of the same content only counts up. */
  storeWebhook(webhook: NewWebhook): Promise<void>;
  /** Resolves after a write as durable as that of a webhook, and throws what would keep one from being stored. */
  tryInbox(now: number): Promise<void>;
  /** Raw webhooks that were not processed yet, oldest first. */
  newWebhooks(limit: number): Promise<StoredWebhook[]>;
  /**
   * Stores what a raw webhook said, and joins each report by messageid (an uncertain message also by mobile, section 6 of
   * docs/state-machines.md). Reports with an unknown id wait. A reply's wish holds from this commit on.
   */
  recordReports(record: WebhookRecord): Promise<void>;
  /** The same for a webhook that was read before: what it said then is replaced. Twice is as once. */
  rereadWebhook(record: WebhookRecord): Promise<void>;
  /** Joins waiting reports whose message has become known. Returns how many were joined. */
  joinWaiting(now: number): Promise<number>;

  // ── look-ups that writers need ───────────────────────────────────────────────────────────────────────────────────
  campaign(n: number): Promise<Campaign | null>;
  /** Campaigns that are paused, for whatever reason. */
  pausedCampaigns(): Promise<Campaign[]>;
  /** The latest non-draft campaign of that name, and whether it is settled. */
  latestNamed(name: string): Promise<{ campaign: Campaign; settled: boolean } | null>;
  /** The latest campaign of the same contacts and other files that was launched since (milliseconds UTC). Reminders do not count. */
  latestOfContacts(hashes: CampaignHashes, since: number): Promise<Campaign | null>;
  /** False: the file at the ledger's path is not the one that is open, so nothing more may be claimed. */
  inPlace(): Promise<boolean>;
  /** Saves the open ledger beside its path, where that file is gone. Returns the path of the copy. */
  rescue(now: number): Promise<string>;
  /** Facts about the ledger itself. */
  facts(): Promise<LedgerFacts>;
  /** Online copy of the whole ledger to a new file. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** What was read in one raw webhook. */
export interface WebhookRecord {
  webhook: number;
  kind: WebhookKind;
  reports: NewReport[];
  replies?: NewReply[];
  now: number;
}
