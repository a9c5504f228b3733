import { expect, test } from 'vitest';
import { readOrder } from '../../bench/order.ts';

test('without arguments everything is measured five times, and the results are kept', () => {
  const order = readOrder([]);
  expect(order).toMatchObject({ runs: 5, profiles: null });
  expect(order?.rows).toEqual(['1', '1b', '2', '3', '4', '5', '6', '7', '8', '9', '9b', '10', '12', '15']);
  expect(order?.out).toMatch(/bench\/results\.json$/);
});

test.each([
  [['1', '3']],
  [['--runs', '4']],
  [['--messages', '5000']],
  [['--contacts', '20000']],
  [['--seconds', '3']],
])('%j does not overwrite the results of a whole bench', (argv) => {
  expect(readOrder(argv)?.out).toBeNull();
});

test('--out keeps whatever was measured, elsewhere', () => {
  expect(readOrder(['5', '--out', '/tmp/x.json'])).toMatchObject({ rows: ['5'], out: '/tmp/x.json' });
});

test.each([[['11']], [['--runs', '0']], [['--runs', 'many']], [['--rnus', '3']]])('%j is refused', (argv) => {
  expect(() => readOrder(argv)).toThrow();
});
