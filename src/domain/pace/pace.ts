import type { RetryPolicy } from '../campaign.ts';

/** The share of the configured rate in use: a throttle halves it, and it recovers. Times are monotonic ms. */
export interface Pace {
  share: number;
  changedAt: number;
  complainedAt: number;
}

const LEAST_SHARE = 1 / 64;
/** Throttles that come together are one complaint: messages that left before the first answer say nothing new. */
const ONE_COMPLAINT_MS = 5_000;
/** For every second without a complaint the share grows by a tenth of itself: it doubles in about seven. */
const RECOVERY_MS = 1_000;
const RECOVERY_FACTOR = 1.1;

/** The pace at the start: all of the rate. */
export const FULL_PACE: Pace = { share: 1, changedAt: 0, complainedAt: -Infinity };

/** The pace after the service asked for fewer messages: half of it, once for each complaint. `now` in milliseconds. */
export function afterThrottle(pace: Pace, now: number): Pace {
  if (now - pace.complainedAt < ONE_COMPLAINT_MS) return pace;
  return { share: Math.max(pace.share / 2, LEAST_SHARE), changedAt: now, complainedAt: now };
}

/** The pace as it has recovered by `now`, in milliseconds. */
export function recovered(pace: Pace, now: number): Pace {
  if (now - pace.changedAt < RECOVERY_MS) return pace;
  const seconds = Math.floor((now - pace.changedAt) / RECOVERY_MS);
  return {
    ...pace,
    share: Math.min(1, pace.share * RECOVERY_FACTOR ** seconds),
    changedAt: pace.changedAt + seconds * RECOVERY_MS,
  };
}

const PERIOD_MS = 1_000;

/** Counts events and says how many there were a second, over the last full second or so. Times are monotonic milliseconds. */
export class EventRate {
  #since = 0;
  #count = 0;
  #perSecond = 0;

  add(now: number): void {
    const elapsed = now - this.#since;
    if (elapsed >= PERIOD_MS) {
      // After a pause of several periods the rate before it says nothing.
      this.#perSecond = elapsed >= 3 * PERIOD_MS ? 0 : (this.#count * 1_000) / elapsed;
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
  }

  perSecond(): number {
    return Math.max(this.#perSecond, this.#count);
  }
}

/** A wait is drawn from [1 - JITTER, 1] of the full one, so that messages refused together do not return together. */
const JITTER = 0.25;

/** Milliseconds to wait before try number `tries` + 1: doubling from `firstMs`, capped at `mostMs`. `random` in [0, 1). */
export function backoffMs(policy: RetryPolicy, tries: number, random: number): number {
  const full = Math.min(policy.firstMs * 2 ** Math.max(0, tries - 1), policy.mostMs);
  return Math.round(full * (1 - JITTER * random));
}
