import type { DatabaseSync } from 'node:sqlite';
import type { Campaign, CampaignSettings, PauseReason } from '../../domain/campaign.ts';
import { type Cron, nextFiring, parseCron } from '../../domain/time/cron.ts';
import { dueFirings } from '../../domain/time/schedule.ts';
import type { Activation, Firing } from '../records.ts';
import type { HeldSchedule, LeftOut, LeftOutFiring } from '../schedules.ts';
import { type BatchRecords, MOST_ROWS } from './batches.ts';
import { type CampaignRecords, type CampaignRow, campaignFrom } from './campaigns.ts';
import type { CanaryGate } from './canary.ts';
import type { Counters } from './counters.ts';
import type { DraftIdentities } from './identities.ts';
import { type Sql, loadStatements } from './statements.ts';

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
  identities: DraftIdentities;
  requireSpace: () => void;
}

/** Starts and firings (ledger/schedules.ts) as operations of the thread. */
export function scheduleOperations(database: DatabaseSync, records: Omit<Context, 'sql'>) {
  const sql = loadStatements(database, new URL('./schedules.sql', import.meta.url));
  const context = { sql, ...records };
  return {
    dueSchedules: (now: number) =>
      (sql('due_schedules').all(now) as unknown as (CampaignRow & { next_at: number })[]).map((row) => {
        return { schedule: campaignFrom(row), nextAt: row.next_at };
      }),
    fireStep: (firing: Firing) => fireStep(context, firing),
    /** The draft of files that were read anew becomes a firing. False: another process decided. */
    recordFiring: (fired: FiredDraft) => recordFiring(context, fired),
    holdSchedule: (held: HeldSchedule) => holdSchedule(context, held),
    /** What was due before is missed. If the job waited for a person, for example with wrong files, it fires at once. */
    resumeSchedule: (n: number, reason: PauseReason, now: number): void => {
      missDue(context, now, n);
      if (reason === 'operator') return;
      sql('bring_back').run(n, now);
      sql('show_next').run(n, now);
    },
    leaveOutFiring: (asked: LeftOutFiring) => leaveOut(context, asked),
    missDue: (now: number) => missDue(context, now),
    schedulesSetBack: (now: number) => setBack(context, now),
  };
}

function fireStep(context: Context, firing: Firing): FireStep {
  const { sql, campaigns, identities, requireSpace } = context;
  const { schedule, nextAt, fireAt, now } = firing;
  const found = sql('schedule').get(schedule) as { next_at: number; building: number | null } | undefined;
  if (found === undefined || found.next_at !== nextAt) return { done: true, campaign: null };
  if (fireAt === null || sql('has_fired').get(schedule, fireAt) !== undefined) {
    moveOn(context, firing);
    return { done: true, campaign: null };
  }
  requireSpace();
  const building = found.building ?? begin(context, firing);
  const { changes } = sql('copy_messages').run(schedule, building, MOST_ROWS, now);
  const last = campaigns.lastSeq(building);
  const copied = [last - Number(changes) + 1, last] as const;
  const segments = sql('copied').all(building, ...copied);
  context.counters.born(
    building,
    segments.map((row) => Number(row['segments'])),
  );
  identities.putSpan(building, copied);
  sql('copy_other_numbers').run(schedule, building, ...copied);
  if (Number(changes) === MOST_ROWS) return { done: false };
  sql('rename_draft').run(building, firing.name);
  sql('copy_batches').run(schedule, building, now);
  sql('activate').run(schedule, building, fireAt, now);
  context.canary.copy(schedule, building);
  cancelPeople(context, { schedule, building, now });
  sql('copy_upload').run(schedule, building, now);
  sql('add_firing').run(schedule, fireAt, building, now);
  moveOn(context, firing);
  campaigns.audit({ now, by: 'schedule', verb: 'fire', campaign: building, detail: { schedule, fireAt } });
  return { done: true, campaign: campaignFrom(campaigns.require(building, { launched: true })) };
}

/** The people whom a person canceled get nothing of a firing either. */
function cancelPeople(
  { sql, batches }: Context,
  { schedule, building, now }: { schedule: number; building: number; now: number },
): void {
  if (sql('copy_canceled_people').run(schedule, building).changes === 0) return;
  const touched = batches.touched();
  for (const { seq } of sql('cancel_people').all(building, now)) touched.of(building, Number(seq));
  touched.settle(now);
}

/** The draft of a firing: the whole snapshot without its recurrence. */
function begin({ sql, campaigns }: Context, { schedule, id, name, now }: Firing): number {
  const { settings } = campaigns.require(schedule, { launched: true });
  const { every: _, ...once } = JSON.parse(settings) as CampaignSettings;
  const begun = sql('begin_firing').get(schedule, id, name, JSON.stringify(once), now);
  const firing = Number(begun?.['n']);
  sql('set_building').run(schedule, firing);
  return firing;
}

/** A draft of files that were read anew. */
export interface FiredDraft {
  draft: number;
  firing: NonNullable<Activation['firing']>;
}

function recordFiring(context: Context, { draft, firing }: FiredDraft): boolean {
  const { sql, campaigns } = context;
  const { schedule, nextAt, fireAt, segments, now } = firing;
  const found = sql('schedule').get(schedule) as { next_at: number } | undefined;
  if (found?.next_at !== nextAt || fireAt === null) return false;
  if (sql('has_fired').get(schedule, fireAt) !== undefined) {
    moveOn(context, firing);
    return false;
  }
  sql('price_like').run(schedule, draft, segments);
  sql('add_firing').run(schedule, fireAt, draft, now);
  moveOn(context, firing);
  campaigns.audit({ now, by: 'schedule', verb: 'fire', campaign: draft, detail: { schedule, fireAt } });
  return true;
}

function holdSchedule({ sql, campaigns }: Context, { schedule, nextAt, words, now }: HeldSchedule): boolean {
  if (sql('hold').run(schedule, nextAt).changes === 0) return false;
  const detail = { startAt: nextAt, words };
  campaigns.audit({ now, by: 'schedule', verb: 'miss_start', campaign: schedule, detail });
  return true;
}

/**
 * Leaves one firing out. Only the moment that the person saw is left out: another process may have decided about it
 * meanwhile.
 */
function leaveOut(context: Context, asked: LeftOutFiring): LeftOut {
  const { sql, campaigns } = context;
  const { schedule, at, followingAt, now, by } = asked;
  const { state, reason } = campaigns.require(schedule, { launched: true });
  if (state === 'paused' && reason === 'operator') missDue(context, now, schedule);
  const decided = decidedBefore(context, asked);
  if (decided !== null) return decided;
  const waits = state === 'scheduled' || reason === 'operator';
  if (!waits || sql('next_at').get(schedule)?.['next_at'] !== at) return { done: 'changed' };
  sql('leave_out').run(schedule, at, now);
  // Of those that are due none fires any more.
  if (at <= now) missDue(context, now, schedule);
  else moveOn(context, { schedule, missed: [], followingAt, now });
  campaigns.audit({ now, by, verb: 'skip', campaign: schedule, detail: { at, next: followingAt } });
  return { done: 'now' };
}

/** What became of a firing already; null: it is still to come. */
function decidedBefore({ sql }: Context, { schedule, at }: LeftOutFiring): LeftOut | null {
  const decided = sql('firing').get(schedule, at) as { left_out: number; id: string | null } | undefined;
  if (decided === undefined) return null;
  if (decided.id !== null) return { done: 'fired', campaign: decided.id };
  return { done: decided.left_out === 1 ? 'before' : 'changed' };
}

/**
 * Notes every due firing as missed, however short its delay, because it may have been sent already. `only`: those of
 * one recurring job.
 */
function missDue(context: Context, now: number, only: number | null = null): void {
  const due = context.sql('overdue').all(now, only) as unknown as Overdue[];
  for (const { n, settings, next_at } of due) {
    const { every, zone } = JSON.parse(settings) as CampaignSettings;
    const cron = every === undefined ? null : parseCron(every.cron);
    if (cron === null) continue;
    const { missed, nextAt } = dueFirings({ cron, zone }, { nextAt: next_at, now, deadlineMs: -1 });
    moveOn(context, { schedule: n, missed, followingAt: nextAt, now });
  }
}

/**
 * After a clock that ran ahead, firings by the right clock would wait until that time. A fired one stays
 * fired and does not fire again. A missed one is still to come.
 */
function setBack({ sql }: Context, now: number): void {
  for (const { n, settings, next_at: was } of sql('decided_ahead').all(now) as unknown as Overdue[]) {
    const { every, zone } = JSON.parse(settings) as CampaignSettings;
    const cron = every === undefined ? null : parseCron(every.cron);
    const next = cron === null ? null : nextNotLeftOut(sql, n, { cron, zone, now });
    if (next === null || next >= was) continue;
    sql('forget_missed').run(n, now);
    sql('bring_back').run(n, next);
    sql('show_next').run(n, next);
  }
}

/** The next moment after `now` that no person left out. */
function nextNotLeftOut(
  sql: Sql,
  schedule: number,
  { cron, zone, now }: { cron: Cron; zone: string; now: number },
): number | null {
  let next = nextFiring(cron, zone, now);
  while (next !== null && sql('firing').get(schedule, next)?.['left_out'] === 1)
    next = nextFiring(cron, zone, next);
  return next;
}

type Move = Pick<Firing, 'schedule' | 'missed' | 'followingAt' | 'now'>;

function moveOn({ sql, campaigns }: Context, { schedule, missed, followingAt, now }: Move): void {
  for (const at of missed) sql('add_firing').run(schedule, at, null, now);
  sql('set_next').run(schedule, followingAt);
  sql('show_next').run(schedule, followingAt);
  if (missed.length === 0) return;
  campaigns.audit({ now, by: 'schedule', verb: 'miss_firings', campaign: schedule, detail: { missed } });
}
