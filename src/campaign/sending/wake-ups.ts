import type { Env } from '../env.ts';

/** Rings once at the earliest of its set moments. */
export class Alarm {
  readonly #clock: Env['clock'];
  readonly #ring: () => void;
  #next: { at: number; abort: AbortController } | null = null;

  constructor(clock: Env['clock'], ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Wall-clock milliseconds. A moment after the present one changes nothing. */
  setFor(at: number, now: number): void {
    if (this.#next !== null && this.#next.at <= at) return;
    this.#next?.abort.abort();
    const next = { at, abort: new AbortController() };
    this.#next = next;
    void this.#clock.sleep(Math.max(1, at - now), next.abort.signal).then(() => {
      if (next.abort.signal.aborted) return;
      this.#next = null;
      this.#ring();
    });
  }
}

interface Waiter {
  isReady: () => boolean;
  done: () => void;
}

/** Callers that wait until a condition is true. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();

  /** Resolves when `isReady` is true, now or after a change, or when the signal aborts. */
  until(isReady: () => boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted || isReady()) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const waiter = { isReady, done };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** Continues every waiter whose condition is now true. */
  notify(): void {
    for (const waiter of this.#waiters) if (waiter.isReady()) waiter.done();
  }
}
