import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Rejects } from '../../src/contacts/rejects.ts';
import { parseMobile } from '../../src/domain/numbers/mobile.ts';
import { contactsOf, freshPath, readAll } from './reading.ts';

/** A list as an office keeps it: three shapes of one number, a landline, Excel's damage, accents, a broken row. */
const LIST = [
  'First name;Phone;Balance due;',
  'Wanjikũ;0712345678;1,200;',
  'Otieno;254722345678;"950";',
  'Zoë "Z" N.;712345679;80;',
  'Achieng; +254 733 345 678 ;"12;50";',
  'Wanjiku;"=""+254712345678""";1,200;',
  'Office;020 2345678;0;',
  'Kamau;"=""2.54712E+11""";300;',
  'Mutua;254712345680.0;10;',
  ';;;',
  'Njeri;0712 345 681',
  'Barasa;"0712345682;5;',
  'Bartholomew-Alexander wa Kariũki;0110345678;7;',
].join('\r\n');

test('a real list: every line is a contact, a reject with its reason, or blank', async () => {
  const read = await readAll(contactsOf(`${LIST}\r\n`), { mobile: 'phone', name: 'First name' });
  const { contacts, rows } = read;
  const path = freshPath('rejects.csv');
  const rejects = new Rejects({ place: { path, ifTaken: 'refuse' }, contacts });
  const mobiles = new Map<string, number>();
  for (const row of rows) {
    const number = row.problem ?? parseMobile(row.cells[contacts.mobileColumn] ?? '', 'KE');
    if (!('ok' in number) || !number.ok) {
      rejects.add({ row, reason: number.reason, detail: number.detail });
      continue;
    }
    const kept = mobiles.get(number.mobile);
    if (kept === undefined) mobiles.set(number.mobile, row.line);
    else rejects.add({ row, reason: 'duplicate', detail: `the same as line ${kept}` });
  }
  const done = await rejects.finish();
  expect([...mobiles]).toEqual([
    ['254712345678', 2],
    ['254722345678', 3],
    ['254712345679', 4],
    ['254733345678', 5],
    ['254712345680', 9],
    ['254110345678', 13],
  ]);
  expect(contacts.counts).toEqual({ rows: 11, invalid: 2, blank: 1 });
  expect(contacts.counts.rows).toBe(mobiles.size + (done?.rows ?? 0));
  expect(readFileSync(path, 'utf8').split('\r\n')).toEqual([
    '\uFEFFFirst name;Phone;Balance due;tuma_line;tuma_reason;tuma_detail',
    'Wanjiku;"=""+254712345678""";1,200;6;duplicate;the same as line 2',
    'Office;020 2345678;0;7;landline;"This is a landline; it cannot receive SMS."',
    'Kamau;"=""2.54712E+11""";300;8;excel damage;A spreadsheet has rounded the number: format the column as text.',
    'Njeri;0712 345 681;;11;too few cells;The header has 3 cells, this row 2.',
    '"Barasa;""0712345682;5;";;;12;bad quoting;A quotation mark is never closed, or has text behind it.',
    '',
  ]);
});
