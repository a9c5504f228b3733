import { DatabaseSync } from 'node:sqlite';
import type { BrokenReference, Engine, SchemaTexts } from '../engine.ts';
import { schemaVersion, shippedMigrations } from './migrate.ts';
import { faultOf } from './sqlite-errors.ts';

/** Spaces and quotes are not compared, because SQLite writes them anew when a table is altered. */
const SCHEMA = `
  SELECT type || ' ' || name AS object, replace(replace(replace(sql, '"', ''), ' ', ''), char(10), '') AS sql
  FROM sqlite_schema
  WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql IS NOT NULL
  ORDER BY name`;

const BROKEN = `
  SELECT "table" || ' ' || coalesce(rowid, '(by its key)') AS row, parent FROM pragma_foreign_key_check LIMIT ?1`;

/** The engine of a ledger in a file. */
export function sqliteEngine(database: DatabaseSync): Engine {
  return {
    name: () => `SQLite ${process.versions['sqlite'] ?? ''}`,
    schemaVersion: () => schemaVersion(database),
    damages: () => damagesOf(database),
    brokenReferences: (limit) =>
      database
        .prepare(BROKEN)
        .all(limit)
        .map(({ row, parent }): BrokenReference => ({ row: String(row), parent: String(parent) })),
    schema: () => ({ stored: schemaOf(database), wanted: (shipped ??= schemaOfMigrations()) }),
    overwriteDeleted: () => database.exec('PRAGMA secure_delete = ON'),
  };
}

/** With some damages SQLite cannot even look. */
function damagesOf(database: DatabaseSync): string[] {
  try {
    const said = database.prepare('PRAGMA quick_check(20)').all();
    return said.map((row) => String(row['quick_check'])).filter((text) => text !== 'ok');
  } catch (error) {
    if (faultOf(error) !== 'broken') throw error;
    return [String(error)];
  }
}

/** Made once a process, because the migrations do not change. */
let shipped: SchemaTexts | null = null;

function schemaOfMigrations(): SchemaTexts {
  const fresh = new DatabaseSync(':memory:');
  try {
    for (const { sql } of shippedMigrations()) fresh.exec(sql);
    return schemaOf(fresh);
  } finally {
    fresh.close();
  }
}

function schemaOf(database: DatabaseSync): SchemaTexts {
  const rows = database.prepare(SCHEMA).all();
  return new Map(rows.map(({ object, sql }) => [String(object), String(sql)]));
}
