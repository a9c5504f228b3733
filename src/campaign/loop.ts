import type { Clock, Env } from './env.ts';
import { Failures } from './sending/failures.ts';

/** A step that is repeated until its signal aborts. */
export interface Loop {
  name: string;
  everyMs: number;
  /** Returns true to be run again at once. */
  step: () => Promise<boolean | void>;
}

/** Runs a step again and again. A step that throws is logged and tried again after the usual pause. */
export async function runLoop(
  env: Pick<Env, 'clock' | 'log'>,
  loop: Loop,
  signal: AbortSignal,
): Promise<void> {
  const failures = new Failures(env);
  const about = { part: loop.name, words: 'a step failed and will be tried again' };
  while (!signal.aborted) {
    const again = await failures.guard(about, loop.step);
    if (again !== true) await env.clock.sleep(loop.everyMs, signal);
  }
}

/** A clock whose pauses can be cut short. */
export class WakeablePause implements Clock {
  readonly #clock: Clock;
  #woken = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  /** A call of `wake` since the last pause ends this pause at once. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const woken = this.#woken.signal;
    await this.#clock.sleep(ms, signal === undefined ? woken : AbortSignal.any([signal, woken]));
    if (woken.aborted) this.#woken = new AbortController();
  }

  wake(): void {
    this.#woken.abort();
  }
}
