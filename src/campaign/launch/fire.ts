import type { Campaign } from '../../domain/campaign.ts';
import { parseCron } from '../../domain/time/cron.ts';
import { localClock } from '../../domain/time/local-time.ts';
import { type DueFirings, dueFirings } from '../../domain/time/schedule.ts';
import type { Env } from '../env.ts';
import type { Firing } from '../../ledger/contracts/records.ts';
import type { FireAnew, FiringAnew } from './fire-anew.ts';
import { newCampaignId } from './launch.ts';
import { type FirstLooks, STILL_FOR_MS } from './still-files.ts';

/** The parts of the environment that firings use. */
export interface FireEnv extends Pick<Env, 'ledger' | 'clock' | 'random' | 'log'> {
  /** Fires a job that reads its files anew. */
  fireAnew: FireAnew;
  looks: FirstLooks;
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
  const campaign = await campaignOf(env, schedule, firing);
  if (campaign === 'later') return;
  const facts = { schedule: schedule.id, missed: due.missedCount, campaign: campaign?.id ?? null };
  if (campaign !== null) env.log.info(facts, 'a recurring job fires');
  else if (due.missedCount > 0) env.log.warn(facts, 'firings were missed by more than the deadline');
}

/** `later`: its files may still be written, or were not looked at twice. */
async function campaignOf(
  env: FireEnv,
  schedule: Campaign,
  firing: Firing,
): Promise<Campaign | null | 'later'> {
  const reread = schedule.settings.every?.reread;
  const { fireAt, nextAt, now } = firing;
  if (reread === undefined) return env.ledger.fire(firing);
  if (fireAt !== null) return fireWhenStill(env, schedule, { ...firing, fireAt, reread });
  return (await heldForPerson(env, schedule, { nextAt, now })) ? 'later' : env.ledger.fire(firing);
}

/** Files that were not read whole until the deadline are a person's to look after. True: the job waits for one. */
async function heldForPerson(
  { ledger, looks, log }: FireEnv,
  { n, id }: Campaign,
  { nextAt, now }: { nextAt: number; now: number },
): Promise<boolean> {
  if (looks.of(n, nextAt) === null) return false;
  const words = looks.haveChanged(n, nextAt)
    ? 'its files went on changing, so none of them could be read whole'
    : 'its files were not read twice before its deadline';
  if (!(await ledger.holdSchedule({ schedule: n, nextAt, words, now }))) return false;
  looks.forget(n);
  log.error({ schedule: id, words }, 'a recurring job waits for a person');
  return true;
}

async function fireWhenStill(
  { fireAnew, looks, log, signal }: FireEnv,
  schedule: Campaign,
  firing: Firing & Pick<FiringAnew, 'fireAt' | 'reread'>,
): Promise<Campaign | null | 'later'> {
  const { n, id } = schedule;
  if (looks.isTooEarly(n, firing.nextAt)) return 'later';
  const look = looks.of(n, firing.nextAt);
  const fired = await fireAnew(schedule, { ...firing, look }, signal);
  if ('look' in fired) {
    if (look === null)
      log.info({ schedule: id }, 'a recurring job is due: its files are read in half a minute');
    else log.warn({ schedule: id }, 'the files of a recurring job are being written: it waits for them');
    looks.note(n, firing.nextAt, fired.look);
    return 'later';
  }
  looks.forget(n);
  return fired.campaign;
}

/** Files that are read anew are looked at twice, and that counts for no deadline. */
function owed(schedule: Campaign, { nextAt, now }: { nextAt: number; now: number }): DueFirings {
  const { every, zone } = schedule.settings;
  const looksMs = every?.reread === undefined ? 0 : 2 * STILL_FOR_MS;
  const cron = every === undefined ? null : parseCron(every.cron);
  if (cron === null) return { fireAt: null, missed: [], missedCount: 0, nextAt: null };
  return dueFirings({ cron, zone }, { nextAt, now, deadlineMs: schedule.startDeadlineMs + looksMs });
}

/** "rent 2026-12-01 09:00", by the zone's clock. */
function firingName(schedule: Campaign, at: number): string {
  return `${schedule.name} ${localClock(at, schedule.settings.zone)}`;
}
