import type { BrokenReference, Engine } from '../engine.ts';
import { shippedMigrations } from '../sqlite/migrate.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { storedSchema, versionOf, wantedSchema } from './postgres-schema.ts';

/** What the engine of a ledger on Postgres is made of. */
export interface EngineParts {
  connection: PostgresConnection;
  schema: string;
  /** For people: "PostgreSQL 16.4". */
  version: string;
  /** The schema's version as the open transaction has read it; left out: it is asked for. */
  schemaVersion?: () => number;
  /** A connection that may make a schema, to compare with; it is closed afterwards. */
  compare: () => Promise<PostgresConnection>;
}

/** The engine of a ledger on Postgres. */
export function postgresEngine({ connection, schema, version, schemaVersion, compare }: EngineParts): Engine {
  return {
    name: () => version,
    schemaVersion: schemaVersion ?? (() => versionOf(connection.client, schema)),
    // Postgres checks its pages itself, with checksums or amcheck.
    damages: () => [],
    brokenReferences: (limit) => brokenReferences(connection, limit),
    schema: async () => {
      const other = await compare();
      try {
        const wanted = await wantedSchema(other.client);
        return { stored: await storedSchema(connection.client, schema), wanted };
      } finally {
        await other.client.end();
      }
    },
    // VACUUM does it in its own time.
    overwriteDeleted: () => undefined,
  };
}

/** Foreign keys are written in the migrations, and enforced by neither engine. */
async function brokenReferences(connection: PostgresConnection, limit: number): Promise<BrokenReference[]> {
  const found: BrokenReference[] = [];
  for (const { table, column, parent, key } of references()) {
    const rest = limit - found.length;
    if (rest <= 0) break;
    const { rows } = await connection.client.query<{ value: string }>(
      `SELECT "${column}"::text AS value FROM ${table} AS child
       WHERE "${column}" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${parent} WHERE ${parent}."${key}" = child."${column}")
       LIMIT $1`,
      [rest],
    );
    found.push(...rows.map(({ value }) => ({ row: `${table} of ${column} ${value}`, parent })));
  }
  return found;
}

interface Reference {
  table: string;
  column: string;
  parent: string;
  key: string;
}

const TABLE = /^CREATE TABLE (\w+) \(\n([\s\S]*?)^\)/gm;
const COLUMN = /^\s+(\w+)\s.*\bREFERENCES (\w+) \((\w+)\)/gm;

function references(): Reference[] {
  return shippedMigrations().flatMap(({ sql }) =>
    [...sql.matchAll(TABLE)].flatMap(([, table = '', columns = '']) =>
      [...columns.matchAll(COLUMN)].map(([, column = '', parent = '', key = '']) => ({
        table,
        column,
        parent,
        key,
      })),
    ),
  );
}
