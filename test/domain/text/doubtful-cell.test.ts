import { expect, it } from 'vitest';
import { doubtOf } from '../../../src/domain/text/doubtful-cell.ts';

it.each([
  'NULL',
  'null',
  '(null)',
  '<NULL>',
  'nan',
  'NaN',
  'None',
  'none',
  'undefined',
  '[object Object]',
  'Loading...',
  'nil',
  'NaT',
  '<NA>',
  'N/A',
  '\\N',
  ' NULL ',
])('%j is a word for nothing', (cell) => {
  expect(doubtOf(cell)).toBe('nothing');
});

it.each([
  'M?TURI',
  'Ann M?TURI',
  'Jos? M?ller, Dr',
  "D?SOUZA's",
  'Mwangi?Njeri',
  '(W?NJIRU)',
  'M??TURI',
  'A.M?TURI-KAMAU',
  'M\ufffdTURI',
  'Jos\ufffd',
])('%j has lost a letter', (cell) => {
  expect(doubtOf(cell)).toBe('lost letter');
});

it.each([
  '',
  'Nancy',
  'Nan Goldin',
  'Nonesuch',
  'Undefined Ltd',
  'Ready?',
  '?',
  'Why? Because',
  'a ? b',
  'https://duka.example/a?b=c',
  'duka.example/p?id=7',
  '1?2',
  'Müller',
])('%j is as it should be', (cell) => {
  expect(doubtOf(cell)).toBeNull();
});

it('a long cell is judged at once', () => {
  for (const piece of ['a', 'a?', '?', "a'", 'a?.'])
    expect(() => doubtOf(`${piece.repeat(4_096 / piece.length)}!`)).not.toThrow();
});
