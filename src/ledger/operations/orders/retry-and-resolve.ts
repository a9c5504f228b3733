import { changeEach, type Connection, getEach, runEach } from '../../connection.ts';
import type { CampaignSettings } from '../../../domain/campaign.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import type { Ledger } from '../../contracts/ledger.ts';
import type { Resolution } from '../../contracts/records.ts';
import type { AnswerGroups } from '../sending/answers.ts';
import { type BatchRecords, MOST_ROWS, type StepDone } from '../planning/batches.ts';
import type { Entry } from '../../decide/money.ts';
import type { OpenTotals } from '../sending/running-totals.ts';
import type { CampaignRecords, CampaignRow } from '../planning/campaigns.ts';
import type { MessagePlace } from '../../contracts/finding.ts';
import type { PreparationBook } from '../planning/preparations.ts';
import { PurgedReminders } from '../planning/purged-reminders.ts';
import { OtherNumbers } from '../planning/other-numbers.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/**
 * Only a person may retry rejected messages or decide uncertain ones. Both go in steps, and the first step
 * writes the audit row. The same command, run again after a crash, finishes the rest.
 */

/** Steps over the rejected, and over the uncertain messages of a campaign. */
type RetryStep = Parameters<Ledger['retry']>[1] & { campaign: number; after: number };
type ResolveStep = Resolution & { campaign: number; after: number };

/** The result of a step; `after` null: it was the last. */
type ResolveDone = Required<Awaited<ReturnType<Ledger['resolve']>>> & { after: number | null };

interface UncertainRow {
  seq: number;
  settled_at: number;
  reserved: MoneyMicro;
  counted: MoneyMicro;
}

interface Context {
  sql: Sql;
  preparations: Pick<PreparationBook, 'requireApproverNow'>;
  campaigns: CampaignRecords;
  batches: BatchRecords;
  openTotals: OpenTotals;
  answers: AnswerGroups;
  otherNumbers: OtherNumbers;
  purged: PurgedReminders;
}

/** Retry and resolve (contracts/ledger.ts), step by step, so that a large campaign does not block the ledger. */
export function retryOperations(
  database: Connection,
  records: Omit<Context, 'sql' | 'otherNumbers' | 'purged'>,
) {
  const sql = loadStatements(database, new URL('./retry-and-resolve.sql', import.meta.url));
  const [otherNumbers, purged] = [new OtherNumbers(database), new PurgedReminders(database)];
  const context = { sql, otherNumbers, purged, ...records };
  return {
    retryStep: (step: RetryStep) => retryStep(context, step),
    resolveStep: (step: ResolveStep) => resolveStep(context, step),
  };
}

async function retryStep(context: Context, step: RetryStep): Promise<StepDone> {
  const { sql, batches, campaigns } = context;
  const { campaign, reason = null, answeredBefore = null, now, by, after } = step;
  const row = await refusePurged(context, campaign);
  refuseCanceled(row);
  await context.preparations.requireApproverNow('send rejected messages again', campaign);
  const series = seriesOf(row);
  if (after === 0) {
    await campaigns.audit({ now, by, verb: 'retry', campaign, detail: { reason } });
    await sql('run_again').run(campaign);
  }
  const contradicted = String((await sql('contradicted').get(campaign))?.['seqs']);
  const which = [reason, contradicted, answeredBefore];
  return await batches.walk(step, async ({ id, first_seq: first, last_seq: last }) => {
    const found = await sql('retryable').all(campaign, first, last, ...which);
    const places = found.map(({ seq }) => [campaign, Number(seq)]);
    await runEach(sql('keep_attempt'), places);
    const changed = await runEach(sql('retry_rejected'), places);
    const requeued =
      changed === 0 || series === null
        ? changed
        : changed - (await dropReminders(context, { campaign, first, last, now, series }, { isRetry: true }));
    if (requeued > 0) await batches.makeDue(id, now);
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
async function dropReminders(
  context: Context,
  span: Requeued,
  { isRetry }: { isRetry: boolean },
): Promise<number> {
  const { sql } = context;
  const { campaign, first, last, now, series } = span;
  const { name, keyed } = series;
  await skipExpiredCopies(context, span);
  const skip = [now, name, keyed, isRetry ? 1 : 0];
  const skipped = (await sql('skip_reminded').run(campaign, first, last, ...skip)).changes;
  const left = (await sql('cancel_forgotten').run(campaign, first, last, now, isRetry ? keyed : 0)).changes;
  return Number(skipped) + Number(left) + (await dropElsewhere(context, span, { isRetry }));
}

/** The same at the other numbers of their persons, and for those that another campaign sent before it was purged. */
async function dropElsewhere(
  { sql, otherNumbers, purged }: Context,
  { campaign, first, last, now, series: { keyed } }: Requeued,
  { isRetry }: { isRetry: boolean },
): Promise<number> {
  let dropped = 0;
  if (await otherNumbers.areKnown())
    for (const { seq } of await sql<{ seq: number }>('requeued').all(campaign, first, last))
      if (await otherNumbers.skipReminded({ campaign, seq, now, keyed }, { isRetry })) dropped += 1;
  if (await purged.areKnown())
    for (const { seq } of await sql<{ seq: number }>('requeued').all(campaign, first, last))
      if (await otherNumbers.skipPurged({ campaign, seq, now, keyed }, purged)) dropped += 1;
  return dropped;
}

/** Skips the same reminders of other campaigns whose day is over, as an upload does (reminders.ts). */
async function skipExpiredCopies(
  { sql, batches }: Context,
  { campaign, first, last, now, series: { name } }: Requeued,
): Promise<void> {
  const touched = batches.touched();
  const skipped = await sql<MessagePlace>('skip_expired_copies').all(campaign, first, last, now, name);
  for (const copy of skipped) await touched.of(copy.campaign, copy.seq);
  await touched.settle(now);
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

async function resolveStep(context: Context, step: ResolveStep): Promise<ResolveDone> {
  const { campaign, decision, before, now } = step;
  await checkResolveStep(context, step);
  if (decision === 'not_sent')
    await context.preparations.requireApproverNow('send uncertain messages again', campaign);
  const page = await uncertainAfter(context, step);
  const old = page.filter((row) => decision !== 'not_sent' || row.settled_at < before);
  const named = await namedByReports(context, step);
  const decided = old.filter(({ seq }) => !named.has(seq));
  const totals = context.openTotals();
  const entry = await totals.of(campaign);
  for (const row of decided) book(entry, decision, row);
  await totals.post(now);
  const series = seriesOf(await context.campaigns.require(campaign, { launched: true }));
  if (series === null || decision !== 'not_sent') await decide(context, step, decided);
  // What becomes of a reminder depends on what was decided about the ones before.
  else for (const { seq } of decided) await sendReminderAgain(context, { campaign, seq, series, now });
  const last = page.length < MOST_ROWS ? null : (page.at(-1)?.seq ?? null);
  const [resolved, tooYoung] = [decided.length, page.length - old.length];
  return { resolved, tooYoung, named: old.length - decided.length, after: last };
}

/** A waiting report may prove such a message. Only a person who names one message sends it again. */
async function namedByReports(
  { sql }: Context,
  { campaign, decision, line, mobile }: ResolveStep,
): Promise<Set<number>> {
  if (decision !== 'not_sent' || line !== undefined || mobile !== undefined) return new Set();
  return new Set((await sql<{ seq: number }>('named_uncertain').all(campaign)).map(({ seq }) => seq));
}

/** A message that a person resolved as not sent. */
type NotSent = Pick<Requeued, 'campaign' | 'series' | 'now'> & { seq: number };

/** A message that is queued again, and the time when it is due. */
interface NextSend {
  seq: number;
  dueAt: number;
}

/**
 * The message to send after `not_sent`; null: another message reminds, the last upload
 * omitted it, or its person was canceled by hand.
 */
async function nextSendOf(context: Context, notSent: NotSent): Promise<NextSend | null> {
  const { campaign, seq, series, now } = notSent;
  const next = (await movedDate(context, notSent)) ?? { seq, dueAt: now };
  if ((await context.sql('is_queued').get(campaign, next.seq)) === undefined) return null;
  const span = { campaign, first: next.seq, last: next.seq, now, series };
  return (await dropReminders(context, span, { isRetry: false })) === 0 ? next : null;
}

/** The new date or number from the last upload, sent instead of this one. Null: none. */
async function movedDate({ sql, otherNumbers }: Context, notSent: NotSent): Promise<NextSend | null> {
  const { campaign, seq, series, now } = notSent;
  const { keyed } = series;
  const atThisNumber =
    keyed === 1
      ? await sql<{ seq: number; notBefore: number }>('moved_to').get(campaign, seq, now)
      : undefined;
  const moved = atThisNumber ?? (await otherNumbers.movedTo({ campaign, seq, now, keyed }));
  if (moved === null) return null;
  await sql('cancel_moved').run(campaign, seq, now);
  await sql('bring_back').run(campaign, moved.seq);
  return { seq: moved.seq, dueAt: moved.notBefore };
}

async function checkResolveStep(context: Context, step: ResolveStep): Promise<void> {
  const { campaign, after, decision, line, mobile, now, by } = step;
  await context.campaigns.require(campaign, { launched: true });
  if (decision === 'not_sent') refuseCanceled(await refusePurged(context, campaign));
  if (after > 0) return;
  if (decision === 'not_sent') await context.sql('run_again').run(campaign);
  await context.campaigns.audit({ now, by, verb: 'resolve', campaign, detail: { decision, line, mobile } });
}

async function uncertainAfter({ sql }: Context, step: ResolveStep): Promise<UncertainRow[]> {
  const { campaign, after, line = null, mobile = null } = step;
  return await sql<UncertainRow>('uncertain_after').all(campaign, after, line, mobile, MOST_ROWS);
}

/** Decides messages that have nothing to do with each other. */
async function decide(
  context: Context,
  { campaign, decision, now }: ResolveStep,
  rows: readonly Pick<UncertainRow, 'seq'>[],
): Promise<void> {
  const { sql } = context;
  const places = rows.map(({ seq }) => [campaign, seq] as const);
  switch (decision) {
    case 'write_off':
      return await changeEach(sql('write_off'), places);
    case 'sent':
      return await changeEach(sql('call_sent'), places, (place) => [...place, now]);
    case 'not_sent':
      await callNotSent(context, places);
      await makeDue(context, places, now);
  }
}

type Place = readonly [campaign: number, seq: number];

async function callNotSent({ sql }: Context, places: readonly Place[]): Promise<void> {
  await runEach(sql('keep_attempt'), places);
  await changeEach(sql('call_not_sent'), places);
}

/** The batches of those that wait now. A person who was canceled by hand waits no more. */
async function makeDue({ sql, batches }: Context, places: readonly Place[], now: number): Promise<void> {
  const found = await getEach(sql('is_queued'), places);
  const queued = places.filter((_, index) => found[index] !== undefined);
  const touched = batches.touched();
  await touched.add(queued.map(([campaign, seq]) => ({ campaign, seq })));
  await batches.makeEachDue(new Map(queued.map(([campaign, seq]) => [touched.batch(campaign, seq).id, now])));
}

async function sendReminderAgain(context: Context, reminder: NotSent): Promise<void> {
  const { campaign, seq } = reminder;
  await callNotSent(context, [[campaign, seq]]);
  const next = await nextSendOf(context, reminder);
  if (next === null) return;
  const batch = await context.batches.touched().of(campaign, next.seq);
  await context.batches.makeDue(batch.id, next.dueAt);
}

/** Sent: the reservation is assumed cost until a balance reading. Not sent: it and `counted` are freed. */
function book(entry: Entry, decision: ResolveStep['decision'], { reserved, counted }: UncertainRow): void {
  if (decision === 'write_off') return;
  entry.reserved -= reserved;
  if (decision === 'sent') entry.assumed += reserved;
  else entry.campaignSpent -= counted;
}

async function refusePurged({ campaigns }: Context, campaign: number): Promise<CampaignRow> {
  const row = await campaigns.require(campaign, { launched: true });
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
