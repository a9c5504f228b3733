import { expect, it } from 'vitest';
import { sumOfCells } from '../../../src/ledger/operations/reading/statement.ts';
import type { CostCell } from '../../../src/ledger/contracts/statement.ts';

const cell = (part: Partial<CostCell>): CostCell => ({
  day: 0,
  network: '1',
  sent: 1,
  delivered: 1,
  undelivered: 2,
  firstAt: 10,
  lastAt: 20,
  chargedMicro: 2,
  unknown: 3,
  unknownMicro: 4,
  uncertain: 5,
  unpriced: 0,
  atStakeMicro: 6,
  writtenOff: 7,
  writtenOffMicro: 8,
  ...part,
});

it('pages of one campaign add up by day and network, and change nothing of the pages', () => {
  const others = [cell({ day: 1 }), cell({ day: null }), cell({ network: '2' })];
  const pages = [cell({}), cell({ chargedMicro: 10, firstAt: 5, lastAt: null }), ...others];
  const known = {
    sent: 2,
    delivered: 2,
    undelivered: 4,
    firstAt: 5,
    chargedMicro: 12,
    unknown: 6,
    unknownMicro: 8,
  };
  const sum = { ...known, uncertain: 10, atStakeMicro: 12, writtenOff: 14, writtenOffMicro: 16 };
  expect(sumOfCells(pages)).toEqual([cell(sum), ...others]);
  expect(pages[0]).toEqual(cell({}));
});

it('a network that is not known is none of those whose name is empty', () => {
  expect(
    sumOfCells([cell({ network: null }), cell({ network: '' }), cell({ network: 'null' })]),
  ).toHaveLength(3);
});
