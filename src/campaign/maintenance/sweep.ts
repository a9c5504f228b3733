import type { DueBatch } from '../../ledger/contracts/sending.ts';
import type { Env } from '../env.ts';

/** Between two sweeps, unless one is woken. */
export const SWEEP_MS = 1_000;
/** Batches of one campaign in the queue: few, so other campaigns go on; enough, so workers stay busy. */
const PER_CAMPAIGN = 16;
/** The time after which all due batches are offered again, because the queue may have lost jobs. */
const FULL_SWEEP_MS = 10_000;

/**
 * Keeps the queue filled from the ledger. Each due batch is offered once. All are offered again every ten
 * seconds. They are also offered again when the queue holds fewer jobs than it got, because it was flushed.
 * The queue ignores a job that it already has.
 */
export class Sweep {
  #env: Pick<Env, 'clock' | 'ledger' | 'queue' | 'log'>;
  #offered = new Set<string>();
  #offeredAllAt = -Infinity;
  #silent = false;

  constructor(env: Pick<Env, 'clock' | 'ledger' | 'queue' | 'log'>) {
    this.#env = env;
  }

  /** Returns the number of due batches without a lease, at most `PER_CAMPAIGN` of each campaign. */
  async run(): Promise<number> {
    const { clock, ledger, log } = this.#env;
    const due = await ledger.dueBatches({ now: clock.now(), perCampaign: PER_CAMPAIGN });
    try {
      if (due.length > 0) await this.#offer(due);
      this.#silent = false;
    } catch (error) {
      this.#offered.clear();
      if (!this.#silent) log.warn({ error: String(error) }, 'Redis takes no jobs: sending waits for it');
      this.#silent = true;
    }
    return due.length;
  }

  async #offer(due: DueBatch[]): Promise<void> {
    const { clock, queue } = this.#env;
    const now = clock.monotonic();
    const all = now - this.#offeredAllAt >= FULL_SWEEP_MS || (await queue.size()) < this.#countOffered(due);
    const wanted = all ? due : due.filter((batch) => !this.#offered.has(keyOf(batch)));
    await queue.add(wanted.map(({ batch, epoch, kind }) => ({ batch, epoch, kind, delayMs: 0 })));
    if (all) this.#offeredAllAt = now;
    this.#offered = new Set(due.map(keyOf));
  }

  #countOffered(due: DueBatch[]): number {
    return due.filter((batch) => this.#offered.has(keyOf(batch))).length;
  }
}

function keyOf({ batch, epoch }: DueBatch): string {
  return `${batch}-${epoch}`;
}
