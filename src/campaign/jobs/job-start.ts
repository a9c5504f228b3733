import { parseCron, nextFiring } from '../../domain/time/cron.ts';
import type { Job } from '../../domain/job.ts';
import { parseLocalTime } from '../../domain/time/local-time.ts';

/** When a job begins, by itself: at its `start`, or at its first firing. Null: at once, or each contact in its time. */
export function startOfJob(job: Job, { zone, now }: { zone: string; now: number }): number | null {
  if (job.start !== null) return parseLocalTime(job.start, zone);
  const cron = job.every === null ? null : parseCron(job.every.cron);
  return cron === null ? null : nextFiring(cron, zone, now);
}
