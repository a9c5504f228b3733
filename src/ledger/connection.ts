import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';

/*
 * The one way in which operations reach the ledger's database. On SQLite a statement answers at once, and an await costs
 * a microtask; so node:sqlite fits this contract as it is. Every answer is awaited, because another engine answers later.
 */

/** A value that is there at once, or later. It is always awaited. */
export type Soon<Value> = Value | Promise<Value>;

/** A row by the names of its columns. */
export type Row = Record<string, SQLOutputValue>;

/** The values of a statement's parameters, in their order. */
export type Values = readonly SQLInputValue[];

/** A prepared statement. `Found` is what its columns make of a row, as whoever runs it knows. */
export interface Statement<Found = Row> {
  /** The first row; undefined: there is none. */
  get(...values: SQLInputValue[]): Soon<Found | undefined>;
  all(...values: SQLInputValue[]): Soon<Found[]>;
  run(...values: SQLInputValue[]): Soon<{ changes: number | bigint }>;
  /** Rows are arrays from now on, in the order of the columns. */
  setReturnArrays(on: boolean): void;
  /** An engine that answers later takes many rows at once. Left out: the statement runs once a row. */
  getEach?(rows: readonly Values[]): Promise<(Found | undefined)[]>;
  runEach?(rows: readonly Values[]): Promise<number>;
}

/** A connection to the database. It runs one statement at a time, in the order in which they were asked for. */
export interface Connection<Prepared extends Statement = Statement> {
  prepare(sql: string): Prepared;
}

/** What a statement is run for: the values themselves, or items and what gives the values of each. */
type Each<Item> = [rows: readonly Values[]] | [items: readonly Item[], valuesOf: (item: Item) => Values];

function rowsOf<Item>([items, valuesOf]: Each<Item>): readonly Values[] {
  return valuesOf === undefined ? (items as readonly Values[]) : (items as readonly Item[]).map(valuesOf);
}

/**
 * The first row that the statement gives for each item, in their order; undefined: there is none. The statement is
 * one SELECT, and sees the same state for all.
 */
export async function getEach<Found, Item>(
  statement: Statement<Found>,
  ...each: Each<Item>
): Promise<(Found | undefined)[]> {
  const rows = rowsOf(each);
  if (rows.length === 0) return [];
  if (statement.getEach !== undefined) return await statement.getEach(rows);
  const found: (Found | undefined)[] = [];
  for (const values of rows) {
    const row = statement.get(...values);
    // An await takes longer than much of SQLite's work.
    found.push(row instanceof Promise ? await row : row);
  }
  return found;
}

/**
 * Runs the statement, one INSERT, UPDATE or DELETE, for each item. Returns how many rows of the table changed in all. No two
 * may change the same row of the table: an engine may run them as one statement, in which the second is lost. So Postgres
 * throws where two have the same values in WHERE.
 */
export async function runEach<Item>(statement: Statement, ...each: Each<Item>): Promise<number> {
  const rows = rowsOf(each);
  if (rows.length === 0) return 0;
  if (statement.runEach !== undefined) return await statement.runEach(rows);
  let changes = 0;
  for (const values of rows) {
    const done = statement.run(...values);
    changes += Number((done instanceof Promise ? await done : done).changes);
  }
  return changes;
}

/**
 * Runs the statement for each item, each of which changes one row of the table. Throws where it does not: the row is
 * no longer what the decision saw, and the transaction is undone.
 */
export async function changeEach<Item>(statement: Statement, ...each: Each<Item>): Promise<void> {
  const rows = rowsOf(each);
  const changes = await runEach(statement, rows);
  if (changes !== rows.length) throw new Error(`${rows.length} rows had to change, but ${changes} did`);
}
