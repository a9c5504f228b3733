import { mkdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { errorOf, openPlace } from './harness.ts';

/* A home that cannot be used: said in one message by whatever needs it, and nothing is sent from it. */

const place = openPlace();

test.for<[string, () => string]>([
  ['a file stands in the way', () => place().path('contacts.csv')],
  ['nobody may make folders there', () => '/sys/tuma'],
])('where %s, every command that needs the home says so', async ([, where]) => {
  const env = { TUMA_HOME: `${where()}/home` };
  const commands = [['plan', 'job.yaml'], ['launch', 'job.yaml', '--yes'], ['serve'], ['sandbox']];
  const ends = await Promise.all(commands.map((args) => place().tuma([...args, '--json'], { env })));
  expect(ends.map((ended) => [ended.code, ended.stdout, errorOf(ended).code])).toEqual(
    commands.map(() => [1, '', 'file_unwritable']),
  );
  for (const ended of ends) {
    expect(errorOf(ended).hint).toContain('TUMA_HOME');
  }
});

test('a ledger of a newer Tuma is neither read nor written', async () => {
  await place().json(['launch', 'job.yaml', '--yes']);
  const database = new DatabaseSync(`${place().home}/ledger.db`);
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  database.exec('PRAGMA user_version = 999');
  const commands = [
    ['launch', 'job.yaml', '--yes', '--again'],
    ['status'],
    ['pause', 'promo'],
    ['verify'],
    ['serve'],
  ];
  for (const ended of await Promise.all(commands.map((args) => place().tuma([...args, '--json'])))) {
    expect([ended.code, ended.stdout, errorOf(ended).code]).toEqual([1, '', 'ledger_newer']);
    expect(errorOf(ended).hint).toContain('newer Tuma');
  }
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
  expect(place().campaigns()).toHaveLength(1);
  expect(await place().json(['verify'])).toMatchObject({ violations: [] });
});

test('a file that is no ledger is not written over', async () => {
  const home = place().path('other');
  mkdirSync(home);
  writeFileSync(
    `${home}/ledger.db`,
    'This is a text, and it is longer than the header of a database. '.repeat(20),
  );
  const env = { TUMA_HOME: home };
  for (const args of [['launch', 'job.yaml', '--yes'], ['status'], ['verify']]) {
    const ended = await place().tuma([...args, '--json'], { env });
    expect([ended.code, ended.stdout, errorOf(ended).code]).toEqual([1, '', 'ledger_invalid']);
  }
});
