import type { ReceivedWebhook, StoreResult } from '../campaign/inbound/store-webhook.ts';
import type { CollectorLimits } from './limits.ts';

/**
 * What became of a webhook. Only `stored` may be acknowledged; `crowded`: too many wait for the ledger already;
 * `late`: not durable within the deadline.
 */
export type Taken = StoreResult | 'late' | 'crowded';

/** Stores one webhook durably; never rejects. */
export type Store = (webhook: ReceivedWebhook) => Promise<StoreResult>;

/** Tries whether a webhook could be stored now, without one. */
export type TryStore = () => Promise<StoreResult>;

/** Hands webhooks to the ledger: a bounded number at a time, each for a bounded time. */
export class Intake {
  readonly #store: Store;
  readonly #limits: CollectorLimits;
  #waiting = 0;
  #waitingBytes = 0;

  constructor(store: Store, limits: CollectorLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  take(webhook: ReceivedWebhook): Promise<Taken> {
    const bytes = webhook.body.length + webhook.query.length;
    const { waiting, waitingBytes, storeDeadlineMs } = this.#limits;
    if (this.#waiting >= waiting || this.#waitingBytes + bytes > waitingBytes)
      return Promise.resolve('crowded');
    this.#waiting++;
    this.#waitingBytes += bytes;
    return orLate(this.#stored(webhook, bytes), storeDeadlineMs);
  }

  /** It is counted until the ledger lets go of it, not until the sender is answered: what is late still takes memory. */
  async #stored(webhook: ReceivedWebhook, bytes: number): Promise<StoreResult> {
    try {
      return await this.#store(webhook);
    } catch {
      return 'failed';
    } finally {
      this.#waiting--;
      this.#waitingBytes -= bytes;
    }
  }
}

/** What it resolves to, or `late` after so long; it must not reject. */
export function orLate(stored: Promise<StoreResult>, deadlineMs: number): Promise<Taken> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, deadlineMs, 'late');
    void stored.then((result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}
