import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { migrate, schemaVersion, shippedMigrations } from '../../../src/ledger/sqlite/migrate.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { startProcess } from '../../support/processes.ts';
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
  // Of two that close at the same moment each may leave the log to the other.
  for (const ledger of ledgers) await ledger.close();
  expect(readdirSync(dirname(file))).toEqual(['ledger.db']);
});

it('a ledger of a newer Tuma is refused and left as it is [D15 S13]', async () => {
  const file = newFile();
  await (await openSqliteLedger({ file })).close();
  const raw = new DatabaseSync(file);
  raw.exec('PRAGMA user_version = 999');
  await expect(openSqliteLedger({ file })).rejects.toMatchObject({ code: 'ledger_newer' });
  expect(schemaVersion(raw)).toBe(999);
  raw.close();
});

it('a ledger that a newer Tuma migrates while it is open gives no more claims and slots [S13]', async () => {
  const file = newFile();
  const ledger = await openSqliteLedger({ file });
  const raw = new DatabaseSync(file);
  raw.exec('PRAGMA user_version = 999');
  raw.close();
  const slots = { campaign: 1, account: 'C', count: 1, now: 1, accountRate: 1 };
  await expect(ledger.takeSlots(slots)).rejects.toMatchObject({ code: 'ledger_newer' });
  await expect(ledger.heartbeat(1, 1)).rejects.toMatchObject({ code: 'ledger_newer' });
  await ledger.close();
});

it('a migration that fails in the middle leaves no trace, and the next start goes on [D15]', async () => {
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

it('a process that is killed in a migration leaves the ledger as it was [D15]', async () => {
  const file = newFile();
  await (await openSqliteLedger({ file })).close();
  const half = `
    import { DatabaseSync } from 'node:sqlite';
    const database = new DatabaseSync(${JSON.stringify(file)});
    database.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; CREATE TABLE half (n INTEGER)');
    // More than its cache holds: some of it is in the file by now.
    database.exec('PRAGMA cache_size = 1');
    for (let n = 0; n < 2_000; n += 1) database.exec("INSERT INTO half VALUES (" + n + "); CREATE TABLE t" + n % 7 + "_" + n + " (n)");
    console.log('in the middle');
    // Named here, or it would be collected, and closed.
    setInterval(() => database.isOpen, 1_000);
  `;
  const migrating = startProcess(process.execPath, ['--input-type=module', '-e', half]);
  await migrating.printed(/in the middle/);
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  const opening = openSqliteLedger({ file });
  await migrating.stop('SIGKILL');
  const ledger = await opening;
  expect(await ledger.facts()).toMatchObject({
    unused: true,
    schemaVersion: shippedMigrations().at(-1)?.version,
  });
  await ledger.close();
  const database = new DatabaseSync(file);
  expect(
    database.prepare("SELECT name FROM sqlite_schema WHERE name = 'half' OR name LIKE 't0%'").all(),
  ).toEqual([]);
  database.close();
});

it('a ledger from before the first release is refused with one sentence, and left as it is [D15]', async () => {
  const file = newFile();
  await (await openSqliteLedger({ file })).close();
  const raw = new DatabaseSync(file);
  raw.exec('PRAGMA application_id = 0; PRAGMA user_version = 14');
  raw.close();
  await expect(openSqliteLedger({ file })).rejects.toMatchObject({
    code: 'ledger_invalid',
    message: `The file ${file} is no ledger of Tuma, or one from before 0.1.0.`,
  });
});
