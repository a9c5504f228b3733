import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../src/campaign/env.ts';
import { systemClock } from '../../src/system/clock.ts';

/** How often a process looks whether its clock was set on. */
const LOOK_MS = 40;

/** The clock of all processes of a test: it begins where the test says, and jumps. */
export interface SharedClock {
  /** Where the processes read it. */
  file: string;
  now(): number;
  /** Sets it on to a wall-clock millisecond, never back; every process knows of it within a moment. */
  jumpTo(at: number): void;
}

/** A clock for processes that are still to be started. */
export function sharedClock(file: string, from: number): SharedClock {
  let shift = from - Date.now();
  const write = () => {
    writeFileSync(`${file}.new`, String(shift));
    renameSync(`${file}.new`, file);
  };
  write();
  const now = () => Date.now() + shift;
  return {
    file,
    now,
    jumpTo(at) {
      shift += Math.max(0, at - now());
      write();
    },
  };
}

/** The side of the process: the machine's clock and what stands in the file, in milliseconds. */
export function shiftedClock(file: string): Clock {
  const shift = () => Number(readFileSync(file, 'utf8'));
  const first = shift();
  let current = first;
  const sleeping = new Set<{ until: number; wake: () => void }>();
  const monotonic = () => performance.now() + current - first;
  setInterval(() => {
    current = shift();
    for (const sleeper of sleeping) if (sleeper.until <= monotonic()) sleeper.wake();
  }, LOOK_MS).unref();
  return {
    now: () => Date.now() + current,
    monotonic,
    async sleep(ms, signal) {
      const woken = new AbortController();
      const sleeper = { until: monotonic() + ms, wake: () => woken.abort() };
      sleeping.add(sleeper);
      const either = signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]);
      await systemClock.sleep(ms, either);
      sleeping.delete(sleeper);
    },
  };
}
