import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { loadStatements } from '../../../src/ledger/sqlite/statements.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const SQL = `-- name: one
SELECT 1 AS value;

-- name: sum
-- ?1 left, ?2 right
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

it.each([
  ['two blocks of one name', `${SQL}${SQL}`, 'two statements are named one'],
  ['a parameter that the header does not list', '-- name: a\nSELECT ?1;', 'the header of a lists'],
  ['a listed parameter that is not used', '-- name: a\n-- ?1 b, ?2 c\nSELECT ?1;', 'the header of a lists'],
  ['wrong SQL', '-- name: a\nSELEC 1;', 'syntax error'],
])('%s fails at the start', (_, sql, message) => {
  expect(() => load(sql)).toThrow(message);
});

it.each(filesOfStatements())('%s has the statements that its code asks for, and no others', (file, asked) => {
  const named = [...readFileSync(file, 'utf8').matchAll(/^-- name: (\w+)$/gm)].map((match) => match[1] ?? '');
  expect([...asked].toSorted((a, b) => a.localeCompare(b))).toEqual(
    named.toSorted((a, b) => a.localeCompare(b)),
  );
});

/** Each SQL file whose statements are asked for by name, and the names. */
function filesOfStatements(): [file: string, asked: Set<string>][] {
  const files = new Map<string, Set<string>>();
  for (const code of globSync('src/ledger/sqlite/*.ts')) {
    const text = readFileSync(code, 'utf8');
    if (!text.includes('loadStatements } from') && !text.includes('Sql, loadStatements }')) continue;
    const names = [...text.matchAll(/sql\('(\w+)'\)/g)].map((match) => match[1] ?? '');
    const sql = [...text.matchAll(/new URL\('\.\/([\w-]+\.sql)'/g)].map((match) => match[1] ?? '');
    for (const file of sql) files.set(join(dirname(code), file), new Set(names));
  }
  return [...files];
}
