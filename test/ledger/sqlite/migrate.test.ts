import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { migrate, schemaVersion, shippedMigrations } from '../../../src/ledger/sqlite/migrate.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const newFile = () => join(makeTempDir(), 'ledger.db');

it('a new ledger gets every migration, an id of its own, and keeps it', async () => {
  const file = newFile();
  const first = await openSqliteLedger({ file });
  const facts = await first.facts();
  expect(facts).toMatchObject({ unused: true, schemaVersion: shippedMigrations().at(-1)?.version });
  expect(facts.engine).toMatch(/^SQLite 3\./);
  await first.close();
  const again = await openSqliteLedger({ file });
  expect((await again.facts()).ledgerId).toBe(facts.ledgerId);
  await again.close();
});

it('the numbers of the migrations are 1, 2, 3 …', () => {
  const versions = shippedMigrations().map(({ version }) => version);
  expect(versions).toEqual(versions.map((_, index) => index + 1));
});

it('several connections that open a new ledger at once agree on one', async () => {
  const file = newFile();
  const ledgers = await Promise.all(Array.from({ length: 4 }, () => openSqliteLedger({ file })));
  const ids = await Promise.all(ledgers.map(async (ledger) => (await ledger.facts()).ledgerId));
  expect(new Set(ids).size).toBe(1);
  await Promise.all(ledgers.map((ledger) => ledger.close()));
});

it('D15 S13 a ledger of a newer Tuma is refused and left as it is', async () => {
  const file = newFile();
  await (await openSqliteLedger({ file })).close();
  const raw = new DatabaseSync(file);
  raw.exec('PRAGMA user_version = 999');
  await expect(openSqliteLedger({ file })).rejects.toMatchObject({ code: 'ledger_newer' });
  expect(schemaVersion(raw)).toBe(999);
  raw.close();
});

it('D15 a migration that fails in the middle leaves no trace, and the next start goes on', async () => {
  const database = new DatabaseSync(newFile());
  const half = [
    ...shippedMigrations(),
    {
      version: 900,
      sql: 'CREATE TABLE half (n INTEGER); INSERT INTO half VALUES (1); CREATE TABLE half (n INTEGER);',
    },
  ];
  await expect(migrate(database, half)).rejects.toThrow('already exists');
  expect(database.isTransaction).toBe(false);
  expect(schemaVersion(database)).toBe(0);
  expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([]);
  await migrate(database);
  expect(schemaVersion(database)).toBe(shippedMigrations().at(-1)?.version);
  database.close();
});

it('D15 a process that is killed in a migration leaves the ledger as it was', async () => {
  const file = newFile();
  const killed = new DatabaseSync(file);
  killed.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; CREATE TABLE half (n INTEGER)');
  const opening = openSqliteLedger({ file });
  // What is left of a killed process is a transaction that never committed.
  killed.close();
  const ledger = await opening;
  expect((await ledger.facts()).unused).toBe(true);
  await ledger.close();
});
