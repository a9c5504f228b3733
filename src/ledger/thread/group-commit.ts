import { setImmediate as nextTurn } from 'node:timers/promises';
import { whileAsked } from './asked.ts';
import type { Memory } from '../operations/memory.ts';
import type { Operation, Rules } from '../operations/operation.ts';
import type { ThreadAnswer, ThreadRequest } from './ledger-thread.ts';
import { type CarriedError, packError } from './carried-error.ts';
import { operationNamed, type Port, type Runner } from './thread.ts';
import type { Transactions } from './transactions.ts';

/*
 * All requests that wait while the connection is free go into one transaction, and get their answers after
 * its COMMIT. With many callers a commit costs one fsync. A failed operation neither undoes nor blocks its
 * neighbours.
 * After a disk error (EIO) a COMMIT that threw can turn up again, so the connection is given up. That is
 * harmless. The reaper makes messages of an undelivered claim uncertain, and a verdict that turns up is true.
 */

/** No transaction takes further operations after this long. */
const LONGEST_TRANSACTION_MS = 50;
/** The same for the rows of drafts. */
const LONGEST_OF_DRAFTS_MS = 150;
/** The longest wait of an operation for another process's lock, unless its rules set another. */
const DEFAULT_PATIENCE_MS = 30_000;
/** The most calls that run as one: a bounded part of a transaction, and of the memory. */
const MOST_TOGETHER = 256;
const FULL_DISK_WAIT_MS = 250;
const AGAIN_WAIT_MS = 100;
const BUSY_WAIT_MS = { least: 1, most: 8 };

/** The operations of a group commit, the transactions of their connection, and their patience. */
export interface GroupCommitOptions {
  transactions: Transactions;
  operations: Readonly<Record<string, Operation>>;
  /** What the operations remember between transactions; left out: nothing. */
  memory?: Memory;
  port: Port;
  /** No transaction takes further operations after so many milliseconds; 50 by default. */
  longestMs?: number;
}

interface Waiting {
  request: ThreadRequest;
  /** The `performance.now()` after which a foreign lock is an error. */
  deadline: number;
}

/** Requests that run as one; nearly always one. */
type Together = readonly [ThreadRequest, ...ThreadRequest[]];

/** How a transaction runs its requests: in sets of so many at most. */
interface How {
  most: number;
  run: (set: Together) => Promise<ThreadAnswer[]>;
}

/** The transaction is lost with everything that ran in it. */
class TransactionLost extends Error {
  constructor(cause: unknown) {
    super('the transaction is lost', { cause });
  }
}

/** One operation failed by itself, so the others run again without it. */
class OperationFailed extends Error {}

/**
 * Runs all waiting requests in one transaction, and answers them once it is on the disk. Operations await their
 * statements, and requests may arrive meanwhile. So a group leaves the queue before it begins, and the next group begins
 * after its answers.
 */
export class GroupCommit implements Runner {
  readonly #options: GroupCommitOptions;
  readonly #transactions: Transactions;
  #waiting: Waiting[] = [];
  #scheduled = false;
  /** A group is in its transaction, or on its way to its callers. */
  #running = false;
  /** The last transaction was a long one, so another process that waits for the lock gets the time of one try. */
  #heldLong = false;
  /** The first operations of the group that got their answers before its commit. */
  #answered = 0;
  #drained: (() => void)[] = [];
  #full = false;
  /** Set by a disk error: this connection tries nothing again. */
  #broken: unknown = null;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#transactions = options.transactions;
  }

  take(requests: ThreadRequest[]): void {
    const now = performance.now();
    for (const request of requests) {
      const { patienceMs = DEFAULT_PATIENCE_MS } = this.#rulesOf(request);
      this.#waiting.push({ request, deadline: now + patienceMs });
    }
    this.#schedule();
  }

  drain(): Promise<void> {
    if (this.#waiting.length === 0 && !this.#running) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /** A disk error outside of a transaction. */
  async fault(error: unknown): Promise<void> {
    if (this.#transactions.faultOf(error) !== 'busy') await this.#onFault(error, this.#waiting.splice(0));
  }

  /** Begins in this turn of the event loop, after all arrived requests are taken in. */
  #schedule(): void {
    if (this.#scheduled || this.#running) return;
    this.#scheduled = true;
    if (this.#heldLong) setTimeout(() => void this.#run(), BUSY_WAIT_MS.least + BUSY_WAIT_MS.most);
    else setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    this.#scheduled = false;
    if (this.#running) return;
    this.#heldLong = false;
    if (this.#waiting.length === 0) return this.#rest();
    this.#running = true;
    await this.#runGroup(this.#waiting.splice(0));
    this.#running = false;
    if (this.#waiting.length > 0) this.#schedule();
    else this.#rest();
  }

  async #runGroup(group: Waiting[]): Promise<void> {
    try {
      if (this.#broken !== null) throw this.#broken;
      const begun = performance.now();
      const answers = await this.#transaction(group);
      this.#full = false;
      group.splice(0, answers.length);
      // What found no time in this transaction is first in the next one.
      this.#putBack(group.splice(0));
      await this.#options.port.answer(answers.slice(this.#answered), performance.now() - begun);
    } catch (error) {
      await this.#onFault(error, group);
    }
  }

  #putBack(group: Waiting[]): void {
    this.#waiting = [...group, ...this.#waiting];
  }

  /**
   * Runs a group in one transaction. Savepoints are slow, and hardly any operation fails. So
   * only after a failure all are undone and run again, each in a savepoint of its own.
   */
  async #transaction(group: Waiting[]): Promise<ThreadAnswer[]> {
    try {
      return await this.#attempt(group, { most: MOST_TOGETHER, run: (set) => this.#runPlain(set) });
    } catch (error) {
      if (!(error instanceof OperationFailed)) throw error;
      return await this.#attempt(group, { most: 1, run: (set) => this.#runInSavepoint(set) });
    }
  }

  /** One transaction. Returns the answers of the first requests of the group, or of all. A throw has undone everything. */
  async #attempt(group: Waiting[], how: How): Promise<ThreadAnswer[]> {
    await this.#transactions.begin(group.some(({ request }) => this.#rulesOf(request).durable ?? true));
    const takeBack = this.#options.memory?.mark();
    try {
      const answers = await this.#runEach(group, how);
      await this.#options.memory?.finish();
      // The connection may have been given up meanwhile.
      if (this.#broken !== null) throw this.#broken;
      await this.#transactions.commit();
      return answers;
    } catch (error) {
      takeBack?.();
      await this.#transactions.rollback();
      throw error;
    }
  }

  async #runEach(group: Waiting[], { most, run }: How): Promise<ThreadAnswer[]> {
    const joins = group.every((waiting) => this.#joins(waiting));
    const longestMs = joins ? LONGEST_OF_DRAFTS_MS : LONGEST_TRANSACTION_MS;
    const until = performance.now() + (this.#options.longestMs ?? longestMs);
    const answers: ThreadAnswer[] = [];
    this.#answered = 0;
    while (answers.length < group.length) {
      answers.push(...(await run(this.#setAt(group, answers.length, most))));
      const isLate = performance.now() > until;
      this.#heldLong = joins && isLate;
      if (isLate) break;
      if (joins) await this.#goOn(group, answers);
    }
    return answers;
  }

  /** The request at a place of the group, with the neighbours that run as one with it. */
  #setAt(group: readonly Waiting[], from: number, most: number): Together {
    const { request: first } = group[from] as Waiting;
    const isPart = ([, name, , asked]: ThreadRequest) => name === first[1] && asked === undefined;
    if (this.#rulesOf(first).together !== true || !isPart(first)) return [first];
    const others = group.slice(from + 1, from + most).map(({ request }) => request);
    const end = others.findIndex((each) => !isPart(each));
    return [first, ...(end === -1 ? others : others.slice(0, end))];
  }

  /**
   * More rows join the open transaction, because each transaction writes nearly every page of the index of identities
   * anew. So all but the latest get their answers before the commit. The latest hears if it fails.
   */
  async #goOn(group: Waiting[], answers: readonly ThreadAnswer[]): Promise<void> {
    const fresh = answers.slice(this.#answered, -1);
    this.#answered += fresh.length;
    if (fresh.length > 0) await this.#options.port.answer(fresh);
    if (answers.length < group.length) return;
    await nextTurn();
    if (this.#waiting.every((waiting) => this.#joins(waiting))) group.push(...this.#waiting.splice(0));
  }

  async #runPlain(set: Together): Promise<ThreadAnswer[]> {
    try {
      const result = await this.#operate(set);
      return set.map(([id]) => [id, null, result]);
    } catch (error) {
      if (this.#isLost(error)) throw new TransactionLost(error);
      throw new OperationFailed();
    }
  }

  async #runInSavepoint(set: Together): Promise<ThreadAnswer[]> {
    await this.#transactions.savepoint();
    const takeBack = this.#options.memory?.mark();
    try {
      const result = await this.#operate(set);
      await this.#options.memory?.finish();
      await this.#transactions.release();
      return set.map(([id]) => [id, null, result]);
    } catch (error) {
      if (this.#isLost(error)) throw new TransactionLost(error);
      await this.#transactions.rollbackToSavepoint();
      takeBack?.();
      return set.map(([id]) => [id, this.#packed(error), undefined]);
    }
  }

  #joins({ request }: Waiting): boolean {
    return this.#rulesOf(request).joins ?? false;
  }

  #rulesOf([, name]: ThreadRequest): Rules {
    return this.#options.operations[name]?.rules ?? {};
  }

  #isLost(error: unknown): boolean {
    return this.#transactions.faultOf(error) !== 'other' || !this.#transactions.isOpen();
  }

  #operate([first, ...others]: Together): unknown {
    const [, name, given, asked] = first;
    const operation = operationNamed(this.#options.operations, name);
    const all = others.length === 0 ? given : [given, ...others.map(([, , each]) => each)].flat();
    const operate = () => operation(...(all as never[]));
    return asked === undefined ? operate() : whileAsked(asked, operate);
  }

  /** `group` is in the queue no more. What arrived since meets a transaction of its own. */
  async #onFault(thrown: unknown, group: Waiting[]): Promise<void> {
    const error = thrown instanceof TransactionLost ? thrown.cause : thrown;
    switch (this.#transactions.faultOf(error)) {
      case 'busy':
        this.#putBack(group);
        return await this.#later(BUSY_WAIT_MS.least + Math.random() * BUSY_WAIT_MS.most, error);
      case 'again':
        this.#putBack(group);
        return await this.#later(AGAIN_WAIT_MS * (1 + Math.random()), error);
      case 'unknown':
        this.#options.port.log.error(
          {},
          'the connection was lost during a commit, and nobody knows whether it was made',
        );
        return await this.#keepVerdicts(group, AGAIN_WAIT_MS, error);
      case 'full':
        this.#sayFull();
        return await this.#keepVerdicts(group, FULL_DISK_WAIT_MS, error);
      case 'broken':
        if (this.#broken === null)
          this.#options.port.log.error({}, 'the ledger is damaged: nothing more is written');
        this.#broken = error;
        return await this.#giveUp(group, error);
      case 'readonly':
      case 'other':
        return await this.#giveUp(group, error);
    }
  }

  #sayFull(): void {
    if (!this.#full) this.#options.port.log.error({}, 'the disk is full: verdicts wait in memory for space');
    this.#full = true;
  }

  /** Verdicts run again, because what is recorded twice changes nothing the second time. Others fail at once. */
  async #keepVerdicts(group: Waiting[], waitMs: number, error: unknown): Promise<void> {
    const { kept = [], others = [] } = Object.groupBy(group, ({ deadline }) =>
      deadline === Infinity ? 'kept' : 'others',
    );
    this.#putBack(kept);
    await this.#giveUp(others, error);
    if (kept.length > 0) await this.#later(waitMs * (1 + Math.random()), error);
  }

  async #later(waitMs: number, error: unknown): Promise<void> {
    const now = performance.now();
    const late = this.#waiting.filter(({ deadline }) => deadline <= now);
    this.#waiting = this.#waiting.filter(({ deadline }) => deadline > now);
    this.#scheduled = true;
    setTimeout(() => void this.#run(), waitMs);
    await this.#giveUp(late, error);
  }

  async #giveUp(waiting: Waiting[], error: unknown): Promise<void> {
    if (waiting.length === 0) return;
    const packed = this.#packed(error);
    await this.#options.port.answer(waiting.map(({ request }) => [request[0], packed, undefined]));
  }

  #packed(error: unknown): CarriedError {
    return packError(this.#transactions.errorFor(error));
  }

  #rest(): void {
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
