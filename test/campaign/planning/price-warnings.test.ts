import { expect, test } from 'vitest';
import { priceWarnings } from '../../../src/campaign/planning/plan-facts.ts';
import { warningWords } from '../../../src/cli/text/plan-warnings.ts';

const KES = 1_000_000;
const learned = (...costs: number[]) =>
  costs.map((costMicro, index) => ({ network: String(index), segments: 2, costMicro }));
const warned = (configured: number[] | null, costs: number[]) =>
  priceWarnings({ configured, learned: learned(...costs) }, 'KES');

test('a configured price that is below what the account has paid is not what claims hold back', () => {
  const words =
    'the account has paid KES 1,500.00 a segment, more than TUMA_PRICE: this much is held back for each segment, so a budget or the balance may pause the campaign early';
  expect(warned([0.8 * KES, KES], [1.6 * KES, 3_000 * KES]).map(warningWords)).toEqual([words]);
  expect(warned([0.8 * KES, KES], [2 * KES])).toEqual([]);
  expect(warned(null, [1.6 * KES, 3_000 * KES])).toEqual([]);
});
