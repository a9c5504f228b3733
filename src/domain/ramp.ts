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

/** How long `count` messages take, in milliseconds of sending; no rate of a ramp passes `mostPerSecond`. */
export function rampNeedsMs(count: number, ramp: Ramp, mostPerSecond: { full: number; cap: number }): number {
  const { full } = mostPerSecond;
  const cap = Math.min(full, mostPerSecond.cap);
  const { fromPerSecond: from } = ramp;
  if (cap <= from) return (count / cap) * 1_000;
  // Until it reaches the cap the rate rises by so much each second.
  const slope = (full - from) / (ramp.overMs / 1_000);
  const risingSeconds = (cap - from) / slope;
  const whileRising = ((from + cap) / 2) * risingSeconds;
  if (count > whileRising) return (risingSeconds + (count - whileRising) / cap) * 1_000;
  return ((Math.sqrt(from * from + 2 * slope * count) - from) / slope) * 1_000;
}
