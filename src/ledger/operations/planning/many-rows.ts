import type { SQLInputValue } from 'node:sqlite';
import type { Connection, Statement } from '../../connection.ts';

const ROWS_A_STATEMENT = 20;
const ROW = /VALUES (\(.+\));\s*$/s;

/**
 * Runs an INSERT of one row for many rows at a time, because the start of a statement costs nearly as much as
 * its row. The statement has places without numbers (`?`), because Node searches each numbered one among all
 * others.
 */
export class ManyRows {
  readonly #one: Statement;
  readonly #many: Statement;
  readonly #places: number;

  constructor(database: Connection, one: Statement) {
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
  readonly #one: Statement;
  readonly #many: Statement;
  readonly #places: number;
  #waiting: SQLInputValue[] = [];

  constructor(one: Statement, many: Statement, places: number) {
    this.#one = one;
    this.#many = many;
    this.#places = places;
  }

  async add(...row: SQLInputValue[]): Promise<void> {
    for (const value of row) this.#waiting.push(value);
    if (this.#waiting.length === this.#places * ROWS_A_STATEMENT) await this.#many.run(...this.#taken());
  }

  async flush(): Promise<void> {
    const waiting = this.#taken();
    for (let at = 0; at < waiting.length; at += this.#places)
      await this.#one.run(...waiting.slice(at, at + this.#places));
  }

  #taken(): SQLInputValue[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}
