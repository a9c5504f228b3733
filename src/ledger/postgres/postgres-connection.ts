import type { SQLInputValue } from 'node:sqlite';
import type { Client, QueryConfig, QueryResult } from 'pg';
import { ask } from './connect.ts';
import type { Connection, Row, Statement, Values } from '../connection.ts';
import { bare, parameterTypes, postgresStatement } from './dialect.ts';
import { PLACE, setForm, type SetForm } from './sets.ts';
import { type ParameterType, READS, toPostgres } from './values.ts';

/**
 * Postgres keeps the plan of a prepared statement until it looks at the statistics of a table again, once a minute. A plan
 * that was made for an empty table reads all of it for each row of another: with 10,000 reports, a hundred times longer.
 * A new plan knows the size of the table, and all of them together cost some milliseconds.
 */
const PLANS_LAST_MS = 2_000;

/**
 * The connection of a ledger's thread to Postgres. Statements are those of the ledger's .sql files. The client behind it
 * changes when a lost connection is made anew (postgres-transactions.ts); statements prepare themselves again.
 */
export class PostgresConnection implements Connection {
  #client: Client;
  #statements = 0;
  #plannedAt = performance.now();

  constructor(client: Client) {
    this.#client = client;
  }

  /** The client of this moment. */
  get client(): Client {
    return this.#client;
  }

  /** Goes on with another client. */
  replace(client: Client): void {
    this.#client = client;
  }

  /** `sql`, which begins a transaction, and before it what gives up the plans that are too old. */
  beginning(sql: string): string {
    const now = performance.now();
    if (now - this.#plannedAt < PLANS_LAST_MS) return sql;
    this.#plannedAt = now;
    return `DISCARD PLANS; ${sql}`;
  }

  prepare(sql: string): Statement {
    this.#statements += 1;
    return new PostgresStatement(this, { block: sql, name: `s${this.#statements}` });
  }
}

class PostgresStatement implements Statement {
  readonly #connection: PostgresConnection;
  readonly #block: string;
  readonly #name: string;
  readonly #types: readonly ParameterType[];
  readonly #text: string;
  #isArray = false;
  #set: SetForm | null = null;

  constructor(connection: PostgresConnection, { block, name }: { block: string; name: string }) {
    this.#connection = connection;
    this.#block = block;
    this.#name = name;
    this.#types = parameterTypes(block);
    this.#text = postgresStatement(block);
  }

  async get(...values: SQLInputValue[]): Promise<Row | undefined> {
    return (await this.all(...values))[0];
  }

  async all(...values: SQLInputValue[]): Promise<Row[]> {
    return (await this.#query(values)).rows;
  }

  async run(...values: SQLInputValue[]): Promise<{ changes: number }> {
    return { changes: (await this.#query(values)).rowCount ?? 0 };
  }

  setReturnArrays(on: boolean): void {
    this.#isArray = on;
  }

  async getEach(rows: readonly Values[]): Promise<(Row | undefined)[]> {
    const found: (Row | undefined)[] = rows.map(() => undefined);
    for (const row of (await this.#queryEach(rows)).rows) {
      const [place, rest] = this.#isArray ? cutArray(row) : cutRow(row);
      found[place - 1] ??= rest;
    }
    return found;
  }

  async runEach(rows: readonly Values[]): Promise<number> {
    const { keys } = this.#setForm();
    if (keys.length > 0) refuseRepeated(rows, keys);
    return (await this.#queryEach(rows)).rowCount ?? 0;
  }

  #query(values: SQLInputValue[]): Promise<QueryResult<Row>> {
    return this.#send({
      name: this.#name,
      text: this.#text,
      values: values.map((value, index) => toPostgres(value, this.#types[index])),
    });
  }

  #queryEach(rows: readonly Values[]): Promise<QueryResult<Row>> {
    const columns = this.#types.map((type, index) =>
      rows.map((values) => toPostgres(values[index] ?? null, type)),
    );
    return this.#send({ name: `${this.#name}e`, text: this.#setForm().sql, values: columns });
  }

  #setForm(): SetForm {
    return (this.#set ??= setForm(bare(this.#block), this.#types));
  }

  #send(query: QueryConfig): Promise<QueryResult<Row>> {
    const asked = { ...query, types: READS, ...(this.#isArray ? { rowMode: 'array' } : {}) };
    return ask<Row>(this.#connection.client, asked as QueryConfig);
  }
}

function cutRow({ [PLACE]: place, ...rest }: Row): [place: number, rest: Row] {
  return [Number(place), rest];
}

function cutArray(row: Row): [place: number, rest: Row] {
  const [place, ...rest] = row as unknown as unknown[];
  return [Number(place), rest as unknown as Row];
}

/** One statement would change such a row once, with either of the two. */
function refuseRepeated(rows: readonly Values[], keys: readonly number[]): void {
  const seen = new Set(rows.map((values) => JSON.stringify(keys.map((key) => values[key]))));
  if (seen.size < rows.length) throw new Error('two changes of one statement choose the same row');
}
