import type { BrokenReference, Engine } from '../engine.ts';
import { shippedMigrations } from '../sqlite/migrate.ts';
import type { PostgresAddress } from './address.ts';
import { connect } from './connect.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { storedSchema, versionOf, wantedSchema } from './postgres-schema.ts';

/** What the engine of a ledger on Postgres is made of. */
interface EngineParts {
  connection: PostgresConnection;
  address: PostgresAddress;
  /** For people: "PostgreSQL 16.4". */
  version: string;
  /** The schema's version as the open transaction has read it; left out: it is asked for. */
  schemaVersion?: () => number;
}

/** The engine of a ledger on Postgres. */
export function postgresEngine({ connection, address, version, schemaVersion }: EngineParts): Engine {
  const { schema } = address;
  return {
    name: () => version,
    schemaVersion: schemaVersion ?? (() => versionOf(connection.client, schema)),
    // Postgres checks its pages itself, with checksums or amcheck.
    damages: () => [],
    brokenReferences: (limit) => brokenReferences(connection, limit),
    schema: async () => {
      // To compare with one that is made for it, which a reader may not.
      const { client } = await connect(address, 'write');
      try {
        const wanted = await wantedSchema(client);
        return { stored: await storedSchema(connection.client, schema), wanted };
      } finally {
        await client.end();
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
