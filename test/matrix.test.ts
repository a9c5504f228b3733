import { expect, test } from 'vitest';
import { HIGHEST, MATRIX } from './matrix.ts';
import { idsInTitles } from './support/titled-ids.ts';

/* Every fault of the matrix has a test that says so: its title has the ids of the rows that it shows. */

function isKnown(id: string): boolean {
  if (id in MATRIX) return true;
  const [, letter = '', number = ''] = /^([XI])(\d+)$/.exec(id) ?? [];
  if (letter !== 'X' && letter !== 'I') return false;
  return Number(number) >= 1 && Number(number) <= HIGHEST[letter];
}

test('every row of the fault matrix has a test that names it', () => {
  const named = idsInTitles();
  expect(Object.keys(MATRIX).filter((id) => !named.has(id))).toEqual([]);
});

test('no test names a row that does not exist, however it is spelt', () => {
  const unknown = [...idsInTitles()].filter(([id]) => !isKnown(id));
  expect(unknown.map(([id, file]) => `${id} in ${file}`)).toEqual([]);
});
