import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { ALL_MESSAGES, type CountedSpan } from '../../src/ledger/operations/keeping/counted-messages.ts';
import { Counters } from '../../src/ledger/operations/keeping/counters.ts';
import { Memory } from '../../src/ledger/operations/memory.ts';

/** Plain SQL behind the ledger's back, for states that no operation makes. The counters of known campaigns follow. */
export class SqlBehind {
  readonly #database: DatabaseSync;
  readonly #memory = new Memory();
  readonly #counters: Counters;

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: 5_000 });
    this.#counters = new Counters(this.#database, this.#memory);
  }

  async run(text: string, ...values: SQLInputValue[]): Promise<Record<string, unknown>[]> {
    const statement = this.#database.prepare(text);
    if (statement.columns().length > 0) return statement.all(...values).map((row) => ({ ...row }));
    this.#database.exec('BEGIN IMMEDIATE');
    const takeBack = this.#memory.mark();
    try {
      await this.#counters.around(this.#everything(), () => statement.run(...values));
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

  #everything(): CountedSpan[] {
    const campaigns = this.#database.prepare('SELECT n FROM campaign').all();
    return campaigns.map(({ n }) => [Number(n), ...ALL_MESSAGES]);
  }
}
