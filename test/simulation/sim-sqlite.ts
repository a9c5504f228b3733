import { copyFileSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { migrate } from '../../src/ledger/sqlite/migrate.ts';
import { sqliteEngine } from '../../src/ledger/sqlite/sqlite-engine.ts';
import { sqliteLedgerOver } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { SqliteTransactions } from '../../src/ledger/sqlite/sqlite-transactions.ts';
import { makeTempDir } from '../support/temp-home.ts';
import type { SimDatabase, SimEngine, SimSession } from './sim-database.ts';

/** Worlds whose ledger is an SQLite file. */
export const SQLITE: SimEngine = { name: 'sqlite', database: makeDatabase };

/**
 * The disk itself is not simulated: what a power cut leaves is shown by the order of
 * syncs, in test/faults. The file stays until the test file is done.
 */
async function makeDatabase(): Promise<SimDatabase> {
  const file = `${makeTempDir()}/ledger.db`;
  copyFileSync(emptyLedger, file);
  const look = connect(file);
  return {
    look,
    engine: sqliteEngine(look),
    open: () => open(file),
    copy: async () => {
      const copy = `${file}.copy`;
      await copyLedger(file, copy);
      return () => copyLedger(copy, file);
    },
    close: async () => look.close(),
  };
}

function open(file: string): SimSession {
  const database = connect(file);
  const changes = database.prepare('SELECT total_changes() AS count');
  return {
    connection: database,
    transactions: new SqliteTransactions(database),
    engine: sqliteEngine(database),
    copy: null,
    changes: () => Number(changes.get()?.['count']),
    ledgerOver: (caller) => sqliteLedgerOver(caller, file),
  };
}

/** A connection without a wait for the disk: a killed process loses nothing that the system has taken. */
function connect(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: false });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;');
  return database;
}

/** In place, for the test's own connection looks on. */
async function copyLedger(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from);
  await backup(database, to);
  database.close();
}

const emptyLedger = await makeEmptyLedger();

/** With its schema, so that not every world migrates one. */
async function makeEmptyLedger(): Promise<string> {
  const file = `${makeTempDir()}/empty.db`;
  const database = connect(file);
  await migrate(database);
  database.close();
  return file;
}
