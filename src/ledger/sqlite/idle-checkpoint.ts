import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** With nothing written for this long, the log is copied to the main file and cut. */
const IDLE_MS = 1_000;
/** With somebody in the way it waits twice as long each time, up to so many times as long. */
const MOST_WAITS = 32;

/**
 * Copies the write-ahead log back when nobody writes. Polls that find nothing are no writes: only rows that changed
 * count, or a process that looks every quarter of a second would never rest.
 */
export class IdleCheckpoint {
  readonly #database: DatabaseSync;
  readonly #totalChanges: StatementSync;
  readonly #mayRun: () => boolean;
  readonly #onError: (error: unknown) => void;
  readonly #idleMs: number;
  #timer: NodeJS.Timeout | null = null;
  #seenChanges = 0;
  #changedAt = 0;
  #dirty = false;
  #waits = 1;

  constructor(
    database: DatabaseSync,
    {
      mayRun,
      onError,
      idleMs = IDLE_MS,
    }: { mayRun: () => boolean; onError: (error: unknown) => void; idleMs?: number },
  ) {
    this.#database = database;
    this.#totalChanges = database.prepare('SELECT total_changes() AS changes');
    this.#mayRun = mayRun;
    this.#onError = onError;
    this.#idleMs = idleMs;
  }

  /** Called whenever nothing waits. */
  rested(): void {
    if (!this.#database.isOpen) return;
    const changes = Number(this.#totalChanges.get()?.['changes']);
    if (changes !== this.#seenChanges) {
      this.#seenChanges = changes;
      this.#changedAt = performance.now();
      this.#dirty = true;
      this.#waits = 1;
    }
    if (this.#dirty && this.#timer === null)
      this.#timer = setTimeout(() => this.#fire(), this.#waits * this.#idleMs).unref();
  }

  /** Does not wait: with a reader in the way as much as possible is copied, and the rest a while later. */
  #fire(): void {
    this.#timer = null;
    if (!this.#mayRun() || performance.now() - this.#changedAt < this.#idleMs) return this.rested();
    try {
      this.#dirty = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 1;
    } catch (error) {
      this.#dirty = false;
      this.#onError(error);
    }
    if (!this.#dirty) return;
    this.#waits = Math.min(2 * this.#waits, MOST_WAITS);
    this.rested();
  }
}
