import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../campaign/env.ts';

/** The machine's clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch {
      // Aborted: the caller asked for the wait to end.
    }
  },
};

/**
 * A clock that follows another one: that of the ledger's database, so that the worst clock of a machine moves nothing.
 * Between two times that it is told it goes on by this machine's monotonic clock. Until it is told one, it is the
 * machine's.
 */
export class FollowingClock implements Clock {
  #told: { now: number; at: number } | null = null;

  /** Takes the other clock's time, in milliseconds. */
  follow(now: number): void {
    this.#told = { now, at: performance.now() };
  }

  now(): number {
    if (this.#told === null) return Date.now();
    return Math.floor(this.#told.now + performance.now() - this.#told.at);
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  /** Goes on while the machine sleeps, when the monotonic clock stands still. */
  wall(): number {
    return systemClock.now();
  }

  sleep(...given: Parameters<Clock['sleep']>): Promise<void> {
    return systemClock.sleep(...given);
  }
}
