import type { Campaign } from '../../domain/campaign.ts';
import { parseCron } from '../../domain/time/cron.ts';
import { localClock } from '../../domain/time/local-time.ts';
import { type DueFirings, dueFirings } from '../../domain/time/schedule.ts';
import type { Env } from '../env.ts';
import type { FireAnew } from './fire-anew.ts';
import { newCampaignId } from './launch.ts';

/** The parts of the environment that firings use. */
export interface FireEnv extends Pick<Env, 'ledger' | 'clock' | 'random' | 'log'> {
  /** Fires a job that reads its files anew. */
  fireAnew: FireAnew;
  signal: AbortSignal;
}

/**
 * Fires the recurring jobs that are due. Each firing is a campaign of its own. After a downtime only the
 * latest missed firing runs, if it is within the job's `start_deadline`. The others are noted as missed.
 */
export async function fireDue(env: FireEnv): Promise<void> {
  for (const { schedule, nextAt } of await env.ledger.dueSchedules(env.clock.now())) {
    try {
      await fire(env, schedule, nextAt);
    } catch (error) {
      // One broken job must not hold up the others.
      env.log.error({ schedule: schedule.id, error: String(error) }, 'a recurring job could not fire');
    }
  }
}

async function fire(env: FireEnv, schedule: Campaign, nextAt: number): Promise<void> {
  const now = env.clock.now();
  const due = owed(schedule, { nextAt, now });
  const { fireAt, missed, nextAt: followingAt } = due;
  const name = firingName(schedule, fireAt ?? nextAt);
  const id = newCampaignId(env.random);
  const firing = { schedule: schedule.n, nextAt, fireAt, missed, followingAt, id, name, now };
  const reread = schedule.settings.every?.reread;
  const campaign =
    fireAt === null || reread === undefined
      ? await env.ledger.fire(firing)
      : await env.fireAnew(schedule, { ...firing, fireAt, reread }, env.signal);
  const facts = { schedule: schedule.id, missed: due.missedCount, campaign: campaign?.id ?? null };
  if (campaign !== null) env.log.info(facts, 'a recurring job fires');
  else if (due.missedCount > 0) env.log.warn(facts, 'firings were missed by more than the deadline');
}

function owed(schedule: Campaign, { nextAt, now }: { nextAt: number; now: number }): DueFirings {
  const { every, zone } = schedule.settings;
  const cron = every === undefined ? null : parseCron(every.cron);
  if (cron === null) return { fireAt: null, missed: [], missedCount: 0, nextAt: null };
  return dueFirings({ cron, zone }, { nextAt, now, deadlineMs: schedule.startDeadlineMs });
}

/** "rent 2026-12-01 09:00", by the zone's clock. */
function firingName(schedule: Campaign, at: number): string {
  return `${schedule.name} ${localClock(at, schedule.settings.zone)}`;
}
