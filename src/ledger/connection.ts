import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';

/*
 * The one way in which operations reach the ledger's database. On SQLite a statement answers at once, and an await costs
 * a microtask; so node:sqlite fits this contract as it is. Every answer is awaited, because another engine answers later.
 */

/** A value that is there at once, or later. It is always awaited. */
export type Soon<Value> = Value | Promise<Value>;

/** A row by the names of its columns. */
type Row = Record<string, SQLOutputValue>;

/** A prepared statement. */
export interface Statement {
  readonly sourceSQL: string;
  /** The first row; undefined: there is none. */
  get(...values: SQLInputValue[]): Soon<Row | undefined>;
  all(...values: SQLInputValue[]): Soon<Row[]>;
  run(...values: SQLInputValue[]): Soon<{ changes: number | bigint }>;
  /** Rows are arrays from now on, in the order of the columns. */
  setReturnArrays(on: boolean): void;
  columns(): readonly { name: string }[];
}

/** A connection to the database. It runs one statement at a time, in the order in which they were asked for. */
export interface Connection<Prepared extends Statement = Statement> {
  prepare(sql: string): Prepared;
}
