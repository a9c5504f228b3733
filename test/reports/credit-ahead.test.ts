import { expect, test } from 'vitest';
import { creditAhead, type PlannedCampaign } from '../../src/reports/credit-ahead.ts';

const NOW = Date.UTC(2026, 10, 27, 6);
const DAY = 86_400_000;
const NOTHING = {
  queued: 0,
  sending: 0,
  sent: 0,
  rejected: 0,
  uncertain: 0,
  skipped: 0,
  canceled: 0,
  written_off: 0,
};
const reading = (creditMicro: number) => ({ at: NOW, creditMicro, chargedSinceMicro: 500_000 });

/** A campaign that only the figures of a plan are read from. */
function planned(
  id: string,
  {
    state = 'scheduled',
    startAt = null,
    queued = 10,
    leftMicro = 8_000_000,
    agenda = {},
    settings = {},
  }: Partial<{
    state: string;
    startAt: number | null;
    queued: number;
    leftMicro: number | null;
    agenda: object;
    settings: object;
  }>,
): PlannedCampaign {
  const campaign = { id, name: id, startAt, settings, estimatedMicro: 8_000_000 };
  const overview = { campaign, state, messages: { ...NOTHING, queued }, leftMicro };
  return {
    overview: overview as unknown as PlannedCampaign['overview'],
    agenda: { nextDueAt: null, due: [], firedBy: null, schedule: null, ...agenda },
  };
}

test('the credit is laid over what is planned in order of time, less what was charged since it was read', () => {
  const campaigns = [planned('later', { startAt: NOW + 2 * DAY }), planned('now', { state: 'running' })];
  const ahead = creditAhead(campaigns, reading(20_500_000));
  expect(ahead.planned.map(({ campaign, afterMicro }) => [campaign.id, afterMicro])).toEqual([
    ['now', 12_000_000],
    ['later', 4_000_000],
  ]);
  expect(ahead.short).toBeNull();
});

test('it tells what is missing by the last planned moment, and the first that is not covered', () => {
  const campaigns = [planned('a', { startAt: NOW + DAY }), planned('b', { startAt: NOW + 2 * DAY })];
  const { short } = creditAhead(campaigns, reading(10_500_000));
  expect(short).toEqual({ from: NOW + 2 * DAY, until: NOW + 2 * DAY, missingMicro: 6_000_000 });
});

test('reminders cost at their moments, and those beyond the known ones at the last', () => {
  const due = [
    { at: NOW + DAY, messages: 4 },
    { at: NOW + 2 * DAY, messages: 4 },
  ];
  const ahead = creditAhead(
    [planned('r', { state: 'running', agenda: { due }, settings: { remind: {} } })],
    null,
  );
  expect(ahead.planned.map(({ at, messages, costMicro }) => [at, messages, costMicro])).toEqual([
    [NOW + DAY, 4, 3_200_000],
    [NOW + 2 * DAY, 4, 3_200_000],
    [NOW + 2 * DAY, 2, 1_600_000],
  ]);
  expect(ahead.creditMicro).toBeNull();
});

test('a recurring job counts with its next firing, and a finished one with nothing', () => {
  const schedule = { nextAt: NOW + DAY, fired: 1, missed: 0, latest: [], open: [] };
  const ahead = creditAhead(
    [planned('weekly', { agenda: { schedule } }), planned('over', { state: 'finished' })],
    reading(9_000_000),
  );
  expect(ahead.planned.map(({ campaign, at }) => [campaign.id, at])).toEqual([['weekly', NOW + DAY]]);
});

test('what has no known price counts as nothing, and is told', () => {
  expect(creditAhead([planned('x', { leftMicro: null })], reading(1_000_000)).unpriced).toBe(10);
});
