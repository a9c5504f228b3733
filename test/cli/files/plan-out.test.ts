import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ListedMessage } from '../../../src/campaign/planning/plan-list.ts';
import { planOut } from '../../../src/cli/files/plan-out.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const message = (line: number): ListedMessage => ({
  line,
  mobile: '254700000001',
  key: '',
  occurrence: '',
  change: 'planned',
  dueAt: null,
  wasAt: null,
  offset: null,
  segments: 1,
  text: 'Hi',
});
const SHOWN = { format: 'csv', sheet: 'promo', zone: 'UTC', startAt: null } as const;
const rowsOf = (from: number) => Array.from({ length: 500 }, (_, at) => message(from + at));

it('lists given at once stand in the file one after another', async () => {
  const file = join(makeTempDir(), 'plan.csv');
  const out = planOut(file, SHOWN);
  await Promise.all([0, 500, 1_000, 1_500].map((from) => out.list(rowsOf(from))));
  await out.finish();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1);
  expect(lines.map((line) => Number(line.split(',')[0]))).toEqual([...Array(2_000).keys()]);
  expect(out.rows()).toBe(2_000);
});

it('a file that cannot be written ends the plan with its reason, and a plan that failed leaves no file', async () => {
  const folder = makeTempDir();
  const unwritable = planOut(join(folder, 'none', 'plan.csv'), SHOWN);
  const listing = async () => {
    for (let from = 0; from < 100_000; from += 500) await unwritable.list(rowsOf(from));
    await unwritable.finish();
  };
  await expect(listing()).rejects.toMatchObject({ code: 'file_unwritable' });
  const file = join(folder, 'plan.csv');
  const failed = planOut(file, SHOWN);
  await failed.list(rowsOf(0));
  await failed.discard(new Error('the plan failed'));
  expect([existsSync(file), readdirSync(folder)]).toEqual([false, []]);
});
