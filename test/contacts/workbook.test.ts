import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type CellValue, writeXlsx } from 'hucre/xlsx';
import { expect, test } from 'vitest';
import type { SheetFacts } from '../../src/contacts/workbook/workbook.ts';
import { contactsSource } from '../../src/contacts/contacts-source.ts';
import { openContacts } from '../../src/contacts/contacts-file.ts';
import { makeTempDir } from '../support/temp-home.ts';

/* Excel workbooks and standard input become a CSV that is read like any other. */

async function workbook(sheets: { name: string; hidden?: boolean; rows: CellValue[][] }[]): Promise<string> {
  const path = join(makeTempDir(), 'wateja.xlsx');
  writeFileSync(path, await writeXlsx({ sheets }));
  return path;
}

const given = (path: string, sheet: string | null = null, input: Readable = Readable.from([])) => ({
  path,
  sheet,
  rows: 'all' as const,
  placeOf: () => 'job.yaml:3:8',
  folder: makeTempDir(),
  input,
});

/** Line and cells of every row. */
async function rowsOf(source: {
  path: string;
  file: string;
  workbook: SheetFacts | null;
}): Promise<[number, string[]][]> {
  await using contacts = await openContacts({ ...source, countries: ['KE'] });
  const rows: [number, string[]][] = [];
  for await (const chunk of contacts.rows()) for (const { line, cells } of chunk) rows.push([line, cells]);
  return rows;
}

test('a workbook is read with the lines of its sheet: numbers without exponents, dates as ISO dates', async () => {
  const path = await workbook([
    {
      name: 'Wateja',
      rows: [
        ['Jina', 'Simu', 'Kiasi', 'Tarehe'],
        ['José', 712_345_678, 1200.5, new Date('2026-12-24')],
        [],
        ['Zoë "Z", Ltd', '0722345678', 0.1 + 0.2, new Date('2026-12-25T08:30:00Z')],
        ['two\nlines', 254_733_345_678, 1e21],
      ],
    },
    { name: 'Other', rows: [['phone'], ['0733345678']] },
  ]);
  const asked = given(path);
  await using source = await contactsSource(asked);
  expect(await rowsOf(source)).toEqual([
    [2, ['José', '712345678', '1200.5', '2026-12-24']],
    [4, ['Zoë "Z", Ltd', '0722345678', '0.3', '2026-12-25 08:30']],
    [5, ['two lines', '254733345678', '1000000000000000000000', '']],
  ]);
  await using other = await contactsSource(given(path, 'Other'));
  expect(await rowsOf(other)).toEqual([[2, ['0733345678']]]);
  await source[Symbol.asyncDispose]();
  expect(readdirSync(asked.folder)).toEqual([]);
});

test('errors name the workbook, and not its copy', async () => {
  const path = await workbook([{ name: 'a', rows: [['Jina'], ['Ann']] }]);
  await using source = await contactsSource(given(path));
  await expect(rowsOf(source)).rejects.toMatchObject({ code: 'contacts_invalid', where: `${path}:1:1` });
});

test('a sheet that is not there, a sheet of a CSV, and a broken workbook are refused with what to do', async () => {
  const path = await workbook([{ name: 'a', rows: [['phone'], ['0712345678']] }]);
  await expect(contactsSource(given(path, 'b'))).rejects.toMatchObject({
    message: 'This workbook cannot be read: it has no sheet "b" with rows; its sheets are: "a".',
    hint: 'Save it as an Excel workbook (.xlsx) or as CSV.',
  });
  const csv = join(makeTempDir(), 'c.csv');
  writeFileSync(csv, 'phone\n0712345678\n');
  await expect(contactsSource(given(csv, 'a'))).rejects.toMatchObject({
    code: 'job_invalid',
    where: 'job.yaml:3:8',
  });
  writeFileSync(csv, 'PK\u0003\u0004 cut off');
  await expect(contactsSource(given(csv))).rejects.toMatchObject({
    message: 'This workbook is not whole: its end is missing.',
  });
});

test.each([
  [
    'an old workbook',
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]),
    'This is an old Excel workbook (.xls), or one with a password.',
  ],
  [
    'an OpenDocument file',
    Buffer.from(
      'PK\u0003\u0004aaaaaaaaaaaaaaaaaaaaaaaaaamimetypeapplication/vnd.oasis.opendocument.spreadsheet',
    ),
    'This is an OpenDocument file (.ods).',
  ],
])('%s is refused with what to do', async (_what, bytes, message) => {
  const path = join(makeTempDir(), 'list');
  writeFileSync(path, bytes);
  await expect(contactsSource(given(path))).rejects.toMatchObject({
    code: 'contacts_invalid',
    message,
    hint: 'Save it as an Excel workbook (.xlsx) or as CSV.',
  });
});

test('the first sheet is the first that a person sees', async () => {
  const path = await workbook([
    { name: 'Secret', hidden: true, rows: [['phone'], ['0700000000']] },
    { name: 'Seen & used', rows: [['phone'], ['0712345678']] },
  ]);
  await using source = await contactsSource(given(path));
  expect(await rowsOf(source)).toEqual([[2, ['0712345678']]]);
});

test('a workbook that is cut off, or whose directory lies, is refused', async () => {
  const whole = readFileSync(await workbook([{ name: 'a', rows: [['phone'], ['0712345678']] }]));
  const cutOff = whole.subarray(0, whole.length - 12);
  const lying = Buffer.from(whole);
  lying.writeUInt32LE(0xff_ff_ff_00, whole.length - 10);
  const wild = Buffer.from(whole);
  wild.writeUInt32LE(7, whole.length - 6);
  for (const bytes of [cutOff, lying, wild]) {
    const path = join(makeTempDir(), 'broken.xlsx');
    writeFileSync(path, bytes);
    await expect(contactsSource(given(path))).rejects.toMatchObject({
      code: 'contacts_invalid',
      message: 'This workbook is not whole: its end is missing.',
    });
  }
});

test('standard input is kept for the time of the command, because it is read more than once', async () => {
  const asked = given('-', null, Readable.from([Buffer.from('phone\n07123'), Buffer.from('45678\n')]));
  const source = await contactsSource(asked);
  expect(source.path).toBe('standard input');
  expect([await rowsOf(source), await rowsOf(source)]).toEqual([
    [[2, ['0712345678']]],
    [[2, ['0712345678']]],
  ]);
  await source[Symbol.asyncDispose]();
  expect(readdirSync(asked.folder)).toEqual([]);
});
