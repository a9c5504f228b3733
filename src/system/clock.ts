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
