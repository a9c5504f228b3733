import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Counters } from '../../src/ledger/operations/keeping/counters.ts';
import { Memory } from '../../src/ledger/operations/memory.ts';

/**
 * Plain SQL behind the ledger's back, for states that no operation makes. The counters follow, as they do on every
 * connection of Tuma, except for `sending` messages, which the claim counts.
 */
export class SqlBehind {
  readonly #database: DatabaseSync;
  readonly #memory = new Memory();

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: 5_000 });
    void new Counters(this.#database, this.#memory);
  }

  async run(text: string, ...values: SQLInputValue[]): Promise<Record<string, unknown>[]> {
    const statement = this.#database.prepare(text);
    if (statement.columns().length > 0) return statement.all(...values).map((row) => ({ ...row }));
    this.#database.exec('BEGIN IMMEDIATE');
    const takeBack = this.#memory.mark();
    try {
      statement.run(...values);
      await this.#memory.finish();
      this.#database.exec('COMMIT');
      return [];
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      takeBack();
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }
}
