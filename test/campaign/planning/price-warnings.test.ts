import { expect, test } from 'vitest';
import { priceWarnings } from '../../../src/campaign/planning/price-warnings.ts';

const KES = 1_000_000;
const learned = (...costs: number[]) =>
  costs.map((costMicro, index) => ({ network: String(index), segments: 2, costMicro }));
const warned = (configured: number[] | null, costs: number[], budgetMicro: number | null = 8 * KES) =>
  priceWarnings({ configured, learned: learned(...costs) }, { budgetMicro, currency: 'KES' });

test('a configured price that is below what the account has paid is not what claims hold back', () => {
  const words =
    'the account has paid KES 1,500.00 a segment, more than TUMA_PRICE: so much is held back for each, and where a budget or the balance has less left the campaign pauses';
  expect(warned([0.8 * KES, KES], [1.6 * KES, 3_000 * KES])).toEqual([words]);
  expect(warned([0.8 * KES, KES], [2 * KES], null)).toEqual([]);
  expect(warned(null, [1.6 * KES, 3_000 * KES])).toEqual([]);
});

test('where messages cost nothing a budget sends one at a time', () => {
  expect(warned(null, [0])).toEqual([expect.stringContaining('one at a time (faster with TUMA_PRICE')]);
  expect(warned([0], [])).toHaveLength(1);
  expect(warned(null, [0], null)).toEqual([]);
  expect(warned(null, [])).toEqual([]);
  expect(warned([0.8 * KES], [0])).toEqual([]);
  expect(warned(null, [0, 1.6 * KES])).toEqual([]);
});
