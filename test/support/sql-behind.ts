import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Connection, Soon } from '../../src/ledger/connection.ts';
import { ALL_MESSAGES } from '../../src/ledger/operations/keeping/counted-messages.ts';
import { Counters } from '../../src/ledger/operations/keeping/counters.ts';
import { Memory } from '../../src/ledger/operations/memory.ts';

/** Makes a change behind the ledger's back in one transaction. The counters of known campaigns follow. */
export class CountedBehind {
  readonly #database: Connection;
  readonly #memory = new Memory();
  readonly #counters: Counters;

  constructor(database: Connection) {
    this.#database = database;
    this.#counters = new Counters(database, this.#memory);
  }

  /** `transaction` runs BEGIN, COMMIT or ROLLBACK. */
  async change<Result>(
    transaction: (text: string) => Soon<unknown>,
    change: () => Soon<Result>,
  ): Promise<Result> {
    await transaction('BEGIN');
    const takeBack = this.#memory.mark();
    try {
      const campaigns = await this.#database.prepare('SELECT n FROM campaign').all();
      const everything = campaigns.map(({ n }) => [Number(n), ...ALL_MESSAGES] as const);
      const result = await this.#counters.around(everything, change);
      await this.#memory.finish();
      await transaction('COMMIT');
      return result;
    } catch (error) {
      await transaction('ROLLBACK');
      takeBack();
      throw error;
    }
  }
}

/** Plain SQL behind the ledger's back, for states that no operation makes. */
export class SqlBehind {
  readonly #database: DatabaseSync;
  readonly #counted: CountedBehind;

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: 5_000 });
    this.#counted = new CountedBehind(this.#database);
  }

  async run(text: string, ...values: SQLInputValue[]): Promise<Record<string, unknown>[]> {
    const statement = this.#database.prepare(text);
    if (statement.columns().length > 0) return statement.all(...values).map((row) => ({ ...row }));
    await this.#counted.change(
      (sql) => this.#database.exec(sql.replace(/^BEGIN$/, 'BEGIN IMMEDIATE')),
      () => statement.run(...values),
    );
    return [];
  }

  close(): void {
    this.#database.close();
  }
}
