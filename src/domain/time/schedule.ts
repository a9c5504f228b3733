import { type Cron, nextFiring } from './cron.ts';

/** The due firings of a recurring job at an instant. Instants in milliseconds. */
export interface DueFirings {
  /** The firing that runs now; null: all due ones were missed. */
  fireAt: number | null;
  /** Firings that never run, oldest first; after a long downtime only the latest `MOST_MISSED`. */
  missed: number[];
  missedCount: number;
  /** The next future firing; null: none. */
  nextAt: number | null;
}

/** No downtime lists more. */
export const MOST_MISSED = 100;

/** Only the latest firing from `nextAt` to `now` runs, within the deadline; the others are missed. */
export function dueFirings(
  { cron, zone }: { cron: Cron; zone: string },
  { nextAt, now, deadlineMs }: { nextAt: number; now: number; deadlineMs: number },
): DueFirings {
  const due: number[] = [];
  let count = 0;
  let at: number | null = nextAt;
  while (at !== null && at <= now) {
    count += 1;
    if (due.push(at) > MOST_MISSED + 1) due.shift();
    at = nextFiring(cron, zone, at);
  }
  const latest = due.at(-1);
  const fires = latest !== undefined && now - latest <= deadlineMs;
  const missed = (fires ? due.slice(0, -1) : due).slice(-MOST_MISSED);
  return {
    fireAt: fires ? latest : null,
    missed,
    missedCount: fires ? count - 1 : count,
    nextAt: at,
  };
}
