import { expect, test } from 'vitest';
import { withMachinesRow } from './machines/machines-row.ts';
import { soakRounds, soakStand, withSoakRow } from './soak.ts';

const PAGE = 'before\n<!-- soak: next seed 7, kills so far 1200 -->\nafter\n';
const ROUND = { messages: 4_000, double: 0, lost: 0, uncertain: 90 };

test('a soak is cut into rounds, each with the next seed', () => {
  expect(soakRounds(250, 7)).toEqual([
    { seed: 7, kills: 100 },
    { seed: 8, kills: 100 },
    { seed: 9, kills: 50 },
  ]);
});

test('a row is added in its place, and the next soak goes on behind it', () => {
  const rounds = [
    { ...ROUND, seed: 7, kills: 100, mostLeft: 31 },
    { ...ROUND, seed: 8, kills: 20, mostLeft: 77 },
  ];
  const run = { date: '2026-11-21', commit: 'abc', claimLimit: 128, rounds };
  const page = withSoakRow(PAGE, run);
  expect(page).toBe(
    'before\n| 2026-11-21 | `abc` | `npm run soak -- --kills 120` | 1,320 | 8,000 | 0 | 0 | 180 | 77 of 128 |\n' +
      '<!-- soak: next seed 9, kills so far 1320 -->\nafter\n',
  );
  expect(soakStand(page)).toEqual({ nextSeed: 9, kills: 1320 });
});

test('a soak that goes on at the same day and commit lengthens its row, another commit begins one', () => {
  const run = { date: '2026-11-21', commit: 'abc', claimLimit: 128 };
  const first = withSoakRow(PAGE, { ...run, rounds: [{ ...ROUND, seed: 7, kills: 100, mostLeft: 90 }] });
  const longer = withSoakRow(first, { ...run, rounds: [{ ...ROUND, seed: 8, kills: 50, mostLeft: 7 }] });
  expect(longer).toBe(
    withSoakRow(PAGE, {
      ...run,
      rounds: [
        { ...ROUND, seed: 7, kills: 100, mostLeft: 90 },
        { ...ROUND, seed: 8, kills: 50, mostLeft: 7 },
      ],
    }),
  );
  const other = { ...run, commit: 'def', rounds: [{ ...ROUND, seed: 9, kills: 10, mostLeft: 1 }] };
  expect(withSoakRow(longer, other).match(/^\| 2026/gm)).toHaveLength(2);
  expect(soakStand(withSoakRow(longer, other))).toEqual({ nextSeed: 10, kills: 1_360 });
});

test('a page that does not say where it stands is not guessed at', () => {
  expect(() => soakStand('| a table |')).toThrow(/does not say/);
});

test('a run of many machines adds a row above the mark of its table', () => {
  const struck = { killed: 9, lost: 7, frozen: 1, cutOff: 1, restarts: 1, flushes: 2 };
  const plan = { machines: 4, messages: 5_000, rate: '200/s', seed: 1, cuts: true };
  const run = {
    ...plan,
    ...struck,
    date: '2026-11-29',
    commit: 'abc',
    tookMs: 180_000,
    perSecond: 103.7,
    findings: { messages: 5_000, accepted: 4_990, sent: 4_950, uncertain: 40, queued: 0, double: 0, lost: 0 },
  };
  const page = 'before\n<!-- machines: next row above -->\nafter\n';
  const row =
    '| 2026-11-29 | `abc` | `npm run soak -- --machines 4 --messages 5000 --cut` | 9 | 7 | 5,000 | 0 | 0 | 40 | 3.0 | 104/s |';
  expect(withMachinesRow(page, run)).toBe(`before\n${row}\n<!-- machines: next row above -->\nafter\n`);
  expect(() => withMachinesRow('no table', run)).toThrow(/no table/);
});
