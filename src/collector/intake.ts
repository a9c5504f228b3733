import type { ReceivedWebhook, StoreResult } from '../campaign/inbound/store-webhook.ts';

/**
 * The fate of a webhook. Only `stored` may be acknowledged. `crowded`: too many webhooks wait here
 * already. `late`: the webhook was not durable within the deadline.
 */
export type Taken = StoreResult | 'late' | 'crowded';

/** Where an intake stores webhooks, and its bounds. */
export interface IntakeOptions {
  /** Stores one webhook durably; never rejects. */
  store: (webhook: ReceivedWebhook) => Promise<StoreResult>;
  /** Tries whether a webhook could be stored now, without one; never rejects. */
  tryStore: () => Promise<StoreResult>;
  /** Webhooks that wait for the ledger at one time, and the bytes of their bodies. */
  waiting: number;
  waitingBytes: number;
  /** A webhook that is `late` may still become stored, and a repeat of it is harmless. */
  storeDeadlineMs: number;
  healthDeadlineMs: number;
}

/** Hands webhooks to the ledger: a bounded number at a time, each for a bounded time. */
export class Intake {
  readonly #options: IntakeOptions;
  #waiting = 0;
  #waitingBytes = 0;
  #trial: Promise<StoreResult> | null = null;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Stores a webhook. */
  take(webhook: ReceivedWebhook): Promise<Taken> {
    const { waiting, waitingBytes } = this.#options;
    if (this.#waiting >= waiting || this.#waitingBytes >= waitingBytes) return Promise.resolve('crowded');
    this.#waiting++;
    this.#waitingBytes += webhook.body.byteLength;
    return orLate(this.#stored(webhook), this.#options.storeDeadlineMs);
  }

  /** True: webhooks can be stored now. Only one trial runs at a time, so that questions cost little. */
  async isWell(): Promise<boolean> {
    this.#trial ??= this.#options.tryStore().finally(() => {
      this.#trial = null;
    });
    return (await orLate(this.#trial, this.#options.healthDeadlineMs)) === 'stored';
  }

  /** A webhook counts until the ledger lets go of it, because a late one still takes memory. */
  async #stored(webhook: ReceivedWebhook): Promise<StoreResult> {
    try {
      return await this.#options.store(webhook);
    } catch {
      return 'failed';
    } finally {
      this.#waiting--;
      this.#waitingBytes -= webhook.body.byteLength;
    }
  }
}

/** The result, or `late` after the deadline. The promise must not reject. */
function orLate(stored: Promise<StoreResult>, deadlineMs: number): Promise<Taken> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, deadlineMs, 'late');
    void stored.then((result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}
