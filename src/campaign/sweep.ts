import type { Env } from './env.ts';

/** The most batches that one sweep puts back. */
const MOST_BATCHES = 500;
/** Even when the queue looks full, everything due is offered again after so long: a count can mislead, an id cannot. */
const FULL_SWEEP_MS = 15_000;

/**
 * Rebuilds the queue from the ledger. Adding a job that is there is a no-op, so the only care is not to do it each
 * second: when the queue holds at least as many jobs as batches are due, nothing is added.
 */
export class Sweep {
  #env: Pick<Env, 'clock' | 'ledger' | 'queue' | 'log'>;
  #lastFull = -Infinity;
  #silent = false;

  constructor(env: Pick<Env, 'clock' | 'ledger' | 'queue' | 'log'>) {
    this.#env = env;
  }

  /** Answers how many batches are due and not leased. */
  async run(): Promise<number> {
    const { clock, ledger } = this.#env;
    const due = await ledger.dueBatches({ now: clock.now(), limit: MOST_BATCHES });
    if (due.length === 0) return 0;
    try {
      await this.#offer(due.map(({ batch, epoch, kind }) => ({ batch, epoch, kind, delayMs: 0 })));
      this.#silent = false;
    } catch (error) {
      if (!this.#silent)
        this.#env.log.warn({ error: String(error) }, 'Redis does not answer: sending waits for it');
      this.#silent = true;
    }
    return due.length;
  }

  async #offer(jobs: Parameters<Env['queue']['add']>[0]): Promise<void> {
    const { clock, queue } = this.#env;
    const now = clock.monotonic();
    const full = now - this.#lastFull >= FULL_SWEEP_MS;
    if (!full && (await queue.size()) >= jobs.length) return;
    await queue.add(jobs);
    this.#lastFull = now;
  }
}
