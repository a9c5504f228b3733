/**
 * The share of the configured rate that is used at present: halved by a throttle, recovering slowly. The configured
 * rate is never exceeded. Times are monotonic milliseconds.
 */
export interface Pace {
  share: number;
  changedAt: number;
}

const LEAST_SHARE = 1 / 64;
/** Throttles that come together are one complaint. */
const ONE_COMPLAINT_MS = 1_000;
/** After this long without a complaint the share grows by a tenth of itself. */
const RECOVERY_MS = 5_000;
const RECOVERY_FACTOR = 1.1;

export const FULL_PACE: Pace = { share: 1, changedAt: 0 };

export function afterThrottle(pace: Pace, now: number): Pace {
  if (pace.share < 1 && now - pace.changedAt < ONE_COMPLAINT_MS) return pace;
  return { share: Math.max(pace.share / 2, LEAST_SHARE), changedAt: now };
}

export function recovered(pace: Pace, now: number): Pace {
  if (pace.share === 1 || now - pace.changedAt < RECOVERY_MS) return pace;
  return { share: Math.min(1, pace.share * RECOVERY_FACTOR), changedAt: now };
}
