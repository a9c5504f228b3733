import type { Connection } from '../../connection.ts';
import type { Campaign, CampaignSettings, PauseReason } from '../../../domain/campaign.ts';
import { type Cron, nextFiring, parseCron } from '../../../domain/time/cron.ts';
import { dueFirings } from '../../../domain/time/schedule.ts';
import type { Activation, Firing } from '../../contracts/records.ts';
import type { HeldSchedule, LeftOut, LeftOutFiring } from '../../contracts/schedules.ts';
import { type BatchRecords, MOST_ROWS } from '../planning/batches.ts';
import { type CampaignRecords, type CampaignRow, campaignFrom } from '../planning/campaigns.ts';
import type { CanaryGate } from '../sending/canary.ts';
import type { Counters } from '../keeping/counters.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

/**
 * Recurring jobs. The snapshot is copied in steps into a draft, which nobody sees. The last step activates
 * it, notes the firing and moves the schedule on, in one commit. After an earlier kill the next step
 * continues the draft. So a firing happens once and whole, or not at all.
 */

/** `done` false: the firing still lacks messages. `campaign` null: nothing fired. */
export type FireStep = { done: false } | { done: true; campaign: Campaign | null };

interface Overdue {
  n: number;
  settings: string;
  next_at: number;
}

interface Context {
  sql: Sql;
  campaigns: CampaignRecords;
  batches: BatchRecords;
  canary: CanaryGate;
  counters: Counters;
  requireSpace: () => void;
}

/** Starts and firings (contracts/schedules.ts) as operations of the thread. */
export function scheduleOperations(database: Connection, records: Omit<Context, 'sql'>) {
  const sql = loadStatements(database, new URL('./schedules.sql', import.meta.url));
  const context = { sql, ...records };
  return {
    dueSchedules: async (now: number) =>
      (await sql<CampaignRow & { next_at: number }>('due_schedules').all(now)).map((row) => {
        return { schedule: campaignFrom(row), nextAt: row.next_at };
      }),
    fireStep: operation({ gate: 'leads to messages' }, (firing: Firing) => fireStep(context, firing)),
    /** The draft of files that were read anew becomes a firing. False: another process decided. */
    recordFiring: (fired: FiredDraft) => recordFiring(context, fired),
    holdSchedule: (held: HeldSchedule) => holdSchedule(context, held),
    /** What was due before is missed. If the job waited for a person, for example with wrong files, it fires at once. */
    resumeSchedule: async (n: number, reason: PauseReason, now: number): Promise<void> => {
      await missDue(context, now, n);
      if (reason === 'operator') return;
      await sql('bring_back').run(n, now);
      await sql('show_next').run(n, now);
    },
    leaveOutFiring: (asked: LeftOutFiring) => leaveOut(context, asked),
    missDue: (now: number) => missDue(context, now),
    schedulesSetBack: (now: number) => setBack(context, now),
  };
}

async function fireStep(context: Context, firing: Firing): Promise<FireStep> {
  const { sql, campaigns, requireSpace } = context;
  const { schedule, nextAt, fireAt, now } = firing;
  const found = await sql<{ next_at: number; building: number | null }>('schedule').get(schedule);
  if (found === undefined || found.next_at !== nextAt) return { done: true, campaign: null };
  if (fireAt === null || (await sql('has_fired').get(schedule, fireAt)) !== undefined) {
    await moveOn(context, firing);
    return { done: true, campaign: null };
  }
  requireSpace();
  const building = found.building ?? (await begin(context, firing));
  const { changes } = await sql('copy_messages').run(schedule, building, MOST_ROWS, now);
  const last = await campaigns.lastSeq(building);
  const copied = [last - Number(changes) + 1, last] as const;
  await context.counters.entered([building, ...copied]);
  await sql('copy_other_numbers').run(schedule, building, ...copied);
  if (Number(changes) === MOST_ROWS) return { done: false };
  await sql('rename_draft').run(building, firing.name);
  await sql('copy_batches').run(schedule, building, now);
  await sql('activate').run(schedule, building, fireAt, now);
  await context.canary.copy(schedule, building);
  await cancelPeople(context, { schedule, building, now });
  await sql('copy_upload').run(schedule, building, now);
  await sql('add_firing').run(schedule, fireAt, building, now);
  await moveOn(context, firing);
  const detail = { schedule, fireAt };
  await campaigns.audit({ now, by: 'schedule', verb: 'fire', campaign: building, detail });
  return { done: true, campaign: campaignFrom(await campaigns.require(building, { launched: true })) };
}

/** The people whom a person canceled get nothing of a firing either. */
async function cancelPeople(
  { sql, batches }: Context,
  { schedule, building, now }: { schedule: number; building: number; now: number },
): Promise<void> {
  if ((await sql('copy_canceled_people').run(schedule, building)).changes === 0) return;
  const touched = batches.touched();
  for (const { seq } of await sql('cancel_people').all(building, now))
    await touched.of(building, Number(seq));
  await touched.settle(now);
}

/** The draft of a firing: the whole snapshot without its recurrence. */
async function begin({ sql, campaigns }: Context, { schedule, id, name, now }: Firing): Promise<number> {
  const { settings } = await campaigns.require(schedule, { launched: true });
  const { every: _, ...once } = JSON.parse(settings) as CampaignSettings;
  const begun = await sql('begin_firing').get(schedule, id, name, JSON.stringify(once), now);
  const firing = Number(begun?.['n']);
  await sql('set_building').run(schedule, firing);
  return firing;
}

/** A draft of files that were read anew. */
export interface FiredDraft {
  draft: number;
  firing: NonNullable<Activation['firing']>;
}

async function recordFiring(context: Context, { draft, firing }: FiredDraft): Promise<boolean> {
  const { sql, campaigns } = context;
  const { schedule, nextAt, fireAt, segments, now } = firing;
  const found = await sql<{ next_at: number }>('schedule').get(schedule);
  if (found?.next_at !== nextAt || fireAt === null) return false;
  if ((await sql('has_fired').get(schedule, fireAt)) !== undefined) {
    await moveOn(context, firing);
    return false;
  }
  await sql('price_like').run(schedule, draft, segments);
  await sql('add_firing').run(schedule, fireAt, draft, now);
  await moveOn(context, firing);
  await campaigns.audit({ now, by: 'schedule', verb: 'fire', campaign: draft, detail: { schedule, fireAt } });
  return true;
}

async function holdSchedule(
  { sql, campaigns }: Context,
  { schedule, nextAt, words, now }: HeldSchedule,
): Promise<boolean> {
  if ((await sql('hold').run(schedule, nextAt)).changes === 0) return false;
  const detail = { startAt: nextAt, words };
  await campaigns.audit({ now, by: 'schedule', verb: 'miss_start', campaign: schedule, detail });
  return true;
}

/**
 * Leaves one firing out. Only the moment that the person saw is left out: another process may have decided about it
 * meanwhile.
 */
async function leaveOut(context: Context, asked: LeftOutFiring): Promise<LeftOut> {
  const { sql, campaigns } = context;
  const { schedule, at, followingAt, now, by } = asked;
  const { state, reason } = await campaigns.require(schedule, { launched: true });
  if (state === 'paused' && reason === 'operator') await missDue(context, now, schedule);
  const decided = await decidedBefore(context, asked);
  if (decided !== null) return decided;
  const waits = state === 'scheduled' || reason === 'operator';
  if (!waits || (await sql('next_at').get(schedule))?.['next_at'] !== at) return { done: 'changed' };
  await sql('leave_out').run(schedule, at, now);
  // Of those that are due none fires any more.
  if (at <= now) await missDue(context, now, schedule);
  else await moveOn(context, { schedule, missed: [], followingAt, now });
  await campaigns.audit({ now, by, verb: 'skip', campaign: schedule, detail: { at, next: followingAt } });
  return { done: 'now' };
}

/** What became of a firing already; null: it is still to come. */
async function decidedBefore({ sql }: Context, { schedule, at }: LeftOutFiring): Promise<LeftOut | null> {
  const decided = (await sql('firing').get(schedule, at)) as
    | { left_out: number; id: string | null }
    | undefined;
  if (decided === undefined) return null;
  if (decided.id !== null) return { done: 'fired', campaign: decided.id };
  return { done: decided.left_out === 1 ? 'before' : 'changed' };
}

/**
 * Notes every due firing as missed, however short its delay, because it may have been sent already. `only`: those of
 * one recurring job.
 */
async function missDue(context: Context, now: number, only: number | null = null): Promise<void> {
  const due = await context.sql<Overdue>('overdue').all(now, only);
  for (const { n, settings, next_at } of due) {
    const { every, zone } = JSON.parse(settings) as CampaignSettings;
    const cron = every === undefined ? null : parseCron(every.cron);
    if (cron === null) continue;
    const { missed, nextAt } = dueFirings({ cron, zone }, { nextAt: next_at, now, deadlineMs: -1 });
    await moveOn(context, { schedule: n, missed, followingAt: nextAt, now });
  }
}

/**
 * After a clock that ran ahead, firings by the right clock would wait until that time. A fired one stays
 * fired and does not fire again. A missed one is still to come.
 */
async function setBack({ sql }: Context, now: number): Promise<void> {
  for (const { n, settings, next_at: was } of await sql<Overdue>('decided_ahead').all(now)) {
    const { every, zone } = JSON.parse(settings) as CampaignSettings;
    const cron = every === undefined ? null : parseCron(every.cron);
    const next = cron === null ? null : await nextNotLeftOut(sql, n, { cron, zone, now });
    if (next === null || next >= was) continue;
    await sql('forget_missed').run(n, now);
    await sql('bring_back').run(n, next);
    await sql('show_next').run(n, next);
  }
}

/** The next moment after `now` that no person left out. */
async function nextNotLeftOut(
  sql: Sql,
  schedule: number,
  { cron, zone, now }: { cron: Cron; zone: string; now: number },
): Promise<number | null> {
  let next = nextFiring(cron, zone, now);
  while (next !== null && (await sql('firing').get(schedule, next))?.['left_out'] === 1)
    next = nextFiring(cron, zone, next);
  return next;
}

type Move = Pick<Firing, 'schedule' | 'missed' | 'followingAt' | 'now'>;

async function moveOn(
  { sql, campaigns }: Context,
  { schedule, missed, followingAt, now }: Move,
): Promise<void> {
  for (const at of missed) await sql('add_firing').run(schedule, at, null, now);
  await sql('set_next').run(schedule, followingAt);
  await sql('show_next').run(schedule, followingAt);
  if (missed.length === 0) return;
  const detail = { missed };
  await campaigns.audit({ now, by: 'schedule', verb: 'miss_firings', campaign: schedule, detail });
}
