import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** With nothing written for this long, the log is copied to the main file and cut. */
const IDLE_MS = 1_000;

/**
 * Copies the write-ahead log back when nobody writes. Polls that find nothing are no writes: only rows that changed
 * count, or a process that looks every quarter of a second would never rest.
 */
export class IdleCheckpoint {
  readonly #database: DatabaseSync;
  readonly #totalChanges: StatementSync;
  readonly #mayRun: () => boolean;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #seenChanges = 0;
  #changedAt = 0;
  #dirty = false;

  constructor(
    database: DatabaseSync,
    { mayRun, onError }: { mayRun: () => boolean; onError: (error: unknown) => void },
  ) {
    this.#database = database;
    this.#totalChanges = database.prepare('SELECT total_changes() AS changes');
    this.#mayRun = mayRun;
    this.#onError = onError;
  }

  /** Called whenever nothing waits. */
  rested(): void {
    if (!this.#database.isOpen) return;
    const changes = Number(this.#totalChanges.get()?.['changes']);
    if (changes !== this.#seenChanges) {
      this.#seenChanges = changes;
      this.#changedAt = performance.now();
      this.#dirty = true;
    }
    if (this.#dirty && this.#timer === null) this.#timer = setTimeout(() => this.#fire(), IDLE_MS).unref();
  }

  /** Does not wait: with a reader in the way as much as possible is copied, and the rest next time. */
  #fire(): void {
    this.#timer = null;
    if (!this.#mayRun() || performance.now() - this.#changedAt < IDLE_MS) return this.rested();
    this.#dirty = false;
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      this.#onError(error);
    }
  }
}
