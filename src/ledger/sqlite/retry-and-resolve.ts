import type { DatabaseSync } from 'node:sqlite';
import type { CampaignSettings } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import { ALREADY_REMINDED, MOMENT_PAST } from '../../domain/time/occurrence.ts';
import type { Resolution, StateChange } from '../records.ts';
import type { AnswerGroups } from './answers.ts';
import { type BatchRecords, MOST_ROWS, type StepDone } from './batches.ts';
import type { Entry, OpenTotals } from './running-totals.ts';
import type { CampaignRecords, CampaignRow } from './campaigns.ts';
import type { MessageRef } from './message-ids.ts';
import type { PreparationBook } from './preparations.ts';
import { PurgedReminders } from './purged-reminders.ts';
import { OtherNumbers } from './other-numbers.ts';
import { type Sql, loadStatements } from './statements.ts';

/**
 * Only a person may retry rejected messages or decide uncertain ones. Both go in steps, and the first step
 * writes the audit row. The same command, run again after a crash, finishes the rest.
 */

/** One step over the rejected messages of a campaign. */
export interface RetryStep extends StateChange {
  campaign: number;
  reason?: string;
  /** Rejections by a mapping wait until their answer is older than this; left out: none waits. */
  answeredBefore?: number;
  afterSeq: number;
}

/** One step over the uncertain messages of a campaign. */
export interface ResolveStep extends Resolution {
  campaign: number;
  afterSeq: number;
}

/** The result of a step; `afterSeq` null: it was the last. */
export interface ResolveDone {
  resolved: number;
  tooYoung: number;
  /** Messages that were left out, because a waiting report names their number. */
  named: number;
  afterSeq: number | null;
}

interface UncertainRow {
  seq: number;
  settled_at: number;
  reserved: MoneyMicro;
  counted: MoneyMicro;
}

/** The records that retry and resolve share with other operations. */
export interface RetryRecords {
  preparations: Pick<PreparationBook, 'requireApproverNow'>;
  campaigns: CampaignRecords;
  batches: BatchRecords;
  openTotals: OpenTotals;
  answers: AnswerGroups;
}

interface Context extends RetryRecords {
  sql: Sql;
  otherNumbers: OtherNumbers;
  purged: PurgedReminders;
}

/** Retry and resolve (ledger.ts), step by step, so that a large campaign does not block the ledger. */
export function retryOperations(database: DatabaseSync, records: RetryRecords) {
  const sql = loadStatements(database, new URL('./retry-and-resolve.sql', import.meta.url));
  const context = {
    sql,
    otherNumbers: new OtherNumbers(database),
    purged: new PurgedReminders(database),
    ...records,
  };
  return {
    retryStep: (step: RetryStep) => retryStep(context, step),
    resolveStep: (step: ResolveStep) => resolveStep(context, step),
  };
}

function retryStep(context: Context, step: RetryStep): StepDone {
  const { sql, batches, campaigns } = context;
  const { campaign, reason = null, answeredBefore = null, now, by, afterSeq } = step;
  const row = refusePurged(context, campaign);
  refuseCanceled(row);
  context.preparations.requireApproverNow('send rejected messages again', campaign);
  const series = seriesOf(row);
  if (afterSeq === 0) {
    campaigns.audit({ now, by, verb: 'retry', campaign, detail: { reason } });
    sql('run_again').run(campaign);
  }
  const contradicted = String(sql('contradicted').get(campaign)?.['seqs']);
  const which = [reason, contradicted, answeredBefore];
  return batches.walk(step, ({ id, first_seq: first, last_seq: last }) => {
    const seqs = String(sql('retryable').get(campaign, first, last, ...which)?.['seqs']);
    sql('keep_rejected').run(campaign, seqs);
    const changed = Number(sql('retry_rejected').run(campaign, seqs).changes);
    const requeued =
      changed === 0 || series === null
        ? changed
        : changed - dropReminders(context, { campaign, first, last, now, series }, { isRetry: true });
    if (requeued > 0) batches.makeDue(id, now);
    return requeued;
  });
}

/** The requeued reminders of one batch. */
interface Requeued {
  campaign: number;
  first: number;
  last: number;
  now: number;
  series: ReminderSeries;
}

/**
 * Returns how many requeued reminders it drops, because another message reminds or the last upload omitted
 * them. A rejected newer date of the same reminder drops the older one, but only in a retry.
 */
function dropReminders(context: Context, span: Requeued, { isRetry }: { isRetry: boolean }): number {
  const { sql } = context;
  const { campaign, first, last, now, series } = span;
  const { name, keyed } = series;
  skipExpiredCopies(context, span);
  const skip = [now, ALREADY_REMINDED, name, keyed, isRetry ? 1 : 0];
  const skipped = sql('skip_reminded').run(campaign, first, last, ...skip).changes;
  const left = sql('cancel_forgotten').run(campaign, first, last, now, isRetry ? keyed : 0).changes;
  const elsewhere = dropAtOtherNumbers(context, span, { isRetry });
  return Number(skipped) + Number(left) + elsewhere + dropPurged(context, span);
}

/** The same for reminders of contacts with several phone columns, at the other numbers of their persons. */
function dropAtOtherNumbers(
  { sql, otherNumbers }: Context,
  { campaign, first, last, now, series: { keyed } }: Requeued,
  { isRetry }: { isRetry: boolean },
): number {
  if (!otherNumbers.areKnown()) return 0;
  const requeued = sql('requeued').all(campaign, first, last);
  return requeued.filter((row) =>
    otherNumbers.skipReminded({ campaign, seq: Number(row['seq']), now, keyed }, { isRetry }),
  ).length;
}

/** The same for reminders that another campaign sent before it was purged. */
function dropPurged(
  { sql, otherNumbers, purged }: Context,
  { campaign, first, last, now, series: { keyed } }: Requeued,
): number {
  if (!purged.areKnown()) return 0;
  const requeued = sql('requeued').all(campaign, first, last);
  return requeued.filter((row) =>
    otherNumbers.skipPurged({ campaign, seq: Number(row['seq']), now, keyed }, purged),
  ).length;
}

/** Skips the same reminders of other campaigns whose day is over, as an upload does (reminders.ts). */
function skipExpiredCopies(
  { sql, batches }: Context,
  { campaign, first, last, now, series: { name } }: Requeued,
): void {
  const touched = batches.touched();
  const skipped = sql('skip_expired_copies').all(
    campaign,
    first,
    last,
    now,
    MOMENT_PAST,
    name,
  ) as unknown as MessageRef[];
  for (const copy of skipped) touched.of(copy.campaign, copy.seq);
  touched.settle(now);
}

/** The data that finds other campaigns with the same reminders. */
interface ReminderSeries {
  name: string;
  /** 1: reminders have a key, and a key has only one date. */
  keyed: number;
}

/** Null: the campaign has no reminders. */
function seriesOf({ name, settings }: CampaignRow): ReminderSeries | null {
  const { remind } = JSON.parse(settings) as CampaignSettings;
  return remind === undefined ? null : { name, keyed: remind.keyed ? 1 : 0 };
}

function resolveStep(context: Context, step: ResolveStep): ResolveDone {
  const { campaign, decision, before, now } = step;
  checkResolveStep(context, step);
  if (decision === 'not_sent')
    context.preparations.requireApproverNow('send uncertain messages again', campaign);
  const page = uncertainAfter(context, step);
  const old = page.filter((row) => decision !== 'not_sent' || row.settled_at < before);
  const named = namedByReports(context, step);
  const decided = old.filter(({ seq }) => !named.has(seq));
  const totals = context.openTotals();
  const touched = context.batches.touched();
  const series = seriesOf(context.campaigns.require(campaign, { launched: true }));
  for (const row of decided) {
    decide(context, step, row);
    book(totals.of(campaign), decision, row);
    if (decision !== 'not_sent') continue;
    const next = nextSendOf(context, { campaign, seq: row.seq, series, now });
    if (next !== null) context.batches.makeDue(touched.of(campaign, next.seq).id, next.dueAt);
  }
  totals.post(now);
  const last = page.length < MOST_ROWS ? null : (page.at(-1)?.seq ?? null);
  const [resolved, tooYoung] = [decided.length, page.length - old.length];
  return { resolved, tooYoung, named: old.length - decided.length, afterSeq: last };
}

/** A waiting report may prove such a message. Only a person who names one message sends it again. */
function namedByReports({ sql }: Context, { campaign, decision, line, mobile }: ResolveStep): Set<number> {
  if (decision !== 'not_sent' || line !== undefined || mobile !== undefined) return new Set();
  return new Set(
    sql('named_uncertain')
      .all(campaign)
      .map((row) => Number(row['seq'])),
  );
}

/** A message that a person resolved as not sent. */
interface NotSent {
  campaign: number;
  seq: number;
  series: ReminderSeries | null;
  now: number;
}

/** A message that is queued again, and the time when it is due. */
interface NextSend {
  seq: number;
  dueAt: number;
}

/**
 * The message to send after `not_sent`; null: another message reminds, the last upload
 * omitted it, or its person was canceled by hand.
 */
function nextSendOf(context: Context, notSent: NotSent): NextSend | null {
  const { campaign, seq, series, now } = notSent;
  const next = movedDate(context, notSent) ?? { seq, dueAt: now };
  if (context.sql('is_queued').get(campaign, next.seq) === undefined) return null;
  if (series === null) return next;
  const span = { campaign, first: next.seq, last: next.seq, now, series };
  return dropReminders(context, span, { isRetry: false }) === 0 ? next : null;
}

interface MovedTo {
  seq: number;
  notBefore: number;
}

/** The new date or number from the last upload, sent instead of this one. Null: none. */
function movedDate({ sql, otherNumbers }: Context, notSent: NotSent): NextSend | null {
  const { campaign, seq, series, now } = notSent;
  if (series === null) return null;
  const { keyed } = series;
  const atThisNumber =
    keyed === 1
      ? (sql('moved_to').get(campaign, seq, now, ALREADY_REMINDED) as MovedTo | undefined)
      : undefined;
  const moved = atThisNumber ?? otherNumbers.movedTo({ campaign, seq, now, keyed });
  if (moved === null) return null;
  sql('cancel_moved').run(campaign, seq, now);
  sql('bring_back').run(campaign, moved.seq);
  return { seq: moved.seq, dueAt: moved.notBefore };
}

function checkResolveStep(context: Context, step: ResolveStep): void {
  const { campaign, afterSeq, decision, line, mobile, now, by } = step;
  context.campaigns.require(campaign, { launched: true });
  if (decision === 'not_sent') refuseCanceled(refusePurged(context, campaign));
  if (afterSeq > 0) return;
  if (decision === 'not_sent') context.sql('run_again').run(campaign);
  context.campaigns.audit({ now, by, verb: 'resolve', campaign, detail: { decision, line, mobile } });
}

function uncertainAfter({ sql }: Context, step: ResolveStep): UncertainRow[] {
  const { campaign, afterSeq, line = null, mobile = null } = step;
  return sql('uncertain_after').all(campaign, afterSeq, line, mobile, MOST_ROWS) as unknown as UncertainRow[];
}

function decide(
  { sql, answers }: Context,
  { campaign, decision, now }: ResolveStep,
  { seq }: UncertainRow,
): void {
  switch (decision) {
    case 'write_off':
      sql('write_off').run(campaign, seq);
      return;
    case 'sent':
      sql('call_sent').run(campaign, seq, now);
      return;
    case 'not_sent':
      sql('keep_uncertain').run(campaign, seq);
      answers.takeWithdrawn(campaign, seq);
      sql('call_not_sent').run(campaign, seq);
  }
}

/** Sent: the reservation is assumed cost until a balance reading. Not sent: it and `counted` are freed. */
function book(entry: Entry, decision: ResolveStep['decision'], { reserved, counted }: UncertainRow): void {
  if (decision === 'write_off') return;
  entry.reserved -= reserved;
  if (decision === 'sent') entry.assumed += reserved;
  else entry.campaignSpent -= counted;
}

function refusePurged({ campaigns }: Context, campaign: number): CampaignRow {
  const row = campaigns.require(campaign, { launched: true });
  if (row.purge_seq === null) return row;
  throw new TumaError('state_forbids', {
    message: `Campaign ${row.id} was purged. Its numbers are gone, so it cannot send again.`,
  });
}

function refuseCanceled({ state, id }: CampaignRow): void {
  if (state !== 'canceled') return;
  throw new TumaError('state_forbids', {
    message: `Campaign ${id} is canceled; nothing of it is sent again.`,
  });
}
