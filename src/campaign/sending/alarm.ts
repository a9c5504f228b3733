import type { Env } from '../env.ts';

/** Rings once at the earliest of the moments that it was set for. */
export class Alarm {
  readonly #clock: Env['clock'];
  readonly #ring: () => void;
  #next: { at: number; abort: AbortController } | null = null;

  constructor(clock: Env['clock'], ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Wall-clock milliseconds; an earlier moment that it is set for already is enough. */
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
