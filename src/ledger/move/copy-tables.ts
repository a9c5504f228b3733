import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Client } from 'pg';
import { TumaError } from '../../domain/errors.ts';
import type { MoveProgress } from '../contracts/ledger-move.ts';
import { copyIn, copyLine, Lines } from './copy-in.ts';
import { listed, selectFrom, type Table } from './tables.ts';

/** Bytes that cross in one statement. */
const BYTES_A_STATEMENT = 500_000;

/** From where to where rows are copied or compared, and who is told. */
export interface MoveEnds {
  database: DatabaseSync;
  client: Client;
  progress: MoveProgress;
  /** Stops the work between two statements. */
  signal: AbortSignal;
}

/**
 * Copies all rows of all tables into empty ones, in the open transaction of `client`. Triggers do not run, because they
 * judge changes, and these are none. Returns the number of rows.
 */
export async function copyTables(ends: MoveEnds, tables: readonly Table[]): Promise<number> {
  let rows = 0;
  for (const table of tables) {
    await ends.client.query(`ALTER TABLE "${table.name}" DISABLE TRIGGER USER`);
    rows += await copyTable(ends, table);
    await ends.client.query(`ALTER TABLE "${table.name}" ENABLE TRIGGER USER`);
  }
  await raiseSequences(ends.client);
  return rows;
}

/** FREEZE: nobody else sees the tables before the commit, so no later statement has to look whether a row is there. */
async function copyTable({ database, client, progress, signal }: MoveEnds, table: Table): Promise<number> {
  const columns = table.columns.filter(({ isGenerated }) => !isGenerated);
  const select = database.prepare(selectFrom(table, columns));
  select.setReturnArrays(true);
  const text = `COPY "${table.name}" (${listed(columns)}) FROM STDIN WITH (FREEZE)`;
  const types = columns.map(({ type }) => type);
  const lines = new Lines(BYTES_A_STATEMENT);
  let done = 0;
  const told = () => progress({ step: 'copying', table: table.name, done, rows: table.rows });
  for (const row of select.iterate() as Iterable<unknown>) {
    const line = copyLine(row as SQLInputValue[], types);
    if (!lines.add(line)) {
      goOnUnless(signal);
      await copyIn(client, text, lines.taken());
      told();
      lines.add(line);
    }
    done += 1;
  }
  if (done > 0) await copyIn(client, text, lines.taken());
  told();
  return done;
}

const SEQUENCES = `
  SELECT c.relname AS "table", a.attname AS "column", pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
  FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND a.attidentity <> '' AND NOT a.attisdropped
  ORDER BY 1`;

/** The next number of each table is above all that were copied. */
async function raiseSequences(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(SEQUENCES);
  for (const { table, column, sequence } of rows)
    await client.query(`SELECT setval($1, coalesce(max("${column}"), 0) + 1, false) FROM "${table}"`, [
      sequence,
    ]);
}

/** Throws `interrupted` once a person has stopped the command. */
export function goOnUnless(signal: AbortSignal): void {
  if (signal.aborted)
    throw new TumaError('interrupted', {
      message: `Stopped by ${String(signal.reason)}: nothing was moved, and the ledger in the file goes on.`,
    });
}
