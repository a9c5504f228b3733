import { expect, test } from 'vitest';
import type { PlannedCost } from '../../../src/campaign/planning/credit-ahead.ts';
import { beginOf, planBalance } from '../../../src/campaign/planning/plan-balance.ts';

const KES = 1_000_000;
const START = Date.UTC(2026, 10, 27, 6);
const HOUR = 3_600_000;

function planned(id: string, at: number | null, costMicro: number | null = 5 * KES): PlannedCost {
  return { campaign: { id, name: id, zone: 'Africa/Nairobi' }, at, messages: 4, costMicro, afterMicro: null };
}

test('what begins until the plan begins takes of the balance first, and what begins later does not', () => {
  const others = [planned('now', null), planned('same', START), planned('later', START + 1)];
  const balance = planBalance({ creditMicro: 30 * KES, upperMicro: 8 * KES }, others, START);
  expect(balance).toMatchObject({ beforeMicro: 10 * KES, leftMicro: 12 * KES, unpriced: 0 });
  expect(balance.before.map(({ campaign }) => campaign.id)).toEqual(['now', 'same']);
  const short = planBalance({ creditMicro: 15 * KES, upperMicro: 8 * KES }, others, START);
  expect(short.leftMicro).toBe(-3 * KES);
});

test('more than ten are one sum, and messages without a price are counted and cost nothing', () => {
  const many = Array.from({ length: 13 }, (_, index) => planned(`c-${index}`, null));
  const balance = planBalance(
    { creditMicro: 100 * KES, upperMicro: KES },
    [...many, planned('x', null, null)],
    START,
  );
  expect(balance.before).toHaveLength(10);
  expect(balance).toMatchObject({
    more: { count: 3, costMicro: 15 * KES },
    beforeMicro: 65 * KES,
    leftMicro: 34 * KES,
    unpriced: 4,
  });
});

test.each([
  [null, 8 * KES],
  [9 * KES, null],
])('without a credit or a price (%s, %s) nobody knows what is left', (creditMicro, upperMicro) => {
  expect(planBalance({ creditMicro, upperMicro }, [planned('a', null)], START).leftMicro).toBeNull();
});

test('a plan begins at its start, a recurring one at its firing, and reminders with the day of their zone', () => {
  const forecast = { startsAt: START };
  const draft = (zone: string) => ({ settings: { zone } });
  const begins = (reminders: object | null, start: object, zone = 'Africa/Nairobi') =>
    beginOf({ reminders, draft: draft(zone) } as never, { startAt: null, firings: [], ...start }, forecast);
  expect(begins(null, {})).toBe(START);
  expect(begins(null, { startAt: START + HOUR })).toBe(START + HOUR);
  expect(begins(null, { firings: [START + 2 * HOUR, START + 30 * HOUR] })).toBe(START + 2 * HOUR);
  const days = { tally: { calendar: () => [{ date: '2026-11-28', count: 3 }] } };
  expect(new Date(begins(days, {})).toISOString()).toBe('2026-11-28T21:00:00.000Z');
  expect(new Date(begins(days, {}, 'America/New_York')).toISOString()).toBe('2026-11-29T05:00:00.000Z');
});
