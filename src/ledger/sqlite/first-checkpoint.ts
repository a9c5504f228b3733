import type { DatabaseSync } from 'node:sqlite';
import type { ThreadRequest } from './ledger-thread.ts';
import { busyError, packError, whenFree } from './sqlite-errors.ts';
import type { Port, Runner } from './thread.ts';

/** A claim waits for so long while somebody reads an older moment, because the log is not copied whole until then. */
const PATIENCE_MS = 5_000;

/** Takes the requests, and is told when the disk fails: then nothing more is written on this connection. */
type Committing = Runner & { fault(error: unknown): void };

interface Options {
  database: DatabaseSync;
  port: Port;
  patienceMs?: number;
  /** Told once, when the file holds everything. */
  copied?: () => void;
}

/**
 * Copies the whole log into the main file before the first claim of the process (D19), because a fault can take the log.
 * Everything else runs meanwhile. A claim that waited in vain is answered with `ledger_busy`.
 */
export class FirstCheckpoint implements Runner {
  readonly #runner: Committing;
  readonly #options: Options;
  #isCopied = false;
  #claiming: Promise<unknown> = Promise.resolve();

  constructor(runner: Committing, options: Options) {
    this.#runner = runner;
    this.#options = options;
  }

  take(requests: ThreadRequest[]): void {
    if (this.#isCopied) return this.#runner.take(requests);
    const claims = requests.filter(([, operation]) => operation === 'claim');
    const others = requests.filter(([, operation]) => operation !== 'claim');
    if (others.length > 0) this.#runner.take(others);
    if (claims.length > 0) this.#claiming = Promise.all([this.#claiming, this.#claim(claims)]);
  }

  async drain(): Promise<void> {
    await this.#claiming;
    await this.#runner.drain();
  }

  async #claim(claims: ThreadRequest[]): Promise<void> {
    const { port, patienceMs = PATIENCE_MS } = this.#options;
    try {
      await whenFree(() => this.#copyLog(), patienceMs);
      this.#runner.take(claims);
    } catch (error) {
      const packed = packError(error);
      port.answer(claims.map(([id]) => [id, packed, undefined]));
      this.#runner.fault(error);
    }
  }

  /** PASSIVE needs no lock of the writers, so another process that sends at full speed is not in the way. */
  #copyLog(): void {
    const copied = this.#options.database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
    const { busy, log, checkpointed } = copied;
    if (busy !== 0 || log !== checkpointed) throw busyError('the log could not be copied whole');
    this.#isCopied = true;
    this.#options.copied?.();
  }
}
