import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { whileAsked } from './asked.ts';
import type { Memory } from './memory.ts';
import type { OperationTable, ThreadAnswer, ThreadRequest } from './ledger-thread.ts';
import { type Fault, faultOf, packError } from './sqlite-errors.ts';
import { operationNamed, type Port, type Runner } from './thread.ts';

/*
 * All requests that wait while the connection is free go into one transaction, and get their answers after
 * its COMMIT. With many callers a commit costs one fsync. A failed operation neither undoes nor blocks its
 * neighbours.
 * After a disk error (EIO) a COMMIT that threw can turn up again, so the connection is given up. That is
 * harmless. The reaper makes messages of an undelivered claim uncertain, and a verdict that turns up is true.
 */

/** No transaction takes further operations after this long. */
const LONGEST_TRANSACTION_MS = 50;
/** The longest wait of an operation for another process's lock, unless `patienceMs` sets another. */
const DEFAULT_PATIENCE_MS = 30_000;
const FULL_DISK_WAIT_MS = 250;
const BUSY_WAIT_MS = { least: 1, most: 8 };

/** The operations of a group commit, its connection, and its patience. */
export interface GroupCommitOptions {
  database: DatabaseSync;
  operations: OperationTable;
  /** What the operations remember between transactions; left out: nothing. */
  memory?: Memory;
  port: Port;
  /** The longest wait for the lock in milliseconds; Infinity: no limit, even on a full disk. */
  patienceMs: Record<string, number>;
  /** A power cut may lose these without harm. A transaction of only these is not synced to the disk. */
  unsynced: ReadonlySet<string>;
}

interface Waiting {
  request: ThreadRequest;
  /** The `performance.now()` after which a foreign lock is an error. */
  deadline: number;
}

/** The transaction is lost with everything that ran in it. */
class TransactionLost extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, cause: unknown) {
    super('the transaction is lost', { cause });
    this.fault = fault;
  }
}

/** One operation failed by itself, so the others run again without it. */
class OperationFailed extends Error {}

/** Runs all waiting requests in one transaction, and answers them once it is on the disk. */
export class GroupCommit implements Runner {
  readonly #options: GroupCommitOptions;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #drained: (() => void)[] = [];
  #synced = true;
  #full = false;
  /** Set by a disk error: this connection tries nothing again. */
  #broken: unknown = null;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    const { database } = options;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#savepoint = database.prepare('SAVEPOINT operation');
    this.#release = database.prepare('RELEASE operation');
  }

  take(requests: ThreadRequest[]): void {
    const now = performance.now();
    for (const request of requests) {
      const patience = this.#options.patienceMs[request[1]] ?? DEFAULT_PATIENCE_MS;
      this.#waiting.push({ request, deadline: now + patience });
    }
    this.#schedule();
  }

  drain(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /** A disk error outside of a transaction. */
  fault(error: unknown): void {
    if (faultOf(error) !== 'busy') this.#onFault(error);
  }

  /** Runs in this turn of the event loop, after all arrived requests are taken in. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#scheduled = false;
    try {
      if (this.#broken !== null) throw this.#broken;
      const begun = performance.now();
      const answers = this.#transaction();
      this.#full = false;
      this.#options.port.answer(answers, performance.now() - begun);
    } catch (error) {
      this.#onFault(error);
    }
    if (this.#waiting.length > 0) this.#schedule();
    else this.#rest();
  }

  /**
   * Runs all waiting requests in one transaction. Savepoints are slow, and hardly any operation fails. So
   * only after a failure all are undone and run again, each in a savepoint of its own.
   */
  #transaction(): ThreadAnswer[] {
    try {
      return this.#attempt((request) => this.#runPlain(request));
    } catch (error) {
      if (!(error instanceof OperationFailed)) throw error;
      return this.#attempt((request) => this.#runInSavepoint(request));
    }
  }

  /** One transaction; removes committed requests from the queue. A throw leaves the queue unchanged. */
  #attempt(run: (request: ThreadRequest) => ThreadAnswer): ThreadAnswer[] {
    this.#sync(!this.#waiting.every(({ request }) => this.#options.unsynced.has(request[1])));
    this.#begin.run();
    const takeBack = this.#options.memory?.mark();
    const until = performance.now() + LONGEST_TRANSACTION_MS;
    const answers: ThreadAnswer[] = [];
    try {
      for (const { request } of this.#waiting) {
        answers.push(run(request));
        if (performance.now() > until) break;
      }
      this.#options.memory?.finish();
      this.#commit.run();
    } catch (error) {
      if (this.#options.database.isTransaction) this.#options.database.exec('ROLLBACK');
      takeBack?.();
      throw error;
    }
    this.#waiting.splice(0, answers.length);
    return answers;
  }

  #runPlain(request: ThreadRequest): ThreadAnswer {
    try {
      return [request[0], null, this.#operate(request)];
    } catch (error) {
      const fault = faultOf(error);
      if (fault !== 'other' || !this.#options.database.isTransaction) throw new TransactionLost(fault, error);
      throw new OperationFailed();
    }
  }

  #runInSavepoint(request: ThreadRequest): ThreadAnswer {
    const [id] = request;
    this.#savepoint.run();
    const takeBack = this.#options.memory?.mark();
    try {
      const result = this.#operate(request);
      this.#options.memory?.finish();
      this.#release.run();
      return [id, null, result];
    } catch (error) {
      const fault = faultOf(error);
      if (fault !== 'other' || !this.#options.database.isTransaction) throw new TransactionLost(fault, error);
      this.#options.database.exec('ROLLBACK TO operation; RELEASE operation');
      takeBack?.();
      return [id, packError(error), undefined];
    }
  }

  #operate([, name, args, asked]: ThreadRequest): unknown {
    const operation = operationNamed(this.#options.operations, name);
    return asked === undefined ? operation(args as never) : whileAsked(asked, () => operation(args as never));
  }

  #onFault(thrown: unknown): void {
    const error = thrown instanceof TransactionLost ? thrown.cause : thrown;
    switch (faultOf(error)) {
      case 'busy':
        return this.#later(BUSY_WAIT_MS.least + Math.random() * BUSY_WAIT_MS.most, error);
      case 'full':
        return this.#onFullDisk(error);
      case 'broken':
        if (this.#broken === null)
          this.#options.port.log.error({}, 'the ledger is damaged: nothing more is written');
        this.#broken = error;
        return this.#giveUp(this.#waiting.splice(0), error);
      case 'readonly':
      case 'other':
        return this.#giveUp(this.#waiting.splice(0), error);
    }
  }

  /** Verdicts are kept and tried again until there is space; other operations fail at once. */
  #onFullDisk(error: unknown): void {
    if (!this.#full) this.#options.port.log.error({}, 'the disk is full: verdicts wait in memory for space');
    this.#full = true;
    const lasting = this.#waiting.filter(({ deadline }) => deadline === Infinity);
    this.#giveUp(
      this.#waiting.filter(({ deadline }) => deadline !== Infinity),
      error,
    );
    this.#waiting = lasting;
    if (lasting.length > 0) this.#later(FULL_DISK_WAIT_MS * (1 + Math.random()), error);
  }

  #later(waitMs: number, error: unknown): void {
    const now = performance.now();
    this.#giveUp(
      this.#waiting.filter(({ deadline }) => deadline <= now),
      error,
    );
    this.#waiting = this.#waiting.filter(({ deadline }) => deadline > now);
    this.#scheduled = true;
    setTimeout(() => this.#run(), waitMs);
  }

  #giveUp(waiting: Waiting[], error: unknown): void {
    if (waiting.length === 0) return;
    const packed = packError(error);
    this.#options.port.answer(waiting.map(({ request }) => [request[0], packed, undefined]));
  }

  #sync(wanted: boolean): void {
    if (wanted === this.#synced) return;
    this.#options.database.exec(`PRAGMA synchronous = ${wanted ? 'FULL' : 'NORMAL'}`);
    this.#synced = wanted;
  }
  #rest(): void {
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
