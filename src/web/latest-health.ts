import type { Health } from '../reports/health.ts';
import type { WebEnv } from './web-env.ts';

/** All pages of this time share one look: it asks the provider, Redis and the collector. */
const FRESH_MS = 15_000;
/** A page waits no longer for what does not answer. */
const WAIT_MS = 8_000;

type Looked = Health & { at: number };

/** The latest look at all parts. One runs at a time. */
export class LatestHealth {
  readonly #env: Pick<WebEnv, 'clock' | 'health'>;
  #latest: Looked | null = null;
  #lookedAt = -Infinity;
  #running: Promise<void> | null = null;

  constructor(env: Pick<WebEnv, 'clock' | 'health'>) {
    this.#env = env;
  }

  /** A look of the last seconds; an older one when the new one does not end, and null when there is none. */
  async read(): Promise<Looked | null> {
    const { clock } = this.#env;
    if (clock.monotonic() - this.#lookedAt < FRESH_MS) return this.#latest;
    this.#running ??= this.#look();
    const waited = new AbortController();
    await Promise.race([this.#running, clock.sleep(WAIT_MS, waited.signal)]);
    waited.abort();
    return this.#latest;
  }

  async #look(): Promise<void> {
    const { clock } = this.#env;
    try {
      const health = await this.#env.health();
      this.#latest = { ...health, at: clock.now() };
      this.#lookedAt = clock.monotonic();
    } finally {
      this.#running = null;
    }
  }
}
