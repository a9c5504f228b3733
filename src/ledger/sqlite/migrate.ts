import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import { whenFree } from './sqlite-errors.ts';

/*
 * Migrations are numbered files that only go forward: 0001-init.sql, 0002-…. All missing ones run in one
 * transaction under the write lock. `PRAGMA user_version` is the number of the last one.
 */

const MIGRATION_FILE = /^(\d{4})-[a-z0-9-]+\.sql$/;
const SHIPPED = new URL('./migrations/', import.meta.url);

/** One step of the schema; versions are numbered from 1 without gaps. */
export interface Migration {
  version: number;
  sql: string;
}

/** Updates the schema and returns its version. Throws `ledger_newer` when the ledger is ahead of Tuma. */
export async function migrate(
  database: DatabaseSync,
  migrations: Migration[] = shippedMigrations(),
): Promise<number> {
  await whenFree(() => database.exec('BEGIN IMMEDIATE'));
  try {
    for (const migration of pending(database, migrations)) {
      database.exec(migration.sql);
      database.exec(`PRAGMA user_version = ${migration.version}`);
    }
    nameLedger(database);
    database.exec('COMMIT');
    return newestVersion(migrations);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** The migrations beside this file, in order. */
export function shippedMigrations(): Migration[] {
  const files = readdirSync(SHIPPED).sort();
  return files.flatMap((file) => {
    const number = MIGRATION_FILE.exec(file)?.[1];
    if (number === undefined) return [];
    return [{ version: Number(number), sql: readFileSync(new URL(file, SHIPPED), 'utf8') }];
  });
}

/** The schema version that these migrations lead to. */
export function newestVersion(migrations = shippedMigrations()): number {
  return migrations.at(-1)?.version ?? 0;
}

/** Throws `ledger_newer` when a ledger's schema is ahead of these migrations. */
export function refuseNewer(version: number, migrations = shippedMigrations()): void {
  const newest = newestVersion(migrations);
  if (version <= newest) return;
  throw new TumaError('ledger_newer', {
    message: `The ledger has schema ${version}; this Tuma knows up to ${newest}.`,
    hint: 'Use the newer Tuma that wrote it.',
  });
}

/** The schema version of a ledger; 0: none yet. */
export function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/** The id of this ledger in the notes of its claims. */
export function ledgerIdOf(database: DatabaseSync): string {
  return String(database.prepare("SELECT value FROM fact WHERE name = 'ledger_id'").get()?.['value']);
}

function pending(database: DatabaseSync, migrations: Migration[]): Migration[] {
  const version = schemaVersion(database);
  refuseNewer(version, migrations);
  return migrations.filter((migration) => migration.version > version);
}

function nameLedger(database: DatabaseSync): void {
  database.prepare("INSERT OR IGNORE INTO fact (name, value) VALUES ('ledger_id', ?)").run(randomUUID());
}
