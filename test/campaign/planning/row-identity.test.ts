import { expect, it } from 'vitest';
import { type IdentityRules, keyOf, numbersOf } from '../../../src/campaign/planning/row-identity.ts';
import type { ContactsFile } from '../../../src/contacts/contacts-file.ts';

const HEADER = ['Simu', 'Simu 2', 'Simu 3', 'Mtoto', 'Tarehe'];

function rules(changes: Partial<IdentityRules> = {}): IdentityRules {
  return {
    contacts: { header: HEADER, mobileColumn: 0 } as ContactsFile,
    countries: ['KE'],
    otherMobileColumns: [1, 2],
    keyColumns: [],
    ...changes,
  };
}
const row = (cells: string[]) => ({ line: 2, cells, raw: '', problem: null });

it.each([
  [['0711000001', '0722000002', '0733000003'], '254711000001', 0, ['254722000002', '254733000003']],
  [['', '0722000002', '0722 000 002'], '254722000002', 1, []],
  [['n/a', '+256772000001', '0733000003'], '254733000003', 2, []],
  [['0733000003', '254733000003', '0711000001'], '254733000003', 0, ['254711000001']],
])('of %j the first usable number is %s', (cells, mobile, column, others) => {
  expect(numbersOf(row(cells), rules())).toMatchObject({ ok: true, mobile, column, others });
});

it('a row without a usable number says the reason of a cell that holds something', () => {
  expect(numbersOf(row(['', '+256772000001', '']), rules())).toMatchObject({
    reason: { code: 'abroad', country: 'UG' },
  });
  expect(numbersOf(row(['', ' ', '']), rules())).toMatchObject({ ok: false, reason: 'no number' });
});

it('joins the values of several key columns so that no two lists give one key', () => {
  const lists = [
    ['a', 'b | c'],
    ['a | b', 'c'],
    ['a \\', 'b'],
    ['a', '\\ b'],
    ['a \\| b', 'c'],
    ['a|b', 'c'],
    ['a\\', '| c'],
  ];
  const keys = lists.map(([one = '', two = '']) => {
    const found = keyOf(row(['', one, two]), rules({ keyColumns: [1, 2], otherMobileColumns: [] }));
    return found.ok ? found.key : '';
  });
  expect(new Set(keys).size).toBe(lists.length);
  expect(keyOf(row(['', 'a | b']), rules({ keyColumns: [1], otherMobileColumns: [] }))).toEqual({
    ok: true,
    key: 'a | b',
  });
});

it('a date and a number have one key however they are written; other text stays', () => {
  const keyColumns = [0, 3, 4];
  const format = ['day', 'month', 'year'] as const;
  const key = (cells: string[]) => keyOf(row(cells), rules({ keyColumns, keyDates: format }));
  for (const [mobile, date] of [
    ['0711000001', '1/12/2026'],
    ['+254 711 000 001', '2026-12-01'],
    ['254711000001', ' 1 Dec 2026'],
    ['711000001', '01.12.26'],
  ] as const)
    expect(key([mobile, '', '', 'Ali', date])).toEqual({ ok: true, key: '254711000001 | Ali | 2026-12-01' });
  expect(key(['x', '', '', '46353', 'soon'])).toEqual({ ok: true, key: 'x | 46353 | soon' });
  expect(key(['x', '', '', ' ', 'soon'])).toMatchObject({ reason: { code: 'missing', field: 'Mtoto' } });
  // Without reminders no later list is compared, so a key is the text of the row.
  expect(keyOf(row(['', '', '', '', '1/12/2026']), rules({ keyColumns: [4] }))).toEqual({
    ok: true,
    key: '1/12/2026',
  });
});
