import type { SQLInputValue } from 'node:sqlite';
import type { Client } from 'pg';
import { TumaError } from '../../domain/errors.ts';
import { READS, toPostgres } from '../postgres/values.ts';
import { goOnUnless, type MoveEnds } from './copy-tables.ts';
import { type Column, selectFrom, type Table } from './tables.ts';

/** Rows that are fetched at once. */
const ROWS_A_FETCH = 500;

/**
 * Compares every value of every row of all tables, in their order. Throws `invariant_broken` at the first difference. The
 * message names no value, because it may be a number or a text.
 */
export async function compareTables(ends: MoveEnds, tables: readonly Table[]): Promise<void> {
  await ends.client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    for (const table of tables) await compareTable(ends, table);
  } finally {
    await ends.client.query('ROLLBACK').catch(() => undefined);
  }
}

async function compareTable({ database, client, progress, signal }: MoveEnds, table: Table): Promise<void> {
  const select = database.prepare(selectFrom(table, table.columns));
  select.setReturnArrays(true);
  const source = (select.iterate() as Iterable<unknown>)[Symbol.iterator]() as Iterator<SQLInputValue[]>;
  let done = 0;
  for await (const page of targetRows(client, table)) {
    goOnUnless(signal);
    for (const row of page) {
      done += 1;
      const { done: isOver, value } = source.next();
      if (isOver === true) throw differs(table, done, 'a row too many');
      const column = table.columns.find((each, index) => !isSame(each, value[index] ?? null, row[index]));
      if (column !== undefined) throw differs(table, done, column.name);
    }
    progress({ step: 'comparing', table: table.name, done, rows: table.rows });
  }
  if (source.next().done !== true) throw differs(table, done + 1, 'a missing row');
}

async function* targetRows(client: Client, table: Table): AsyncGenerator<unknown[][]> {
  await client.query(`DECLARE compared NO SCROLL CURSOR FOR ${selectFrom(table, table.columns)}`);
  for (;;) {
    const text = `FETCH ${ROWS_A_FETCH} FROM compared`;
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array', types: READS });
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query('CLOSE compared');
}

function isSame({ type }: Column, copied: SQLInputValue, found: unknown): boolean {
  const wanted = toPostgres(copied, type);
  if (wanted instanceof Uint8Array && found instanceof Uint8Array) return Buffer.compare(wanted, found) === 0;
  return wanted === found;
}

function differs({ name }: Table, row: number, what: string): TumaError {
  return new TumaError('invariant_broken', {
    message: `The copy on Postgres differs from the ledger: table ${name}, row ${row} (${what}).`,
    hint: 'Nothing was moved, and the ledger in the file goes on. Report this as a bug.',
  });
}
