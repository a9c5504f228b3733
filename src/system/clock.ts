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

/** So much more by the wall clock than by the monotonic one: the machine slept, or its clock was set forward. */
const ASLEEP_MS = 5_000;

/**
 * A clock that follows another one: that of the ledger's database, so that the worst clock of a machine moves nothing.
 * Between two times that it is told it goes on by this machine's monotonic clock. Until it is told one, it is the
 * machine's.
 */
export class FollowingClock implements Clock {
  #told: { now: number; at: number; wall: number } | null = null;

  /** Takes the other clock's time, in milliseconds. */
  follow(now: number): void {
    this.#told = { now, at: performance.now(), wall: Date.now() };
  }

  now(): number {
    if (this.#told === null) return Date.now();
    const { now, at, wall } = this.#told;
    const passed = performance.now() - at;
    const passedByWall = Date.now() - wall;
    // The monotonic clock stands still while a machine sleeps. Whoever wakes must not take an old claim for a young one.
    return Math.floor(now + (passedByWall - passed > ASLEEP_MS ? passedByWall : passed));
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  sleep(...given: Parameters<Clock['sleep']>): Promise<void> {
    return systemClock.sleep(...given);
  }
}
