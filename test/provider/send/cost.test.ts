import { describe, expect, test } from 'vitest';
import { classify, OK, type Row } from '../recorded.ts';

/* Costs with one reading are read; costs with two wait for the profile's row `decimal`. */

const COSTS: Row[] = [
  ...['0,80', '1,50', '1.000', '1,000', '1.000,50'].map(
    (messagecost): Row => ({
      row: `cost ${messagecost} has two readings [P17]`,
      body: { ...OK, messagecost },
      is: { outcome: 'accepted', costMicro: null, flags: ['cost_two_ways'], raw: expect.any(String) },
    }),
  ),
  ...(
    [
      ['KES 0.80', 800_000],
      ['0.80 kes', 800_000],
      ['0.8000', 800_000],
      ['1,000.00', 1_000_000_000],
      ['0.805', 805_000],
      ['1.2500', 1_250_000],
    ] as const
  ).map(
    ([messagecost, costMicro]): Row => ({
      row: `cost ${messagecost} has one reading [P17]`,
      body: { ...OK, messagecost },
      is: { outcome: 'accepted', costMicro, flags: [] },
    }),
  ),
  ...['1.250', '1.25', '1.2500'].map(
    (number): Row => ({
      row: `cost ${number} as a JSON number has one reading [P17]`,
      body: JSON.stringify({ ...OK, messagecost: 0 }).replace('"messagecost":0', `"messagecost":${number}`),
      is: { outcome: 'accepted', costMicro: 1_250_000, flags: [] },
    }),
  ),
  ...(
    [
      ['comma', '1.000', 1_000_000_000],
      ['comma', '0,80', 800_000],
      ['point', '1.000', 1_000_000],
      ['point', '1,000', 1_000_000_000],
    ] as const
  ).map(
    ([decimal, messagecost, costMicro]): Row => ({
      row: `cost ${messagecost} under the profile's decimal ${decimal} [P17]`,
      body: { ...OK, messagecost },
      profile: { decimal },
      is: { outcome: 'accepted', costMicro, flags: [] },
    }),
  ),
];

describe('the cost of an accepted message', () => {
  test.each(COSTS)('$row', (row) => {
    expect(classify(row)).toMatchObject(row.is);
  });
});
