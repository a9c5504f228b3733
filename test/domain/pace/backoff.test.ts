import { expect, it } from 'vitest';
import { backoffMs } from '../../../src/domain/pace/pace.ts';

const policy = { attempts: 9, firstMs: 1_000, mostMs: 10_000 };

it('a wait is doubled for each try, up to the most [P1 P10]', () => {
  const waits = [1, 2, 3, 4, 5, 6, 60].map((tries) => backoffMs(policy, tries, 0));
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
});

it('chance takes up to a quarter of a wait away, and never adds to it [P1 P10]', () => {
  const drawn = [0, 0.25, 0.5, 0.75, 1 - Number.EPSILON].map((random) => backoffMs(policy, 3, random));
  expect(drawn).toEqual([4_000, 3_750, 3_500, 3_250, 3_000]);
  expect(backoffMs(policy, 60, 1 - Number.EPSILON)).toBe(7_500);
});

it('the wait before the first try counts like that before the second [P1]', () => {
  expect(backoffMs(policy, 0, 0)).toBe(backoffMs(policy, 1, 0));
});
