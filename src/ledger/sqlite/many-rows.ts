import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

const ROWS_A_STATEMENT = 20;
const ROW = /VALUES (\(.+\));\s*$/s;

/**
 * Runs an INSERT of one row for many rows at a time, because the start of a statement costs nearly as much as
 * its row. The statement has places without numbers (`?`), because Node searches each numbered one among all
 * others.
 */
export class ManyRows {
  readonly #one: StatementSync;
  readonly #many: StatementSync;
  readonly #places: number;

  constructor(database: DatabaseSync, one: StatementSync) {
    const text = one.sourceSQL;
    const row = ROW.exec(text)?.[1];
    if (row === undefined) throw new Error(`this inserts no row of values: ${text}`);
    this.#places = row.split('?').length - 1;
    this.#one = one;
    const rows = Array(ROWS_A_STATEMENT).fill(row).join(', ');
    this.#many = database.prepare(text.replace(ROW, () => `VALUES ${rows};`));
  }

  /** The rows of one operation, inserted by `flush`. */
  begin(): Pick<RowBatch, 'add' | 'flush'> {
    return new RowBatch(this.#one, this.#many, this.#places);
  }
}

class RowBatch {
  readonly #one: StatementSync;
  readonly #many: StatementSync;
  readonly #places: number;
  #waiting: SQLInputValue[] = [];

  constructor(one: StatementSync, many: StatementSync, places: number) {
    this.#one = one;
    this.#many = many;
    this.#places = places;
  }

  add(...row: SQLInputValue[]): void {
    for (const value of row) this.#waiting.push(value);
    if (this.#waiting.length === this.#places * ROWS_A_STATEMENT) this.#many.run(...this.#taken());
  }

  flush(): void {
    const waiting = this.#taken();
    for (let at = 0; at < waiting.length; at += this.#places)
      this.#one.run(...waiting.slice(at, at + this.#places));
  }

  #taken(): SQLInputValue[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}
