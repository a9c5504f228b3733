import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresSchema, postgresStatement } from '../../../src/ledger/postgres/dialect.ts';
import { postgresTriggers } from '../../../src/ledger/postgres/triggers.ts';
import { shippedMigrations } from '../../../src/ledger/sqlite/migrate.ts';
import { blocksOf } from '../../../src/ledger/statements.ts';
import { type PostgresHere, postgresPrograms, startPostgres } from '../../support/postgres.ts';

/* The ledger's SQL on a real Postgres, before there is an engine: what is written for SQLite stays what both take. */

const programs = postgresPrograms();
if (programs === null) console.log('The SQL is not tried on Postgres: there is none in /usr/lib/postgresql.');

/** Statements that Postgres cannot take yet, and why. */
const NOT_YET: Record<string, string> = {
  'identities.sql put': 'many rows in one statement',
  'plan.sql add_message': 'many rows in one statement',
  'message-ids.sql sort_fresh': 'a table of the connection',
  'message-ids.sql first_sorted': 'a table of the connection',
  'message-ids.sql put_sorted': 'a table of the connection',
  'message-ids.sql related': 'a table of the connection',
  'message-ids.sql drop_sorted': 'a table of the connection',
  'other-numbers.sql numbers': 'a recursion with two terms',
};

let postgres: PostgresHere;
const migrations = shippedMigrations().map(({ sql }) => sql);
const functions = readFileSync('src/ledger/postgres/functions.sql', 'utf8');

describe.skipIf(programs === null)('on Postgres', () => {
  beforeAll(async () => {
    postgres = await startPostgres(programs ?? '');
    const parts = migrations.flatMap((sql) => [...postgresSchema(sql), ...postgresTriggers(sql)]);
    const script = ['CREATE SCHEMA tuma; SET search_path = tuma;', functions, ...parts];
    const made = postgres.script(script.join('\n'));
    expect(made.errors).toBe('');
  }, 120_000);
  afterAll(async () => postgres.end());

  /** What went wrong, by the mark before it. */
  function wrong(steps: readonly (readonly [mark: string, sql: string])[]): Map<string, string> {
    const script = steps.map(([mark, sql]) => `\\warn = ${mark}\n${sql};`).join('\n');
    const { errors } = postgres.script(`SET search_path = tuma;\n${script}`);
    const parts = errors.split(/^= /m).slice(1);
    expect(parts).toHaveLength(steps.length);
    const told = parts.map(
      (part) => [part.split('\n', 1)[0] ?? '', part.split('\n').slice(1).join(' ').trim()] as const,
    );
    return new Map(told.filter(([, words]) => words !== ''));
  }

  test('every statement is prepared, but for those that wait for another form', () => {
    const all = [...statements()];
    expect(all.length).toBeGreaterThan(500);
    const steps = all.map(
      ([mark, sql], index) => [mark, `PREPARE s${index} AS ${textOf(mark, sql)}`] as const,
    );
    const found = wrong(steps);
    for (const mark of Object.keys(NOT_YET)) found.delete(mark);
    expect([...found]).toEqual([]);
  });

  test('what is said to wait is refused, so that the list tells the truth', () => {
    const all = statements();
    const steps = Object.keys(NOT_YET).map((mark, index) => {
      const text = textOf(mark, all.get(mark) ?? 'SELECT 1');
      return [mark, `PREPARE w${index} AS ${text}`] as const;
    });
    expect([...wrong(steps).keys()].toSorted()).toEqual(Object.keys(NOT_YET).toSorted());
  });

  test('the functions of SQLite that statements use give the same', () => {
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
      `json_array_length('{"a":[1,2,3]}', '$.a')`,
      `(SELECT count(*) FROM json_each('["x","y"]'))`,
      `(SELECT max(value) FROM json_each('["x","y"]'))`,
    ];
    const ours = expressions.map((text) =>
      String(Object.values(sqlite.prepare(`SELECT ${text}`).get() ?? {})[0] ?? ''),
    );
    const select = expressions.map((text) => `SELECT ${text.replaceAll('NULL', 'NULL::bigint')};`).join('\n');
    const { out, errors } = postgres.script(`SET search_path = tuma;\n${select}`);
    expect(errors).toBe('');
    expect(out.split('\n').slice(0, -1)).toEqual(ours);
  });

  test('the triggers refuse with the same words', () => {
    const campaign = `INSERT INTO campaign (id, name, kind, state, sender, template, settings, hash_job, hash_template, hash_contacts, created_at)
      VALUES ('c', 'c', 'transactional', 'draft', 'S', 't', '{}', '', '', '', 1)`;
    const message = (state: string) =>
      `INSERT INTO message (campaign, seq, line, mobile, fields, segments, state, actor, queued_at)
       VALUES (1, 1, 2, '254711000001', '[]', 1, '${state}', 'planner', 1)`;
    const found = wrong([
      ['campaign', campaign],
      ['born sent', message('canceled')],
      ['born', message('queued')],
      ['jump', "UPDATE message SET state = 'rejected', actor = 'worker' WHERE seq = 1"],
      ['renamed', "UPDATE message SET mobile = '254711000002' WHERE seq = 1"],
      ['unidentified', "UPDATE campaign SET state = 'running', activated_at = 1, account = 'a' WHERE n = 1"],
      ['history', "INSERT INTO audit (at, by, verb, detail) VALUES (1, 'me', 'begin', '{}')"],
      ['forget', 'DELETE FROM audit'],
    ]);
    expect([...found.keys()]).toEqual(['born sent', 'jump', 'renamed', 'unidentified', 'forget']);
    expect(found.get('born sent')).toContain('a message begins as queued, by the planner');
    expect(found.get('jump')).toContain('illegal transition');
    expect(found.get('renamed')).toContain('the identity of a message is fixed');
    expect(found.get('unidentified')).toContain('a message of the draft has no identity of its own');
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

/** Statements of which the header lists the order only are no text for Postgres at all. */
function textOf(mark: string, sql: string): string {
  return mark in NOT_YET
    ? sql
        .replaceAll(/--.*$/gm, '')
        .replaceAll(/\?(\d+)/g, '$$$1')
        .trim()
        .replace(/;$/, '')
    : postgresStatement(sql);
}
