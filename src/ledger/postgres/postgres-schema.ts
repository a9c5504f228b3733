import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { TumaError } from '../../domain/errors.ts';
import { newestVersion, refuseNewer, shippedMigrations } from '../sqlite/migrate.ts';
import type { SchemaTexts } from '../engine.ts';
import { postgresSchema } from './dialect.ts';
import { codeOf, NO_RIGHT } from './postgres-errors.ts';
import { postgresTriggers } from './triggers.ts';

/*
 * The ledger's tables on Postgres, made from the same migrations as on SQLite, in one transaction under a lock. The fact
 * `schema_version` is the number of the last one.
 */

const FUNCTIONS = new URL('./functions.sql', import.meta.url);

/**
 * Makes what is missing. Returns the ledger's id. Throws `ledger_newer` when the ledger is ahead of this Tuma,
 * and `database_refused` where this user may not make it.
 */
export async function migratePostgres(client: Client, schema: string): Promise<string> {
  // Making takes longer than a statement of the ledger waits for a lock.
  await client.query("BEGIN; SET LOCAL lock_timeout = '60s'");
  try {
    await lockSchema(client, schema);
    const known = await versionOf(client, schema);
    refuseNewer(known);
    if (known > 0) await refuseArriving(client);
    if (known < newestVersion()) await make(client, { schema, from: known }).catch(refuseMaking(known));
    const { rows } = await client.query<{ value: string }>("SELECT value FROM fact WHERE name = 'ledger_id'");
    await client.query('COMMIT');
    return String(rows[0]?.value);
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Until the end of the transaction no other process makes or changes the tables. */
export async function lockSchema(client: Client, schema: string): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('tuma schema ' || $1, 0))", [schema]);
}

/** Makes all tables of a new ledger, in the open transaction. Throws `database_refused` where this user may not. */
export async function makeTables(client: Client, schema: string): Promise<void> {
  await make(client, { schema, from: 0 }).catch(refuseMaking(0));
}

/** The id of the move that fills these tables; null: they are a ledger of their own (move/move-target.ts). */
export async function arrivingIn(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ value: string }>("SELECT value FROM fact WHERE name = 'arriving'");
  return rows[0]?.value ?? null;
}

/** Throws `ledger_moved` when a ledger is still being moved into these tables: they are nobody's yet. */
export async function refuseArriving(client: Client): Promise<void> {
  if ((await arrivingIn(client)) === null) return;
  throw new TumaError('ledger_moved', {
    message: 'A ledger is being moved into this database, and is not complete there yet.',
    advice: { action: 'end_move' },
  });
}

/** The number of the last migration; 0: there is no ledger. */
export async function versionOf(client: Client, schema: string): Promise<number> {
  const table = await client.query('SELECT to_regclass($1) AS found', [`"${schema}".fact`]);
  if (table.rows[0]?.found === null) return 0;
  const { rows } = await client.query<{ value: string }>(
    "SELECT value FROM fact WHERE name = 'schema_version'",
  );
  return Number(rows[0]?.value ?? 0);
}

/** Only the owner of the tables makes and changes them; the other users of Postgres lack the right. */
function refuseMaking(known: number): (error: unknown) => never {
  return (error) => {
    if (codeOf(error) !== NO_RIGHT) throw error;
    const what = known === 0 ? 'There is no ledger in this database yet' : `The ledger has schema ${known}`;
    throw new TumaError('database_refused', {
      message: `${what}, and this user of Postgres may not make its tables.`,
      advice: { action: 'make_tables' },
      where: 'TUMA_DATABASE_URL',
      cause: error,
    });
  };
}

async function make(client: Client, { schema, from }: { schema: string; from: number }): Promise<void> {
  const { rows } = await client.query('SELECT to_regnamespace($1) AS found', [`"${schema}"`]);
  // IF NOT EXISTS asks for the right to create, also where the schema is there.
  if (rows[0]?.found === null) await client.query(`CREATE SCHEMA "${schema}"`);
  await client.query(statementsAfter(from).join('\n'));
  const fact = `INSERT INTO fact (name, value) VALUES ($1, $2) ON CONFLICT (name) DO `;
  await client.query(`${fact} NOTHING`, ['ledger_id', randomUUID()]);
  await client.query(`${fact} UPDATE SET value = excluded.value`, [
    'schema_version',
    String(newestVersion()),
  ]);
}

/** What the migrations after `version` do, in order. */
function statementsAfter(version: number): string[] {
  const parts = shippedMigrations()
    .filter((migration) => migration.version > version)
    .flatMap(({ sql }) => [...postgresSchema(sql), ...postgresTriggers(sql)]);
  return version === 0 ? [readFileSync(FUNCTIONS, 'utf8'), ...parts] : parts;
}

/** The pretty forms name no schema where the search path leads to it, so two schemas can be compared. */
const STORED = `
  SELECT 'table ' || c.relname || '.' || a.attname AS object,
    format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS sql
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'v')
  UNION ALL
  SELECT 'constraint ' || conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid)
  FROM pg_constraint WHERE connamespace = $1::regnamespace AND contype IN ('c', 'p', 'u')
  UNION ALL
  SELECT 'index ' || relname, pg_get_indexdef(oid, 0, true)
  FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'i'
  UNION ALL
  SELECT 'trigger ' || t.tgname, pg_get_triggerdef(t.oid, true) || ' ' || p.prosrc || ' ' || t.tgenabled::text
  FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = $1::regnamespace AND NOT t.tgisinternal
  ORDER BY 1`;

/** The tables, conditions, indexes and triggers of the schema in the search path, as Postgres words them. */
export async function storedSchema(client: Pick<Client, 'query'>, schema: string): Promise<SchemaTexts> {
  const { rows } = await client.query<{ object: string; sql: string }>(STORED, [`"${schema}"`]);
  return new Map(rows.map(({ object, sql }) => [object, sql.replaceAll(/\s+/g, ' ')]));
}

/** The same of a schema that this Tuma makes for the comparison, and drops. Throws `database_refused` where it may not. */
export async function wantedSchema(client: Client): Promise<SchemaTexts> {
  const name = `tuma_compare_${randomUUID().replaceAll('-', '')}`;
  await client.query('BEGIN READ WRITE');
  try {
    await client.query(`CREATE SCHEMA "${name}"; SET LOCAL search_path = "${name}"`).catch(refuseComparing);
    await client.query(statementsAfter(0).join('\n'));
    return await storedSchema(client, name);
  } finally {
    await client.query('ROLLBACK');
  }
}

function refuseComparing(error: unknown): never {
  if (codeOf(error) !== NO_RIGHT) throw error;
  throw new TumaError('database_refused', {
    message: 'The tables are compared with new ones, and this user of Postgres may not make any.',
    hint: 'Name the owner of the tables in TUMA_DATABASE_URL: tuma_owner, where deploy/postgres-roles.sql made the users.',
    where: 'TUMA_DATABASE_URL',
    cause: error,
  });
}
