import { expect, test } from 'vitest';
import { creditAhead } from '../../../src/campaign/planning/credit-ahead.ts';
import type { OpenCampaign } from '../../../src/ledger/contracts/reader.ts';

const NOW = Date.UTC(2026, 10, 27, 6);
const DAY = 86_400_000;
const reading = (creditMicro: number) => ({ at: NOW, creditMicro, chargedSinceMicro: 500_000 });

function open(id: string, given: Partial<OpenCampaign> = {}): OpenCampaign {
  const campaign = { id, name: id, zone: 'Africa/Nairobi' };
  return { campaign, startAt: null, waiting: 10, leftMicro: 8_000_000, due: null, firing: null, ...given };
}

test('the credit is laid over what is planned in order of time, less what was charged since it was read', () => {
  const campaigns = [open('later', { startAt: NOW + 2 * DAY }), open('now')];
  const ahead = creditAhead({ campaigns, reading: reading(20_500_000) });
  expect(ahead.planned.map(({ campaign, afterMicro }) => [campaign.id, afterMicro])).toEqual([
    ['now', 12_000_000],
    ['later', 4_000_000],
  ]);
  expect(ahead.short).toBeNull();
});

test('it tells what is missing by the last planned moment, and the first that is not covered', () => {
  const campaigns = [open('a', { startAt: NOW + DAY }), open('b', { startAt: NOW + 2 * DAY })];
  const { short } = creditAhead({ campaigns, reading: reading(10_500_000) });
  expect(short).toEqual({ from: NOW + 2 * DAY, until: NOW + 2 * DAY, missingMicro: 6_000_000 });
});

test('reminders cost at their moments, and those beyond the known ones at the last', () => {
  const due = [
    { at: NOW + DAY, messages: 4 },
    { at: NOW + 2 * DAY, messages: 4 },
  ];
  const ahead = creditAhead({ campaigns: [open('r', { due })], reading: null });
  expect(ahead.planned.map(({ at, messages, costMicro }) => [at, messages, costMicro])).toEqual([
    [NOW + DAY, 4, 3_200_000],
    [NOW + 2 * DAY, 4, 3_200_000],
    [NOW + 2 * DAY, 2, 1_600_000],
  ]);
  expect(ahead.creditMicro).toBeNull();
});

test('a recurring job counts with its next firing, and with nothing where none comes', () => {
  const firing = { at: NOW + DAY, messages: 12, costMicro: 9_600_000 };
  const campaigns = [open('weekly', { firing }), open('held', { firing: { ...firing, at: null } })];
  const ahead = creditAhead({ campaigns, reading: reading(9_000_000) });
  expect(ahead.planned.map(({ campaign, at, messages }) => [campaign.id, at, messages])).toEqual([
    ['weekly', NOW + DAY, 12],
  ]);
});

test('what has no known price counts as nothing, and is told', () => {
  const ahead = creditAhead({ campaigns: [open('x', { leftMicro: null })], reading: reading(1_000_000) });
  expect([ahead.unpriced, ahead.short]).toEqual([10, null]);
});
