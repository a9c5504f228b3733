import { expect, test } from 'vitest';
import { GOALS, reached } from '../../bench/goals.ts';
import { quantile, ratios, spreadOf } from '../../bench/spread.ts';

test('one slow run moves the range and not the median', () => {
  expect(spreadOf([3, 1, 100])).toEqual({ median: 3, least: 1, most: 100, values: [3, 1, 100] });
  expect(spreadOf([1, 2, 3, 10]).median).toBe(2.5);
});

test('nothing measured is an error and never a figure', () => {
  expect(() => spreadOf([])).toThrow(RangeError);
  expect(() => ratios([1, 2], [1])).toThrow(RangeError);
});

test('each run is divided by the one beside it', () => {
  expect(ratios([1, 6], [2, 3])).toEqual([0.5, 2]);
});

test('the median and the p99 lie where they should', () => {
  const values = Array.from({ length: 101 }, (_, index) => 100 - index);
  expect(quantile(values, 0.5)).toBe(50);
  expect(quantile(values, 0.99)).toBe(99);
  expect(quantile([7], 0.99)).toBe(7);
});

test('a ratio must be high, a latency and a memory low, and the mark itself is reached', () => {
  expect([0.6, 0.33, 0.32].map((value) => reached(value, GOALS['1']))).toEqual(['aim', 'floor', 'no']);
  expect([180, 270, 271].map((value) => reached(value, GOALS['10']))).toEqual(['aim', 'floor', 'no']);
});
