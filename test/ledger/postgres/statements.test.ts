import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  bare,
  parameterTypes,
  postgresSchema,
  postgresStatement,
} from '../../../src/ledger/postgres/dialect.ts';
import { setForm } from '../../../src/ledger/postgres/sets.ts';
import { postgresTriggers } from '../../../src/ledger/postgres/triggers.ts';
import { shippedMigrations } from '../../../src/ledger/sqlite/migrate.ts';
import { blocksOf } from '../../../src/ledger/statements.ts';
import { type PostgresForTests, postgresForTests } from '../../support/postgres.ts';

/* The ledger's SQL on a real Postgres: what is written for SQLite stays what both take. */

const postgres = (await postgresForTests()) as PostgresForTests;

const migrations = shippedMigrations().map(({ sql }) => sql);
const functions = readFileSync('src/ledger/postgres/functions.sql', 'utf8');

describe.skipIf(postgres === null)('on Postgres', () => {
  beforeAll(async () => {
    const parts = migrations.flatMap((sql) => [...postgresSchema(sql), ...postgresTriggers(sql)]);
    await postgres.sql([functions, ...parts].join('\n'));
  });

  /** What went wrong, by the mark of its step. */
  async function wrong(
    steps: readonly (readonly [mark: string, sql: string])[],
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const [mark, sql] of steps)
      await postgres.sql(sql).catch((error) => found.set(mark, (error as Error).message));
    return found;
  }

  test('every statement is prepared', async () => {
    const all = [...statements()];
    expect(all.length).toBeGreaterThan(500);
    const steps = all.map(
      ([mark, sql], index) => [mark, `PREPARE s${index} AS ${postgresStatement(sql)}`] as const,
    );
    expect([...(await wrong(steps))]).toEqual([]);
  });

  test('what runs for many rows has a set form', async () => {
    const all = statements();
    const steps = runForMany().map(([mark, forms], index) => {
      const sql = forms.map((form) => all.get(form)).find((found) => found !== undefined) ?? '';
      return [mark, `PREPARE e${index} AS ${setForm(bare(sql), parameterTypes(sql)).sql}`] as const;
    });
    expect(steps.length).toBeGreaterThan(50);
    expect([...(await wrong(steps))]).toEqual([]);
  });

  test('the functions of SQLite that statements use give the same', async () => {
    const sqlite = new DatabaseSync(':memory:');
    const expressions = [
      "iif(1 = 1, 'a', 'b')",
      'iif(1 = 2, 1, 2)',
      'max(3, 7)',
      'max(3, NULL)',
      'min(3, 7)',
      'min(NULL, 7)',
      'max(1, 9, 4)',
      "instr('abc', 'c')",
      "instr('abc', 'x')",
      `'{"a":{"b":true}}' ->> '$.a.b'`,
      `'{"a":false}' ->> '$.a'`,
      `'{"a":12}' ->> '$.a'`,
      `'{"a":"x"}' ->> '$.b'`,
      `'[7,8]' ->> '$[1]'`,
      `(SELECT count(*) FROM json_each('["x","y"]'))`,
      `(SELECT max(value) FROM json_each('["x","y"]'))`,
    ];
    const ours = expressions.map((text) =>
      String(Object.values(sqlite.prepare(`SELECT ${text}`).get() ?? {})[0] ?? ''),
    );
    const select = expressions.map(
      (text, index) => `(${text.replaceAll('NULL', 'NULL::bigint')})::text AS e${index}`,
    );
    const [row] = await postgres.sql(`SELECT ${select.join(', ')}`);
    expect(Object.values(row ?? {}).map((value) => value ?? '')).toEqual(ours);
  });

  test('the triggers refuse with the same words', async () => {
    const campaign = `INSERT INTO campaign (id, name, kind, state, sender, template, settings, hash_job, hash_template, hash_contacts, created_at)
      VALUES ('c', 'c', 'transactional', 'draft', 'S', 't', '{}', '', '', '', 1)`;
    const message = (state: string) =>
      `INSERT INTO message (campaign, seq, line, mobile, fields, segments, state, actor, queued_at)
       VALUES (1, 1, 2, '254711000001', '[]', 1, '${state}', 'planner', 1)`;
    const found = await wrong([
      ['campaign', campaign],
      ['born sent', message('canceled')],
      ['born', message('queued')],
      ['jump', "UPDATE message SET state = 'rejected', actor = 'worker' WHERE seq = 1"],
      ['renamed', "UPDATE message SET mobile = '254711000002' WHERE seq = 1"],
      ['twin', message('queued').replace('1, 1, 2,', '1, 2, 3,')],
      ['history', "INSERT INTO audit (at, by, verb, detail) VALUES (1, 'me', 'begin', '{}')"],
      ['forget', 'DELETE FROM audit'],
    ]);
    expect([...found.keys()]).toEqual(['born sent', 'jump', 'renamed', 'twin', 'forget']);
    expect(found.get('born sent')).toContain('a message begins as queued, by the planner');
    expect(found.get('jump')).toContain('illegal transition');
    expect(found.get('renamed')).toContain('the identity of a message is fixed');
    expect(found.get('twin')).toContain('message_identity');
    expect(found.get('forget')).toContain('the audit is append-only');
  });
});

/** Every statement of the ledger, by its file and name. */
function statements(): Map<string, string> {
  const files = globSync('src/ledger/operations/**/*.sql');
  return new Map(
    files.flatMap((file) => {
      const blocks = [...blocksOf(pathToFileURL(file))];
      return blocks.map(([name, sql]): [string, string] => [`${basename(file)} ${name}`, sql]);
    }),
  );
}

/** Each call of a bulk verb, and the statements that it may mean: of its name, in the files that its module loads. */
function runForMany(): [mark: string, statements: string[]][] {
  return globSync('src/ledger/operations/**/*.ts').flatMap((file) => {
    const code = readFileSync(file, 'utf8');
    const loaded = [...code.matchAll(/'\.\/([\w-]+\.sql)'/g)].map(([, name]) => name ?? '');
    const calls = [...code.matchAll(/\b(?:get|run|change)Each\((?!rows)\s*([^,]*)/g)];
    return calls.flatMap(([, statement = '']): [string, string[]][] => {
      // Who is given a statement does not know its name.
      const name = /\bsql\('(\w+)'\)/.exec(statement)?.[1];
      if (name === undefined) return [];
      return [[`${basename(file)}: ${statement}`, loaded.map((sql) => `${sql} ${name}`)]];
    });
  });
}
