import type { DatabaseSync } from 'node:sqlite';
import type { Soon } from '../connection.ts';
import type { ThreadRequest } from '../thread/ledger-thread.ts';
import { packError } from '../thread/carried-error.ts';
import { busyError, ledgerError, whenFree } from './sqlite-errors.ts';
import type { Port, Runner } from '../thread/thread.ts';

/** The longest wait of a claim while readers of an older moment prevent a copy of the whole log. */
const PATIENCE_MS = 5_000;

/** Takes the requests, and hears of a disk error: then this connection writes no more. */
type Committing = Runner & { fault(error: unknown): Soon<void> };

interface Options {
  database: DatabaseSync;
  port: Port;
  patienceMs?: number;
  /** Told once, when the file holds everything. */
  copied?: () => void;
}

/**
 * Copies the whole log into the main file before the first claim of the process (D19), because a fault can
 * take the log. Other operations run during the copy. A claim that waits in vain gets `ledger_busy`.
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
      const packed = packError(ledgerError(error));
      await port.answer(claims.map(([id]) => [id, packed, undefined]));
      await this.#runner.fault(error);
    }
  }

  /** PASSIVE needs no lock of the writers, so another process can go on sending at full speed. */
  #copyLog(): void {
    if (this.#options.database.isTransaction) throw busyError('the rows of a draft are being written');
    const copied = this.#options.database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
    const { busy, log, checkpointed } = copied;
    if (busy !== 0 || log !== checkpointed) throw busyError('the log could not be copied whole');
    this.#isCopied = true;
    this.#options.copied?.();
  }
}
