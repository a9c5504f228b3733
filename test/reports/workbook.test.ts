import { readXlsx } from 'hucre/xlsx';
import { expect, it } from 'vitest';
import type { Column, Figure } from '../../src/reports/figures.ts';
import { figuresXlsx, type Sheet } from '../../src/reports/workbook.ts';

async function bookOf(columns: Column[], rows: Figure[][], sheet: Partial<Sheet> = {}) {
  const pages = [];
  for await (const page of figuresXlsx({ columns, rows }, { sheet: 'Shop & Co', zone: 'UTC', ...sheet }))
    pages.push(page);
  const { sheets } = await readXlsx(Buffer.concat(pages));
  return sheets[0];
}

it('columns of the contacts are numbers or dates where all of their cells are; phones, ids and mixtures stay text', async () => {
  const header = ['balance', 'due', 'member', 'phone', 'mixed', 'serial', 'empty'];
  const columns = header.map((name): Column => ({ name, kind: 'cell' }));
  const sheet = await bookOf(columns, [
    ['1200.50', '2026-11-27', '00042', '254712345678', '12', '46354', ''],
    ['-3', '28 Nov 2026', '7', '712345678', 'n/a', '46355', ''],
    ['', '', '8', '254700000001', '3', '', ''],
  ]);
  expect(sheet?.rows.slice(1)).toEqual([
    [1200.5, new Date('2026-11-27'), '00042', '254712345678', '12', 46354, null],
    [-3, new Date('2026-11-28'), '7', '712345678', 'n/a', 46355, null],
    [null, null, '8', '254700000001', '3', null, null],
  ]);
});

it('the sheet has a name, a header that stays, a filter over the rows, one landscape page in width, and a total', async () => {
  const columns: Column[] = [
    { name: 'campaign', kind: 'text' },
    { name: 'charged', kind: 'money' },
  ];
  const rows = [
    ['a', '1.20'],
    ['b', '0.80'],
  ];
  const sheet = await bookOf(columns, rows, { total: ['Total', '2.00'] });
  expect(sheet?.name).toBe('Shop & Co');
  expect(sheet?.rows.at(-1)).toEqual(['Total', 2]);
  expect(sheet?.freezePane).toMatchObject({ rows: 1 });
  expect(sheet?.autoFilter).toMatchObject({ range: 'A1:B3' });
  expect(sheet?.pageSetup).toMatchObject({ orientation: 'landscape', fitToWidth: 1 });
  expect(sheet?.headerFooter?.oddHeader).toBe('&CShop && Co');
});

it('a table that is too large for the memory is written row by row', async () => {
  const columns: Column[] = [
    { name: 'n', kind: 'count' },
    { name: 'of the contacts', kind: 'cell' },
  ];
  const rows = Array.from({ length: 50_001 }, (_, at): Figure[] => [at, '7']);
  const sheet = await bookOf(columns, rows);
  expect(sheet?.rows).toHaveLength(50_002);
  expect(sheet?.rows.at(-1)).toEqual([50_000, '7']);
});
