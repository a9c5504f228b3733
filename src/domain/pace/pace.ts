import type { RetryPolicy } from '../campaign.ts';

/** The share of the configured rate in use: a throttle halves it, and it recovers. Times are monotonic ms. */
export interface Pace {
  share: number;
  changedAt: number;
  complainedAt: number;
}

const LEAST_SHARE = 1 / 64;
/** Throttles within this time are one complaint, because these messages left before the first answer. */
const ONE_COMPLAINT_MS = 5_000;
/** The share grows by a tenth after every second without a complaint, so it doubles in about seven. */
const RECOVERY_MS = 1_000;
const RECOVERY_FACTOR = 1.1;

/** The pace at the start: all of the rate. */
export const FULL_PACE: Pace = { share: 1, changedAt: 0, complainedAt: -Infinity };

/** The pace after the provider asked for fewer messages: half, once per complaint. `now` in milliseconds. */
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

/** Counts events per second, over about the last full second. Times are monotonic milliseconds. */
export class EventRate {
  #since = 0;
  #count = 0;
  #perSecond = 0;

  add(now: number): void {
    const elapsed = now - this.#since;
    if (elapsed >= PERIOD_MS) {
      // After a pause of several periods the earlier rate means nothing.
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

/** A wait is drawn from [1 - JITTER, 1] of the full one, so that messages refused together return apart. */
const JITTER = 0.25;

/** Milliseconds before try `tries` + 1: doubling from `firstMs`, capped at `mostMs`. `random` in [0, 1). */
export function backoffMs(policy: RetryPolicy, tries: number, random: number): number {
  const full = Math.min(policy.firstMs * 2 ** Math.max(0, tries - 1), policy.mostMs);
  return Math.round(full * (1 - JITTER * random));
}
