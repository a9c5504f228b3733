import { CommitUnknown, postgresError } from '../../src/ledger/postgres/postgres-errors.ts';
import type { Fault, Transactions } from '../../src/ledger/thread/transactions.ts';
import type { SimProcess } from './sim-process.ts';

/**
 * What becomes of a transaction whose operation has run, beside `made`.
 * `killed_before`: its process dies with the transaction open. `killed_after`: once it is committed, before anybody hears
 * of it. `undone`: nothing of it remains, and it runs again; so what it has remembered must be taken back. `unsure_…`: made, or undone, and the database cannot say which
 * (D11): a file always can, but what is above the ledger is the same.
 */
export const FATES = ['killed_before', 'killed_after', 'undone', 'unsure_made', 'unsure_undone'] as const;
export type Fate = 'made' | (typeof FATES)[number];

/** The transaction is undone by no fault of its own. */
class Undone extends Error {}

/** What breaks the transactions of a process. */
interface Breaking {
  process: SimProcess;
  /** Asked once a transaction. */
  fate: () => Fate;
  kill: () => void;
}

/** The transactions of a process, of which some end as the world wants it. A dead process begins none. */
export class SimTransactions implements Transactions {
  readonly #inner: Transactions;
  readonly #breaking: Breaking;
  /** Of the open transaction; null: its operation runs still. */
  #fate: Fate | null = null;

  constructor(inner: Transactions, breaking: Breaking) {
    this.#inner = inner;
    this.#breaking = breaking;
  }

  async begin(): Promise<void> {
    this.#requireAlive();
    this.#fate = null;
    await this.#inner.begin(true);
  }

  /** The operation has run, and what it has put off to the end has not. */
  ending(): void {
    this.#fate ??= this.#breaking.fate();
    if (this.#fate === 'killed_before') this.#breaking.kill();
    this.#requireAlive();
    if (this.#fate === 'undone') throw new Undone();
  }

  async commit(): Promise<void> {
    if (this.#fate === 'unsure_undone') await this.#inner.rollback();
    else await this.#inner.commit();
    if (this.#fate === 'killed_after') this.#breaking.kill();
    if (this.#fate?.startsWith('unsure') === true) throw new CommitUnknown();
  }

  async rollback(): Promise<void> {
    if (this.#breaking.process.alive) await this.#inner.rollback();
  }

  async savepoint(): Promise<void> {
    await this.#inner.savepoint();
  }

  async release(): Promise<void> {
    await this.#inner.release();
  }

  async rollbackToSavepoint(): Promise<void> {
    await this.#inner.rollbackToSavepoint();
  }

  isOpen(): boolean {
    return this.#inner.isOpen();
  }

  faultOf(error: unknown): Fault {
    if (error instanceof Undone) return 'busy';
    return error instanceof CommitUnknown ? 'unknown' : this.#inner.faultOf(error);
  }

  errorFor(error: unknown): Error {
    return error instanceof CommitUnknown ? postgresError(error) : this.#inner.errorFor(error);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  #requireAlive(): void {
    if (!this.#breaking.process.alive) throw new Error('this process is dead');
  }
}
