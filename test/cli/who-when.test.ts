import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tuma } from './command-line.ts';
import { type LaunchingHome, openLaunchingHome } from './launching-home.ts';

/* Who gets what and when: before a launch, in a correction, and afterwards. */

let launching: LaunchingHome;
const before = process.cwd();
beforeAll(async () => {
  launching = await openLaunchingHome();
  process.chdir(launching.home);
});
afterAll(async () => {
  process.chdir(before);
  await launching.close();
});

const run = (...args: string[]) => tuma(args, { env: { ...launching.env, TUMA_ZONE: 'Africa/Nairobi' } });
const path = (name: string) => join(launching.home, name);
const phone = (who: number) => `2547000000${String(who).padStart(2, '0')}`;

function write(name: string, text: string): string {
  writeFileSync(path(name), text);
  return path(name);
}

type Listed = Record<string, string>;
const listed = (file: string) =>
  parse<Listed>(readFileSync(file, 'utf8'), { columns: true, relax_quotes: true });

it('a plan lists each message, a correction names who is new, moved and canceled, and an export says when', async () => {
  const job = write(
    'visits.yaml',
    `name: visits
kind: transactional
sender: DUKA
contacts: ./visits.csv
message: Hi <<name>>
columns: { mobile: [Phone, Phone 2] }
key: name
remind: { column: Day, offsets: [-1d, { offset: -2h, message: "<<name>>, soon" }], at: { column: Day } }
`,
  );
  const csv = (rows: string[]) =>
    write('visits.csv', `Phone,Phone 2,name,Day\n${rows.map((row) => `${row}\n`).join('')}`);
  const row = (who: number, name: string, day: string) => `${phone(who)},,${name},2099-${day}`;
  csv([row(1, 'Ali', '01-05 14:30'), row(2, 'Bea', '01-05 09:00'), `,${phone(3)},Coe,2099-01-05 09:00`]);
  const first = await run('plan', job, '--out', 'first.csv');
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('6 messages in ') });
  expect(first.stdout).toContain(
    '\nmobile     Phone: 2 rows, Phone 2: 1 row (the first usable number of each)\n',
  );
  expect(
    listed(path('first.csv')).map(({ line, key, plan, due_at, offset, text }) => [
      line,
      key,
      plan,
      due_at,
      offset,
      text,
    ]),
  ).toEqual([
    ['2', 'Ali (-1d)', 'planned', '2099-01-04T11:30:00.000Z', '1 day before', 'Hi Ali'],
    ['2', 'Ali (-2h)', 'planned', '2099-01-05T09:30:00.000Z', '2 hours before', 'Ali, soon'],
    ['3', 'Bea (-1d)', 'planned', '2099-01-04T06:00:00.000Z', '1 day before', 'Hi Bea'],
    ['3', 'Bea (-2h)', 'planned', '2099-01-05T04:00:00.000Z', '2 hours before', 'Bea, soon'],
    ['4', 'Coe (-1d)', 'planned', '2099-01-04T06:00:00.000Z', '1 day before', 'Hi Coe'],
    ['4', 'Coe (-2h)', 'planned', '2099-01-05T04:00:00.000Z', '2 hours before', 'Coe, soon'],
  ]);
  expect(await run('plan', job, '--out', 'first.csv')).toMatchObject({ code: 2 });
  expect(await run('plan', job, '--out', 'visits.csv', '--force')).toMatchObject({ code: 2 });
  const launched = await run('launch', job, '--yes', '--json');
  expect(launched.code).toBe(0);
  const { campaign } = JSON.parse(launched.stdout) as { campaign: { id: string } };

  const waits = await run('plan', job, '--line', '3');
  expect(waits.stdout).toContain(
    `\nthe line   queued in campaign ${campaign.id} for Sun 4 Jan 2099, 09:00\n`,
  );
  expect(waits.stdout).toContain(
    `\nthe line   queued in campaign ${campaign.id} for Mon 5 Jan 2099, 07:00\n`,
  );
  expect(waits.stderr).not.toContain('No message is made');

  csv([row(1, 'Ali', '01-09 14:30'), row(2, 'Bea', '01-05 11:00'), row(4, 'Dan', '01-05 09:00')]);
  const corrected = await run('plan', job, '--out', 'changes.xlsx');
  expect(corrected.stdout).toContain(
    `corrects   ${campaign.id}: 2 new, 2 unchanged (2 at another time), 2 moved, 2 canceled\n`,
  );
  for (const words of [
    '  new      line 4: 2547****0004 Dan (-1d), 4 Jan 2099, 09:00\n',
    '  moved    line 2: 2547****0001 Ali (-2h), 9 Jan 2099, 12:30, was 5 Jan 2099, 12:30\n',
    '  moved    line 3: 2547****0002 Bea (-1d), 4 Jan 2099, 11:00, was 4 Jan 2099, 09:00\n',
    '  canceled line 4: 2547****0003 Coe (-1d), 4 Jan 2099, 09:00\n',
  ])
    expect(corrected.stdout).toContain(words);
  const [sheet] = (await readXlsx(readFileSync(path('changes.xlsx')))).sheets;
  const rows = (sheet?.rows ?? []).map((cells) => [cells[2], cells[4], cells[6] instanceof Date]);
  expect(rows).toEqual([
    ['key', 'plan', false],
    ['Ali (-1d)', 'moved', true],
    ['Ali (-2h)', 'moved', true],
    ['Bea (-1d)', 'moved', true],
    ['Bea (-2h)', 'moved', true],
    ['Dan (-1d)', 'new', false],
    ['Dan (-2h)', 'new', false],
    ['Coe (-1d)', 'canceled', false],
    ['Coe (-2h)', 'canceled', false],
  ]);
  const asJson = JSON.parse((await run('plan', job, '--json')).stdout) as {
    reminders: { shown: Record<string, { mobile: string }[]> };
  };
  expect(asJson.reminders.shown['new']).toMatchObject([{ mobile: '2547****0004' }, {}]);

  expect((await run('launch', job, '--yes', '--cancel-missing')).code).toBe(0);
  await run('export', 'visits', '--out', 'e.csv', '--with-text', '--with-fields');
  const exported = listed(path('e.csv')).filter(({ state }) => state === 'queued');
  expect(exported.map(({ key, due_at, offset, text, Day }) => [key, due_at, offset, text, Day])).toEqual([
    ['Bea (-1d)', '2099-01-04T08:00:00.000Z', '1 day before', 'Hi Bea', '2099-01-05 11:00'],
    ['Bea (-2h)', '2099-01-05T06:00:00.000Z', '2 hours before', 'Bea, soon', '2099-01-05 11:00'],
    ['Dan (-1d)', '2099-01-04T06:00:00.000Z', '1 day before', 'Hi Dan', '2099-01-05 09:00'],
    ['Dan (-2h)', '2099-01-05T04:00:00.000Z', '2 hours before', 'Dan, soon', '2099-01-05 09:00'],
    ['Ali (-1d)', '2099-01-08T11:30:00.000Z', '1 day before', 'Hi Ali', '2099-01-09 14:30'],
    ['Ali (-2h)', '2099-01-09T09:30:00.000Z', '2 hours before', 'Ali, soon', '2099-01-09 14:30'],
  ]);
});

it('of a long correction the first ten are named, and the file has all', async () => {
  const job = write(
    'rent.yaml',
    'name: rent\nkind: transactional\nsender: DUKA\ncontacts: ./rent.csv\nmessage: Hi\nremind: { column: due }\n',
  );
  const csv = (from: number, to: number) =>
    write(
      'rent.csv',
      `phone,due\n${Array.from({ length: to - from }, (_, at) => `${phone(from + at)},2099-01-05\n`).join('')}`,
    );
  csv(0, 40);
  expect((await run('launch', job, '--yes')).code).toBe(0);
  csv(12, 52);
  const corrected = await run('plan', job, '--out', 'rent-changes.csv');
  expect(corrected.stdout.match(/^ {2}new /gm)).toHaveLength(10);
  expect(corrected.stdout.match(/^ {2}canceled /gm)).toHaveLength(10);
  expect(corrected.stdout).toContain('and 2 more new (tuma plan … --out FILE lists all)\n');
  const plans = listed(path('rent-changes.csv')).map(({ plan = '' }) => plan);
  expect(plans.toSorted()).toEqual([
    ...Array.from({ length: 12 }, () => 'canceled'),
    ...Array.from({ length: 12 }, () => 'new'),
    ...Array.from({ length: 28 }, () => 'unchanged'),
  ]);
});

it('a plan of a campaign without reminders lists its messages, too; one that fails leaves no file', async () => {
  const job = write(
    'promo.yaml',
    'name: promo\nkind: transactional\nsender: DUKA\ncontacts: ./promo.csv\nmessage: Hi <<name>>\nstart: 2099-01-05T09:00\n',
  );
  write('promo.csv', `phone,name\n${phone(1)},=A1\n${phone(1)},Twin\nnobody,B\n${phone(2)},B\n`);
  await run('plan', job, '--out', 'promo-plan.csv');
  expect(
    listed(path('promo-plan.csv')).map(({ line, plan, due_at, text }) => [line, plan, due_at, text]),
  ).toEqual([
    ['2', 'planned', '2099-01-05T06:00:00.000Z', 'Hi =A1'],
    ['5', 'planned', '2099-01-05T06:00:00.000Z', 'Hi B'],
  ]);
  write('promo.csv', `phone,nom\n${phone(1)},A\n`);
  expect((await run('plan', job, '--out', 'none.csv')).code).toBe(6);
  expect(existsSync(path('none.csv'))).toBe(false);
});
