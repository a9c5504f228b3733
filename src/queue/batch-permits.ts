import type { CampaignKind } from '../domain/campaign.ts';

interface Waiter {
  kind: CampaignKind;
  start: () => void;
}

/**
 * The places for batches that are sent at the same time. One of them takes only transactional jobs, so that a small
 * transactional campaign never waits behind a large promotional one; the others go to whoever asked first.
 */
export class BatchPermits {
  readonly #total: number;
  #usedCount = 0;
  #promotionalCount = 0;
  #waiters: Waiter[] = [];

  /** At least 2: one for all, one for transactional jobs. */
  constructor(total: number) {
    this.#total = Math.max(2, total);
  }

  /** The most promotional jobs at a time. */
  get forPromotional(): number {
    return this.#total - 1;
  }

  get total(): number {
    return this.#total;
  }

  /** Waits for a place; the answer gives it back, and must be called once. */
  async take(kind: CampaignKind): Promise<() => void> {
    if (!this.#fits(kind)) {
      await new Promise<void>((start) => {
        this.#waiters.push({ kind, start });
      });
    } else {
      this.#count(kind, 1);
    }
    return () => this.#give(kind);
  }

  #fits(kind: CampaignKind): boolean {
    if (this.#usedCount >= this.#total) return false;
    return kind === 'transactional' || this.#promotionalCount < this.forPromotional;
  }

  #give(kind: CampaignKind): void {
    this.#count(kind, -1);
    const index = this.#waiters.findIndex((waiter) => this.#fits(waiter.kind));
    const [next] = index === -1 ? [] : this.#waiters.splice(index, 1);
    if (next === undefined) return;
    this.#count(next.kind, 1);
    next.start();
  }

  #count(kind: CampaignKind, step: 1 | -1): void {
    this.#usedCount += step;
    if (kind === 'promotional') this.#promotionalCount += step;
  }
}
