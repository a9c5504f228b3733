import type { Job } from '../../domain/job.ts';
import { parseLocalTime } from '../../domain/time/local-time.ts';
import type { LoadedJob } from '../jobs/load-job.ts';
import { parseCron, nextFiring } from '../../domain/time/cron.ts';
import { formatDuration, momentWords } from '../../domain/time/time-words.ts';
import { TumaError } from '../../domain/errors.ts';

/** The number of firings that a plan of a recurring job names. */
const MOST_FIRINGS = 3;

/** The start of a job in a plan. Instants in milliseconds. */
export interface PlannedStart {
  /** `start` or `--at`; null: at once, each contact at its own time, or by `firings`. */
  startAt: number | null;
  /** True: the start is longer ago than `start_deadline`, so a launch is refused. */
  missed: boolean;
  /** The next firings of a recurring job. */
  firings: number[];
  /** Each firing reads the files anew. */
  rereads: boolean;
}

/** The start of a plan. `startAt`: its `start` or `--at`, or its next firing. */
export function plannedStart(
  { job }: LoadedJob,
  { startAt, zone, now }: { startAt: number | null; zone: string; now: number },
): PlannedStart {
  if (job.every !== null)
    return {
      startAt: null,
      missed: false,
      firings: firingsFrom(startAt, job.every.cron, zone),
      rereads: job.every.contacts === 'reread',
    };
  return {
    startAt,
    missed: startAt !== null && now - startAt > job.startDeadlineMs,
    firings: [],
    rereads: false,
  };
}

function firingsFrom(first: number | null, words: string, zone: string): number[] {
  const cron = parseCron(words);
  if (cron === null) return [];
  const firings: number[] = [];
  for (let at = first; at !== null && firings.length < MOST_FIRINGS; at = nextFiring(cron, zone, at))
    firings.push(at);
  return firings;
}

/** Refuses a launch that misses its start by more than `start_deadline`. A missed start is not made up. */
export function refuseMissed(
  loaded: LoadedJob,
  { startAt, zone, now, byFlag }: { startAt: number | null; zone: string; now: number; byFlag: boolean },
): void {
  const planned = plannedStart(loaded, { startAt, zone, now });
  if (!planned.missed || startAt === null) return;
  const deadline = formatDuration(loaded.job.startDeadlineMs);
  throw new TumaError(byFlag ? 'usage' : 'job_invalid', {
    message: `The start was ${momentWords(startAt, { zone, now })}; that is more than start_deadline (${deadline}), so nothing would be sent.`,
    advice: { action: 'change_start', given: byFlag },
    where: byFlag ? null : loaded.placeOf('start'),
  });
}

/** The start of a job: its `start`, or its first firing. Null: at once, or each contact at its own time. */
export function startOfJob(job: Job, { zone, now }: { zone: string; now: number }): number | null {
  if (job.start !== null) return parseLocalTime(job.start, zone);
  const cron = job.every === null ? null : parseCron(job.every.cron);
  return cron === null ? null : nextFiring(cron, zone, now);
}
