import type { DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import type { ThreadRequest } from './ledger-thread.ts';
import { packError } from './sqlite-errors.ts';
import type { Port, Runner } from './thread.ts';

/** A reader of an older moment keeps the log from being copied whole. It is gone soon, or the claim comes again. */
const PATIENCE_MS = 5_000;
const LOOK_AGAIN_MS = 10;

/** What takes the requests, and is told that the disk failed: then nothing more may be written on this connection. */
type Committing = Runner & { fault(error: unknown): void };

interface Options {
  database: DatabaseSync;
  port: Port;
  patienceMs?: number;
}

/**
 * Copies the whole log into the main file before the first claim of the process. So a campaign whose messages are claimed is
 * never in the log alone, which a fault can take. Runs everything else meanwhile. A claim that waited in vain is answered
 * with `ledger_busy`, and the next one tries again.
 */
export class FirstCheckpoint implements Runner {
  readonly #runner: Committing;
  readonly #options: Options;
  #waiting: ThreadRequest[] = [];
  #done = false;

  constructor(runner: Committing, options: Options) {
    this.#runner = runner;
    this.#options = options;
  }

  take(requests: ThreadRequest[]): void {
    if (this.#done) return this.#runner.take(requests);
    const claims = requests.filter(isClaim);
    const others = requests.filter((request) => !isClaim(request));
    if (others.length > 0) this.#runner.take(others);
    if (claims.length === 0) return;
    const alone = this.#waiting.length === 0;
    this.#waiting.push(...claims);
    if (alone) this.#try(performance.now() + (this.#options.patienceMs ?? PATIENCE_MS));
  }

  drain(): Promise<void> {
    this.#refuse(busy());
    return this.#runner.drain();
  }

  #try(until: number): void {
    if (this.#waiting.length === 0) return;
    try {
      this.#done = isCopiedWhole(this.#options.database);
    } catch (error) {
      this.#refuse(error);
      return this.#runner.fault(error);
    }
    if (this.#done) this.#runner.take(this.#waiting.splice(0));
    else if (performance.now() > until) this.#refuse(busy());
    else setTimeout(() => this.#try(until), LOOK_AGAIN_MS);
  }

  #refuse(error: unknown): void {
    const packed = packError(error);
    const answers = this.#waiting
      .splice(0)
      .map(([id]): [number, typeof packed, undefined] => [id, packed, undefined]);
    if (answers.length > 0) this.#options.port.answer(answers);
  }
}

function isClaim([, operation]: ThreadRequest): boolean {
  return operation === 'claim';
}

/** PASSIVE needs no lock of the writers, so another process that sends at full speed is not in the way. */
function isCopiedWhole(database: DatabaseSync): boolean {
  const { busy: isBusy, log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
  return isBusy === 0 && log === checkpointed;
}

function busy(): TumaError {
  return new TumaError('ledger_busy', {
    message: 'The log of the ledger could not be copied into its file before the first claim.',
    hint: 'Something reads the ledger for very long: `lsof ledger.db` names it. Sending goes on when that ends.',
  });
}
