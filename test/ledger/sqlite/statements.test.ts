import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { parseBlocks, prepareStatements } from '../../../src/ledger/sqlite/statements.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const SQL = `-- name: one
SELECT 1 AS value;

-- name: sum
-- ?1 left, ?2 right
-- A remark.
SELECT ?1 + ?2 AS value;
`;

function prepare(sql: string, names: string[]) {
  const file = join(makeTempDir(), 'some.sql');
  writeFileSync(file, sql);
  return prepareStatements(new DatabaseSync(':memory:'), pathToFileURL(file), names);
}

it('statements are found by their names', () => {
  const statements = prepare(SQL, ['one', 'sum']);
  expect(statements['one']?.get()).toEqual({ value: 1 });
  expect(statements['sum']?.get(2, 3)).toEqual({ value: 5 });
});

it.each([
  ['a name that the file lacks', SQL, ['one', 'sum', 'missing'], 'no statement named missing'],
  ['a block that nobody uses', SQL, ['one'], 'nobody uses sum'],
  ['two blocks of one name', `${SQL}${SQL}`, ['one', 'sum'], 'two statements are named one'],
  ['wrong SQL', '-- name: a\nSELEC 1;', ['a'], 'syntax error'],
])('%s fails at the start', (_, sql, names, message) => {
  expect(() => prepare(sql, names)).toThrow(message);
});

const FOLDER = new URL('../../../src/ledger/sqlite/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));

it.each(FILES)('the headers of %s list the parameters of their statements', (name) => {
  const blocks = parseBlocks(readFileSync(new URL(name, FOLDER), 'utf8'), name);
  expect(blocks.size).toBeGreaterThan(0);
  for (const [statement, sql] of blocks) {
    const lines = sql.split('\n');
    const header = lines.filter((line) => line.startsWith('--'));
    const body = lines.filter((line) => !line.startsWith('--'));
    expect(parametersIn(header), statement).toEqual(parametersIn(body));
  }
});

function parametersIn(lines: string[]): number[] {
  const numbers = [...lines.join('\n').matchAll(/\?(\d+)/g)].map((match) => Number(match[1]));
  return [...new Set(numbers)].sort((a, b) => a - b);
}
