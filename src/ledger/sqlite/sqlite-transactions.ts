import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Snapshots, Transactions } from '../thread/transactions.ts';
import { CACHE_KIB, CHECKPOINT_PAGES } from './open.ts';
import { faultOf, ledgerError } from './sqlite-errors.ts';

/** The rows of a draft change nearly every page of the index of identities, and what has no place is written twice. */
const DRAFT_CACHE_KIB = 32_000;
/** So a page goes from the log into the file once for several transactions. */
const DRAFT_CHECKPOINT_PAGES = 32_000;

/** The write transactions of an SQLite connection. */
export class SqliteTransactions implements Transactions {
  readonly faultOf = faultOf;
  readonly errorFor = ledgerError;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #look: () => void;
  #synced = true;

  /** `look` is called first in each transaction; what it throws ends it. */
  constructor(database: DatabaseSync, look: () => void = () => undefined) {
    this.#database = database;
    this.#look = look;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#savepoint = database.prepare('SAVEPOINT operation');
    this.#release = database.prepare('RELEASE operation');
  }

  begin(durable: boolean): void {
    this.#sync(durable);
    this.#begin.run();
    try {
      this.#look();
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  commit(): void {
    this.#commit.run();
  }

  rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  savepoint(): void {
    this.#savepoint.run();
  }

  release(): void {
    this.#release.run();
  }

  rollbackToSavepoint(): void {
    this.#database.exec('ROLLBACK TO operation; RELEASE operation');
  }

  isOpen(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #sync(wanted: boolean): void {
    if (wanted === this.#synced) return;
    const [synchronous, cache, checkpoint] = wanted
      ? ['FULL', CACHE_KIB, CHECKPOINT_PAGES]
      : ['NORMAL', DRAFT_CACHE_KIB, DRAFT_CHECKPOINT_PAGES];
    this.#database.exec(
      `PRAGMA synchronous = ${synchronous}; PRAGMA cache_size = -${cache}; PRAGMA wal_autocheckpoint = ${checkpoint}`,
    );
    this.#synced = wanted;
  }
}

/** The read transactions of an SQLite connection. `look` is called first in each. */
export function sqliteSnapshots(database: DatabaseSync, look: () => void): Snapshots {
  return {
    begin: () => {
      database.exec('BEGIN');
      look();
    },
    end: () => {
      if (database.isTransaction) database.exec('ROLLBACK');
    },
    errorFor: ledgerError,
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}
