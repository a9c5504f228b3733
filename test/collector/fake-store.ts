import type { ReceivedWebhook, StoreResult } from '../../src/campaign/inbound/store-webhook.ts';
import type { Log } from '../../src/campaign/env.ts';

/** Keeps webhooks in memory; used where the ledger is not what is tested. */
export class FakeStore {
  readonly webhooks: ReceivedWebhook[] = [];
  /** What the next ones are answered with. */
  result: StoreResult = 'stored';
  #gate: Promise<void> | null = null;
  #open: () => void = () => undefined;

  readonly store = async (webhook: ReceivedWebhook): Promise<StoreResult> => {
    if (this.#gate !== null) await this.#gate;
    if (this.result === 'stored') this.webhooks.push(webhook);
    return this.result;
  };

  readonly tryStore = async (): Promise<StoreResult> => this.result;

  /** From now on nothing is stored until `release`. */
  hold(): void {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  release(): void {
    this.#gate = null;
    this.#open();
  }

  bodies(): string[] {
    return this.webhooks.map((webhook) => Buffer.from(webhook.body).toString());
  }
}

/** Remembers every line, so that a test can search them. */
export class MemoryLog implements Log {
  readonly lines: string[] = [];
  debug = (fields: object, message: string) => this.#add(fields, message);
  info = (fields: object, message: string) => this.#add(fields, message);
  warn = (fields: object, message: string) => this.#add(fields, message);
  error = (fields: object, message: string) => this.#add(fields, message);

  #add(fields: object, message: string): void {
    this.lines.push(JSON.stringify({ ...fields, message }));
  }
}
