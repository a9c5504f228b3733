import { expect, it } from 'vitest';
import { compileTemplate } from '../../src/domain/text/template.ts';
import { countSegments } from '../../src/domain/text/segments.ts';
import { contactsOf, readAll } from './reading.ts';

it.each([
  '#N/A',
  '#n/a',
  '#REF!',
  '#VALUE!',
  '#DIV/0!',
  '#NAME?',
  '#NUM!',
  '#NULL!',
  '#SPILL!',
  '#CALC!',
  '#GETTING_DATA',
  '#ERROR!',
  '#VALEUR!',
  '#N/D',
  '#NV',
  '#¡VALOR!',
  '#¿NOMBRE?',
  'Err:502',
  '###',
  '########',
  ' #N/A ',
])('the error %s is a blank cell, and the row keeps it as it was written', async (error) => {
  const { rows } = await readAll(contactsOf(`name,phone,balance\nAmina,0712500001,"${error}"\n`));
  expect(rows[0]).toMatchObject({
    cells: ['Amina', '0712500001', ''],
    raw: `Amina,0712500001,"${error}"`,
    problem: null,
  });
});

it.each(['#', '#1', '#DUKA', '#N/Abc', 'N/A', 'Ref!', 'Errand:502', 'x ########', '#REF! 1', '-'])(
  '%s is no error of a spreadsheet',
  async (cell) => {
    const { rows } = await readAll(contactsOf(`name,phone\n${cell},0712500001\n`));
    expect(rows[0]?.cells).toEqual([cell, '0712500001']);
  },
);

it('a letter and an accent of their own are one letter in cells and header, and the bytes stay', async () => {
  const { contacts, rows } = await readAll(
    contactsOf(
      'phone,pre\u0301nom\n0712300001,Jose\u0301 Rene\u0301\n0712300002,Mu\u0303thoni\n0712300003,Zoë\n',
    ),
  );
  expect(contacts.header).toEqual(['phone', 'prénom']);
  expect(rows.map(({ cells }) => cells[1])).toEqual(['José René', 'Mũthoni', 'Zoë']);
  expect(rows[0]?.raw).toBe('0712300001,Jose\u0301 Rene\u0301');
});

it('a text is composed where it is rendered: also what only text and cell make together', () => {
  const rendered = compileTemplate({
    source: 'Cafe\u0301 Jose<<accent>>',
    file: 't',
    header: ['accent'],
    columns: {},
  }).render(['\u0301']);
  expect(rendered).toEqual({ ok: true, text: 'Café José' });
  expect(countSegments('Café José').encoding).toBe('gsm7');
});
