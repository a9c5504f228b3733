import { expect, it } from 'vitest';
import { jobFromFile, jobSchema } from '../../../src/campaign/jobs/job-schema.ts';

/** A job of these keys beside those that every job has; each scalar is text, as the file is read. */
const job = (keys: object) =>
  jobFromFile(jobSchema.parse({ name: 'x', kind: 'promotional', message: 'Hi', ...keys }));

it.each([
  [
    { remind: { column: 'due', offset: '-1w', at: '23:59', format: 'dd/mm/yyyy' }, key: 'bill' },
    { column: 'due', offset: '-7d', atMinute: 1_439, format: ['day', 'month', 'year'], keyed: true },
  ],
  [{ remind: { column: 'due' } }, { column: 'due', offset: '0d', atMinute: 540, format: null, keyed: false }],
])('%j is when people are reminded', (keys, rule) => {
  expect(job(keys).remind).toEqual(rule);
});

it.each([
  [
    { first: '1', wait: '5m', delivered: '99.5 %' },
    { first: 1, waitMs: 300_000, delivered: 0.995 },
  ],
  [{ delivered: '5.25%' }, { first: 50, waitMs: 900_000, delivered: 0.0525 }],
  [{ delivered: '100%' }, { first: 50, waitMs: 900_000, delivered: 1 }],
])('the canary %j must prove this', (canary, rule) => {
  expect(job({ canary }).canary).toEqual(rule);
});

it('a guard may be off, and the first wait of a retry as long as the longest', () => {
  const { guard, retry } = job({ guard: { same_text: 'off' }, retry: { first: '5m', most: '5m' } });
  expect(guard).toEqual({ sameTextMs: null, most: null, perMs: 604_800_000 });
  expect(retry).toEqual({ attempts: 5, firstMs: 300_000, mostMs: 300_000 });
});
