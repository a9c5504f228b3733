/*
 * A ramp: a campaign begins slowly and its rate rises evenly to the full one, so that a new sender or a new text shows
 * what is wrong with it before it has gone to many. Only the time in which the campaign sends counts: a pause, a night
 * and a canary's wait leave the ramp where it was.
 */

/** Where a rate begins, and how long it takes to rise to the full one. */
export interface Ramp {
  /** Messages a second at the start, below the full rate. */
  fromPerSecond: number;
  overMs: number;
}

/** A gap between two claims that is longer was a pause, unless the rate itself is that slow. */
const LONGEST_GAP_MS = 60_000;

/** The rate after `passedMs` of sending, in messages a second. */
export function rampedRate(ramp: Ramp, fullPerSecond: number, passedMs: number): number {
  const { fromPerSecond, overMs } = ramp;
  const risen = Math.min(1, Math.max(0, passedMs / overMs));
  return fromPerSecond + (fullPerSecond - fromPerSecond) * risen;
}

/** How much of the time since the last claim counts as sending. Zero when the clock was set back. */
export function sendingGapMs(gapMs: number, ratePerSecond: number): number {
  const longest = Math.max(LONGEST_GAP_MS, 2_000 / ratePerSecond);
  return Math.min(Math.max(0, gapMs), longest);
}

/** Steps in which the time of a ramp is added up. */
const STEPS = 1_000;

/**
 * How long `count` messages take, in milliseconds of sending. `kept` tells how many a second really go out under a limit of
 * so many: beside its account's slots a campaign's own limit is not quite reached, and it differs from limit to limit.
 */
export function rampNeedsMs(
  count: number,
  ramp: Ramp,
  { full, kept }: { full: number; kept: (ratePerSecond: number) => number },
): number {
  const stepMs = ramp.overMs / STEPS;
  let left = count;
  for (let step = 0; step < STEPS; step += 1) {
    const rate = kept(rampedRate(ramp, full, (step + 0.5) * stepMs));
    const sent = (rate * stepMs) / 1_000;
    if (sent >= left) return step * stepMs + (left / rate) * 1_000;
    left -= sent;
  }
  return ramp.overMs + (left / kept(full)) * 1_000;
}
