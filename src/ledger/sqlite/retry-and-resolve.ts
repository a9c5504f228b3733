import type { DatabaseSync } from 'node:sqlite';
import type { CampaignSettings } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import { ALREADY_REMINDED, MOMENT_PAST } from '../../domain/time/occurrence.ts';
import type { Resolution, StateChange } from '../records.ts';
import { type BatchRecords, MOST_ROWS, type StepDone } from './batches.ts';
import type { Entry, OpenTotals } from './running-totals.ts';
import type { CampaignRecords, CampaignRow } from './campaigns.ts';
import type { MessageRef } from './message-ids.ts';
import { type Sql, loadStatements } from './statements.ts';

/**
 * Only a person may try rejected messages again or decide uncertain ones. Both go in steps, and the first step writes the audit
 * row. After a crash the same verb takes the rest.
 */

/** One step over the rejected messages of a campaign. */
export interface RetryStep extends StateChange {
  campaign: number;
  reason?: string;
  afterSeq: number;
}

/** One step over the uncertain messages of a campaign. */
export interface ResolveStep extends Resolution {
  campaign: number;
  afterSeq: number;
}

/** What a step did; `afterSeq` null: it was the last. */
export interface ResolveDone {
  resolved: number;
  tooYoung: number;
  afterSeq: number | null;
}

interface UncertainRow {
  seq: number;
  settled_at: number;
  reserved: MoneyMicro;
  counted: MoneyMicro;
}

/** What retry and resolve share with other operations. */
export interface RetryRecords {
  campaigns: CampaignRecords;
  batches: BatchRecords;
  openTotals: OpenTotals;
}

interface Context extends RetryRecords {
  sql: Sql;
}

/** Retry and resolve (ledger.ts), step by step, so that a large campaign does not hold the ledger. */
export function retryOperations(database: DatabaseSync, records: RetryRecords) {
  const sql = loadStatements(database, new URL('./retry-and-resolve.sql', import.meta.url));
  const context = { sql, ...records };
  return {
    retryStep: (step: RetryStep) => retryStep(context, step),
    resolveStep: (step: ResolveStep) => resolveStep(context, step),
  };
}

function retryStep(context: Context, step: RetryStep): StepDone {
  const { sql, batches, campaigns } = context;
  const { campaign, reason = null, now, by, afterSeq } = step;
  const row = refusePurged(context, campaign);
  refuseCanceled(row);
  const remind = remindOf(row);
  if (afterSeq === 0) {
    campaigns.audit({ now, by, verb: 'retry', campaign, detail: { reason } });
    sql('run_again').run(campaign);
  }
  return batches.walk(step, ({ id, first_seq: first, last_seq: last }) => {
    sql('keep_rejected').run(campaign, first, last, reason);
    const changed = Number(sql('retry_rejected').run(campaign, first, last, reason).changes);
    const goes =
      changed === 0 || remind === null
        ? changed
        : changed - dropReminders(context, { campaign, first, last, now, remind }, { isRetry: true });
    if (goes > 0) batches.makeDue(id, now);
    return goes;
  });
}

/** Reminders of one batch that are put back. */
interface PutBack {
  campaign: number;
  first: number;
  last: number;
  now: number;
  remind: Remind;
}

/**
 * Answers how many of those that are put back do not go, because somebody else reminded or the last upload left them out. A date
 * that was refused holds back a retry only.
 */
function dropReminders(context: Context, span: PutBack, { isRetry }: { isRetry: boolean }): number {
  const { sql } = context;
  const { campaign, first, last, now, remind } = span;
  const { name, keyed } = remind;
  endPast(context, span);
  const skip = [now, ALREADY_REMINDED, name, keyed, isRetry ? 1 : 0];
  const skipped = sql('skip_reminded').run(campaign, first, last, ...skip).changes;
  const left = sql('cancel_forgotten').run(campaign, first, last, now, isRetry ? keyed : 0).changes;
  return Number(skipped) + Number(left);
}

/** Skips the same reminders of other campaigns whose day is over, as an upload does (reminders.ts). */
function endPast({ sql, batches }: Context, { campaign, first, last, now, remind: { name } }: PutBack): void {
  const touched = batches.touched();
  const ended = sql('end_past').all(campaign, first, last, now, MOMENT_PAST, name) as unknown as MessageRef[];
  for (const past of ended) touched.of(past.campaign, past.seq);
  touched.settle(now);
}

/** By what other campaigns of the same reminders are known. */
interface Remind {
  name: string;
  keyed: number;
}

/** Null: it has no reminders. */
function remindOf({ name, settings }: CampaignRow): Remind | null {
  const { remind } = JSON.parse(settings) as CampaignSettings;
  return remind === undefined ? null : { name, keyed: remind.keyed ? 1 : 0 };
}

function resolveStep(context: Context, step: ResolveStep): ResolveDone {
  const { campaign, decision, before, now } = step;
  beginResolve(context, step);
  const page = uncertainAfter(context, step);
  const decided = page.filter((row) => decision !== 'not_sent' || row.settled_at < before);
  const totals = context.openTotals();
  const touched = context.batches.touched();
  const remind = remindOf(context.campaigns.require(campaign, { launched: true }));
  for (const row of decided) {
    decide(context, step, row);
    book(totals.of(campaign), decision, row);
    if (decision !== 'not_sent') continue;
    const place = placeOf(context, { campaign, seq: row.seq, remind, now });
    if (place !== null) context.batches.makeDue(touched.of(campaign, place.seq).id, place.dueAt);
  }
  totals.post(now);
  const last = page.length < MOST_ROWS ? null : (page.at(-1)?.seq ?? null);
  return { resolved: decided.length, tooYoung: page.length - decided.length, afterSeq: last };
}

/** A message that a person called not sent. */
interface NotSent {
  campaign: number;
  seq: number;
  remind: Remind | null;
  now: number;
}

/** A message that is queued again, and when it is due. */
interface Place {
  seq: number;
  dueAt: number;
}

/** What goes for a message that a person called not sent; null: nothing, because somebody else reminded or it was left out. */
function placeOf(context: Context, asked: NotSent): Place | null {
  const { campaign, seq, remind, now } = asked;
  if (remind === null) return { seq, dueAt: now };
  const place = movedDate(context, asked) ?? { seq, dueAt: now };
  const span = { campaign, first: place.seq, last: place.seq, now, remind };
  return dropReminders(context, span, { isRetry: false }) === 0 ? place : null;
}

/** The later date of a reminder that an upload moved while it was uncertain: that date goes in its place. Null: there is none. */
function movedDate({ sql }: Context, { campaign, seq, remind, now }: NotSent): Place | null {
  if (remind?.keyed !== 1) return null;
  const moved = sql('moved_to').get(campaign, seq, now, ALREADY_REMINDED) as
    | { seq: number; notBefore: number }
    | undefined;
  if (moved === undefined) return null;
  sql('cancel_moved').run(campaign, seq, now);
  sql('bring_back').run(campaign, moved.seq);
  return { seq: moved.seq, dueAt: moved.notBefore };
}

function beginResolve(context: Context, step: ResolveStep): void {
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

function decide({ sql }: Context, { campaign, decision, now }: ResolveStep, { seq }: UncertainRow): void {
  switch (decision) {
    case 'write_off':
      sql('write_off').run(campaign, seq);
      return;
    case 'sent':
      sql('call_sent').run(campaign, seq, now);
      return;
    case 'not_sent':
      sql('keep_uncertain').run(campaign, seq);
      sql('call_not_sent').run(campaign, seq);
  }
}

/** Sent: the unknown cost stays subtracted until a reading. Not sent: nothing is counted any more. */
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
    message: `The numbers of campaign ${row.id} were removed (tuma purge); nothing of it can be sent again.`,
  });
}

function refuseCanceled({ state, id }: CampaignRow): void {
  if (state !== 'canceled') return;
  throw new TumaError('state_forbids', {
    message: `Campaign ${id} is canceled; nothing of it is sent again.`,
  });
}
