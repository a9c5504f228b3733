import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { migrate } from '../../../src/ledger/sqlite/migrate.ts';
import { blocksOf, loadStatements, prepareAll } from '../../../src/ledger/statements.ts';
import { readerOperations } from '../../../src/ledger/operations/reader.ts';
import { sqliteEngine } from '../../../src/ledger/sqlite/sqlite-engine.ts';
import { writerOperations } from '../../../src/ledger/operations/writer.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const SQL = `-- name: one
SELECT 1 AS value;

-- name: sum
-- ?1 left bigint, ?2 right bigint
-- A remark.
SELECT ?1 + ?2 AS value;
`;

function load(sql: string) {
  const file = join(makeTempDir(), 'some.sql');
  writeFileSync(file, sql);
  return loadStatements(new DatabaseSync(':memory:'), pathToFileURL(file));
}

it('statements are found by their names', () => {
  const sql = load(SQL);
  expect(sql('one').get()).toEqual({ value: 1 });
  expect(sql('sum').get(2, 3)).toEqual({ value: 5 });
  expect(() => sql('missing')).toThrow('no statement named missing');
});

it('two blocks of one name are refused when the file is read, and wrong SQL when it is asked for', () => {
  expect(() => load(`${SQL}${SQL}`)).toThrow('two statements are named one');
  expect(() => load('-- name: a\nSELEC 1;')('a')).toThrow('syntax error');
});

it.each(globSync('src/ledger/operations/**/*.sql'))(
  '%s fits the schema, and its headers the parameters',
  async (file) => {
    const database = new DatabaseSync(':memory:');
    await migrate(database);
    // They add the temporary tables.
    writerOperations(database, {
      engine: sqliteEngine(database),
      requireSpace: () => undefined,
      requireRoom: () => undefined,
    });
    readerOperations(database, sqliteEngine(database));
    const url = pathToFileURL(file);
    expect(prepareAll(database, url).size).toBeGreaterThan(0);
    for (const [name, sql] of blocksOf(url)) {
      const lines = sql.split('\n');
      const listed = parametersIn(lines.filter((line) => line.startsWith('--')));
      expect(listed, name).toEqual(parametersIn(lines.filter((line) => !line.startsWith('--'))));
      expect(typedIn(lines.filter((line) => /^-- \?\d+ /.test(line))), name).toEqual(listed);
    }
  },
);

it('no statement walks through a campaign to find the messages to a number', async () => {
  const database = new DatabaseSync(':memory:');
  await migrate(database);
  const walking = globSync('src/ledger/operations/**/*.sql').flatMap((file) =>
    [...blocksOf(pathToFileURL(file))]
      .filter(([, sql]) => walksForNumber(database, sql.replaceAll(/--.*$/gm, '')))
      .map(([name]) => `${file} ${name}`),
  );
  expect(walking).toEqual([]);
});

it('no statement of the writer walks through all messages', async () => {
  const database = new DatabaseSync(':memory:');
  await migrate(database);
  const walking = globSync('src/ledger/operations/**/*.sql', { exclude: ['**/reading/**'] }).flatMap((file) =>
    [...blocksOf(pathToFileURL(file))]
      .filter(([, sql]) =>
        database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .some(({ detail }) => /^SCAN (?:m|message)$/.test(String(detail))),
      )
      .map(([name]) => `${file} ${name}`),
  );
  expect(walking).toEqual([]);
});

const WALKED = /^SEARCH (\w+).* USING (?:PRIMARY KEY|(?:COVERING )?INDEX \w+) \(campaign=\?\)$/;

/** SQLite guesses that a campaign has ten messages, so without a hint it takes what is in the wanted order. */
function walksForNumber(database: DatabaseSync, sql: string): boolean {
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  return plan.some(({ detail }) => {
    const [, table] = WALKED.exec(String(detail)) ?? [];
    return table !== undefined && new RegExp(`(?:\\b${table}\\.| AND )mobile (?:=|IN)`).test(sql);
  });
}

it('every statement that changes what the counters look at says in its header which messages it may change', () => {
  const silent = globSync('src/ledger/operations/**/*.sql').flatMap((file) =>
    [...blocksOf(pathToFileURL(file))]
      .filter(
        ([, sql]) =>
          changesCounted(sql) && !/^-- counted: (?:seq|span|campaign|returned|told|nothing)\b/m.test(sql),
      )
      .map(([name]) => `${file} ${name}`),
  );
  expect(silent).toEqual([]);
});

/** True: it sets one of the columns of a message that the counters look at. */
function changesCounted(sql: string): boolean {
  const set = /UPDATE message\s+SET\s([\s\S]*)/.exec(sql.replaceAll(/--.*$/gm, ''))?.[1] ?? '';
  return countedColumns().some((column) => new RegExp(`(?:^|,)\\s*${column} =`).test(set));
}

/** Read from the one statement that reads them all. */
function countedColumns(): string[] {
  const url = new URL('../../../src/ledger/operations/keeping/counted-messages.sql', import.meta.url);
  const [, columns = ''] = /SELECT seq, ([\s\S]*?)\nFROM/.exec(blocksOf(url).get('page') ?? '') ?? [];
  const names = columns.split(',').map((column) => column.trim().split(' ', 1)[0] ?? '');
  expect(names).toContain('send_ms');
  return names;
}

/** The parameters whose type the header gives. */
function typedIn(lines: string[]): number[] {
  const typed = lines.join('\n').matchAll(/\?(\d+) [^?]*?\b(?:bigint|float8|text|bytea)\b/g);
  return [...typed].map((match) => Number(match[1])).toSorted((a, b) => a - b);
}

function parametersIn(lines: string[]): number[] {
  const numbers = new Set([...lines.join('\n').matchAll(/\?(\d+)/g)].map((match) => Number(match[1])));
  return [...numbers].toSorted((a, b) => a - b);
}

it.each(filesOfStatements())('%s has the statements that its code asks for, and no others', (file, asked) => {
  const named = [...readFileSync(file, 'utf8').matchAll(/^-- name: (\w+)$/gm)].map((match) => match[1] ?? '');
  expect([...asked].toSorted((a, b) => a.localeCompare(b))).toEqual(
    named.toSorted((a, b) => a.localeCompare(b)),
  );
});

/** Each SQL file whose statements are asked for by name, and the names. */
function filesOfStatements(): [file: string, asked: Set<string>][] {
  const files = new Map<string, Set<string>>();
  for (const code of globSync('src/ledger/**/*.ts')) {
    const text = readFileSync(code, 'utf8');
    if (!text.includes('loadStatements } from') && !text.includes('Sql, loadStatements }')) continue;
    const names = [...text.matchAll(/sql(?:<[^()]*>)?\(\s*'(\w+)',?\s*\)/g)].map((match) => match[1] ?? '');
    const sql = [...text.matchAll(/new URL\('\.\/([\w-]+\.sql)'/g)].map((match) => match[1] ?? '');
    for (const file of sql) files.set(join(dirname(code), file), new Set(names));
  }
  return [...files];
}
