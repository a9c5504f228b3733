import { performance } from 'node:perf_hooks';
import { orLate, type Taken, type TryStore } from './intake.ts';

/** So long it holds what was seen last, whether by a webhook or by a trial. */
const KNOWN_FOR_MS = 1_000;

/**
 * Whether webhooks can be stored. The last one tells; where none came lately the ledger itself is asked, once a second at
 * most and one question at a time, so that whoever asks all the time costs it nothing.
 */
export class Health {
  readonly #tryStore: TryStore;
  readonly #deadlineMs: number;
  #well = false;
  #knownAt = -Infinity;
  #asking: Promise<void> | null = null;
  /** A trial that the ledger has not let go of, though it was late. */
  #trial: ReturnType<TryStore> | null = null;

  constructor(tryStore: TryStore, deadlineMs: number) {
    this.#tryStore = tryStore;
    this.#deadlineMs = deadlineMs;
  }

  /** Takes in what became of a webhook. */
  note(taken: Taken): void {
    this.#well = taken === 'stored';
    this.#knownAt = performance.now();
  }

  async isWell(): Promise<boolean> {
    if (performance.now() - this.#knownAt > KNOWN_FOR_MS) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = null;
      });
      await this.#asking;
    }
    return this.#well;
  }

  async #ask(): Promise<void> {
    this.#trial ??= this.#tryStore()
      .catch(() => 'failed' as const)
      .finally(() => {
        this.#trial = null;
      });
    this.note(await orLate(this.#trial, this.#deadlineMs));
  }
}
