import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HIGHEST, MATRIX, NOT_YET } from './matrix.ts';
import { ROOT } from './support/processes.ts';

/* Every fault of the matrix has a test that says so: its title begins with the ids of the rows that it shows. */

/** A text in quotes that begins with ids: a title, or the row of a table that titles are made from. */
const TITLE = /['`]((?:[ABDIMPRSWX]\d{1,2}b?)(?:,? [ABDIMPRSWX]\d{1,2}b?)*):? [\p{L}$%<]/gu;

function idsInTitles(): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of globSync('test/**/*.ts', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, ids = ''] of text.matchAll(TITLE)) {
      for (const id of ids.split(/,? /)) found.set(id, file);
    }
  }
  return found;
}

function isKnown(id: string): boolean {
  if (id in MATRIX) return true;
  const [, letter = '', number = ''] = /^([XI])(\d+)$/.exec(id) ?? [];
  if (letter !== 'X' && letter !== 'I') return false;
  return Number(number) >= 1 && Number(number) <= HIGHEST[letter];
}

test('every row of the fault matrix has a test that names it', () => {
  const named = idsInTitles();
  expect(Object.keys(MATRIX).filter((id) => !named.has(id) && !NOT_YET.includes(id))).toEqual([]);
});

test('no test names a row that does not exist, however it is spelt', () => {
  const unknown = [...idsInTitles()].filter(([id]) => !isKnown(id));
  expect(unknown.map(([id, file]) => `${id} in ${file}`)).toEqual([]);
});
