import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readXlsx, writeXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { numberCell, sheetOf, stylesOf, textCell, workbookOf } from '../contacts/zip.ts';
import { tuma } from './command-line.ts';
import { type LaunchingHome, openLaunchingHome } from './launching-home.ts';

/* Workbooks on the command line: what a plan says of them, and files that are workbooks again. */

const SHARED = fileURLToPath(new URL('../contacts/workbooks/', import.meta.url));

let launching: LaunchingHome;
const before = process.cwd();
beforeAll(async () => {
  launching = await openLaunchingHome();
  // Rejects are written where a person stands.
  process.chdir(launching.home);
});
afterAll(async () => {
  process.chdir(before);
  await launching.close();
});

const run = (...args: string[]) => tuma(args, { env: launching.env });
const path = (name: string) => join(launching.home, name);

/** Puts a workbook into the home, and a job of it beside it. */
function jobOf(name: string, workbook: Buffer | string, lines: string[]): string {
  if (typeof workbook === 'string') copyFileSync(join(SHARED, workbook), path(`${name}.xlsx`));
  else writeFileSync(path(`${name}.xlsx`), workbook);
  const job = [`name: ${name}`, 'kind: transactional', 'sender: DUKA', `contacts: ./${name}.xlsx`, ...lines];
  writeFileSync(path(`${name}.yaml`), `${job.join('\n')}\n`);
  return path(`${name}.yaml`);
}

async function sheetRows(name: string) {
  return (await readXlsx(readFileSync(path(name)))).sheets[0]?.rows ?? [];
}

describe('a workbook as people have it', () => {
  it('with titles above its header is planned and launched as it is', async () => {
    const job = jobOf('sacco', 'title-row.xlsx', ['columns: { mobile: Phone No }', 'message: "Hi <<Name>>"']);
    const planned = await run('plan', job);
    expect(planned.stdout).toContain('header     line 3, below 1 line of titles\n');
    expect(planned.stdout).toMatch(/\d {2}total row \(line 9\)\n/);
    expect(await run('launch', job, '--yes')).toMatchObject({ code: 0 });
  });

  it('says its sheet, the rows that a filter hides, and the order of its dates', async () => {
    const two = await run('plan', jobOf('two', 'two-sheets.xlsx', ['message: "Hi <<name>>"']));
    expect(two.stdout).toContain('sheet      "2025 (old)", 1 of 2\n');
    const filtered = await run('plan', jobOf('hidden', 'filtered.xlsx', ['message: "Hi <<name>>"']));
    expect(filtered.stdout).toContain(
      'sheet      4 rows are hidden by a filter; they are included\n           (rows: visible in the job file leaves them out)\n',
    );
    const visible = await run(
      'plan',
      jobOf('shown', 'filtered.xlsx', ['rows: visible', 'message: "Hi <<name>>"']),
    );
    expect(visible.stdout).toContain('4 rows are hidden by a filter; they are left out\n');
    const sheet = sheetOf(
      `<row>${textCell('phone')}${textCell('due')}</row><row>${textCell('0712345678')}${numberCell(46_353, 1)}</row>`,
    );
    const dates = workbookOf({ sheet, styles: stylesOf([0, 14]) });
    const dated = await run('plan', jobOf('dates', dates, ['message: "Due <<due>>"']));
    expect(dated.stdout).toContain('dates      1 date as the day, the month and the year: 27/11/2026\n');
    expect(dated.stdout).toContain('Due 27/11/2026');
  });
});

describe('rejects of a workbook', () => {
  const styles = stylesOf([0, 'dd/mm/yyyy', '00000', 'h:mm AM/PM']);
  const row = (mobile: string) =>
    `<row>${textCell(mobile)}${numberCell(46_423, 1)}${numberCell(42, 2)}${numberCell(0.5, 3)}</row>`;
  const sheet = sheetOf(
    `<row>${['phone', 'due', 'member', 'time'].map(textCell).join('')}</row>${row('0712345678')}${row('nobody')}`,
  );

  it('are a workbook with the same cells, and are planned again where they stand', async () => {
    const lines = ['message: "<<due>> <<date due>> <<member>> <<time>>"'];
    const job = jobOf('clinic', workbookOf({ sheet, styles }), lines);
    const planned = await run('plan', job);
    const rejects = /all of them with their reasons: \.\/(rejects(?:-\d)?\.xlsx)\n/.exec(planned.stdout);
    const [header, ...rows] = await sheetRows(rejects?.[1] ?? '');
    expect(header).toEqual(['phone', 'due', 'member', 'time', 'tuma_line', 'tuma_reason', 'tuma_detail']);
    expect(rows).toEqual([
      ['nobody', new Date('2027-02-05'), '00042', '12:00 PM', '3', 'not a number', expect.any(String)],
    ]);

    const mended = [header ?? [], ...rows.map((cells) => cells.with(0, '0722345678').with(5, null))];
    const numFmts = { columns: [{}, { numFmt: 'dd/mm/yyyy' }] };
    writeFileSync(
      path('mended.xlsx'),
      await writeXlsx({ sheets: [{ name: 'Rejects', rows: mended, ...numFmts }] }),
    );
    const again = await run('plan', job, '--contacts', path('mended.xlsx'));
    expect(again.stdout).toContain('05/02/2027 5 February 2027 00042 12:00 PM');
  });

  it('are the file that a person names: a CSV of a workbook, and a workbook of a CSV', async () => {
    const job = jobOf('named', workbookOf({ sheet, styles }), ['message: Hi']);
    expect(await run('plan', job, '--rejects', path('named.csv'))).toMatchObject({ code: 0 });
    expect(readFileSync(path('named.csv'), 'utf8')).toMatch(
      /nobody,.*2027-02-05.*,.*00042.*,12:00 PM,3,not a number/,
    );
    writeFileSync(path('list.csv'), 'phone,name\n0712345678,Ann\nnobody,"Bob, Jr"\n0712345679\n');
    const csv = ['--contacts', path('list.csv'), '--rejects', path('list-rejects.xlsx')];
    expect(await run('plan', job, ...csv)).toMatchObject({ code: 0 });
    expect((await sheetRows('list-rejects.xlsx')).slice(1)).toEqual([
      ['nobody', 'Bob, Jr', '3', 'not a number', expect.any(String)],
      ['0712345679', null, '4', 'too few cells', expect.any(String)],
    ]);
  });
});

describe('other lists', () => {
  it('of opt-outs may be a workbook, whose sheet is named where it has several', async () => {
    const rows = [['SACCO: left in 2026'], [], ['Name', 'Phone'], ['Ann', 254_712_345_678], ['Bob', 'none']];
    const sheets = [
      { name: 'Left', rows },
      { name: 'Others', rows: [['Phone'], ['0722345678']] },
    ];
    writeFileSync(path('left.xlsx'), await writeXlsx({ sheets }));
    const imported = await run('optouts', 'import', path('left.xlsx'));
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('2 rows: 1 opted out now') });
    expect(imported.stderr).toContain('Only the sheet "Left" was read, 1 of 2');
    expect((await sheetRows('optouts-rejects.xlsx'))[1]).toEqual(
      expect.arrayContaining(['Bob', 'none', '5', 'not a number']),
    );
    const exported = path('optouts.xlsx');
    expect(await run('optouts', 'export', '--out', exported)).toMatchObject({ code: 0 });
    expect((await sheetRows('optouts.xlsx'))[1]?.slice(0, 2)).toEqual(['254712345678', 'opted out']);
  });

  it('of replies are written as a workbook where the file is called so', async () => {
    expect(await run('inbox', '--out', path('replies.xlsx'))).toMatchObject({ code: 0 });
    expect((await sheetRows('replies.xlsx'))[0]?.slice(0, 5)).toEqual([
      'id',
      'received_at',
      'arrived_at',
      'channel',
      'mobile',
    ]);
  });
});
