import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costParts, type CostPart, estimateCost, forecast } from '../../../src/campaign/planning/estimate.ts';
import { chargedMore } from '../../../src/campaign/planning/plan-facts.ts';
import { campaignSpacing, SLOT_ROUNDING, spacingMs } from '../../../src/domain/pace/rate.ts';
import type { KnownPrice } from '../../../src/ledger/contracts/records.ts';
import { calendarAt, freeSlots } from '../../../src/ledger/decide/rate-grid.ts';

const NAIROBI = 'Africa/Nairobi';
/** Monday to Saturday, 08:00 to 18:00. */
const WINDOW = { fromMinute: 480, toMinute: 1080, days: [1, 2, 3, 4, 5, 6] };
/** Saturday 28 November 2026, 17:00 in Nairobi. */
const SATURDAY_17 = Date.UTC(2026, 10, 28, 14);
const HOUR_MS = 3_600_000;
/** 0.96 of each limit is used. */
const IN_AN_HOUR = 3_456;
const HOME = { home: 'KE', abroad: {} };
/** Messages of one segment to numbers at home. */
const atHome = (segments: number) => new Map([['KE', { messages: segments, segments }]]);

test('a configured price wins over a learned one, and nothing is guessed without either', () => {
  const learned = [{ network: '1', segments: 2, costMicro: 1_600_000 }];
  expect(estimateCost(atHome(10), { ...HOME, configured: [1_000_000], learned })).toEqual({
    basis: 'configured',
    lowerMicro: 10_000_000,
    upperMicro: 10_000_000,
    heldMicro: 10_000_000,
    unpriced: [],
    othersMicro: null,
  });
  expect(estimateCost(atHome(10), { ...HOME, configured: null, learned })).toMatchObject({
    basis: 'learned',
    upperMicro: 8_000_000,
  });
  expect(estimateCost(atHome(10), { ...HOME, configured: null, learned: [] })).toEqual({
    basis: 'unknown',
    lowerMicro: null,
    upperMicro: null,
    heldMicro: null,
    unpriced: [],
    othersMicro: null,
  });
});

test('a country abroad costs its own price, and is unknown without one: never the home price', () => {
  const countries = new Map([...atHome(10), ['TZ', { messages: 3, segments: 6 }]]);
  const prices = { home: 'KE', configured: [1_000_000], learned: [] };
  expect(estimateCost(countries, { ...prices, abroad: { TZ: 2_000_000 } })).toMatchObject({
    lowerMicro: 22_000_000,
    upperMicro: 22_000_000,
    unpriced: [],
  });
  const onlyAbroad = new Map([['TZ', { messages: 3, segments: 6 }]]);
  expect(
    estimateCost(onlyAbroad, { home: 'KE', configured: null, learned: [], abroad: { TZ: 2_000_000 } }),
  ).toMatchObject({ basis: 'configured', upperMicro: 12_000_000 });
  expect(estimateCost(countries, { ...prices, abroad: { UG: 2_000_000 } })).toEqual({
    basis: 'configured',
    lowerMicro: null,
    upperMicro: null,
    heldMicro: null,
    unpriced: [{ country: 'TZ', messages: 3 }],
    othersMicro: { lowerMicro: 10_000_000, upperMicro: 10_000_000 },
  });
});

test('a number whose last network is known costs its price, and the others a range', () => {
  const learned = [
    { network: 'A', segments: 1, costMicro: 800_000 },
    { network: 'B', segments: 2, costMicro: 2_400_000 },
  ];
  const networks = new Map([
    ['A', { messages: 9, segments: 10 }],
    ['C', { messages: 5, segments: 5 }],
  ]);
  const countries = new Map([['KE', { messages: 20, segments: 20, networks }]]);
  expect(estimateCost(countries, { ...HOME, configured: null, learned })).toMatchObject({
    basis: 'learned',
    lowerMicro: 16_000_000,
    upperMicro: 20_000_000,
    heldMicro: 24_000_000,
  });
  expect(estimateCost(countries, { ...HOME, configured: [1_000_000], learned })).toMatchObject({
    lowerMicro: 20_000_000,
    upperMicro: 20_000_000,
  });
});

test('the parts of a cost come to it, and each message stands in one of them', () => {
  const learned = [
    { network: 'A', segments: 1, costMicro: 800_000 },
    { network: 'B', segments: 2, costMicro: 2_400_001 },
  ];
  const networks = new Map([
    ['A', { messages: 9, segments: 10 }],
    ['C', { messages: 5, segments: 6 }],
  ]);
  const countries = new Map([
    ['KE', { messages: 20, segments: 25, networks }],
    ['UG', { messages: 2, segments: 3 }],
  ]);
  const prices = { home: 'KE', configured: null, learned, abroad: { UG: 2_000_000 } };
  const parts = costParts(countries, prices);
  expect(parts.map(({ country, network, messages }) => [country, network, messages])).toEqual([
    ['KE', 'A', 9],
    ['KE', null, 11],
    ['UG', null, 2],
  ]);
  const { lowerMicro, upperMicro } = estimateCost(countries, prices);
  const sum = (of: (part: CostPart) => number | null) =>
    parts.reduce((total, part) => total + (of(part) ?? 0), 0);
  expect([sum((part) => part.lowerMicro), sum((part) => part.upperMicro)]).toEqual([lowerMicro, upperMicro]);
  expect(costParts(countries, { ...prices, abroad: {} }).at(-1)?.upperMicro).toBeNull();
});

test('a charge of more segments than counted is found where one price is set', () => {
  const learned = [{ network: 'A', segments: 1, costMicro: 1_600_000 }];
  expect(chargedMore({ configured: [800_000], learned })).toEqual({ charged: 2, counted: 1 });
  expect(chargedMore({ configured: [1_600_000], learned })).toBeNull();
  expect(chargedMore({ configured: [1_000_000], learned })).toBeNull();
  expect(chargedMore({ configured: null, learned })).toBeNull();
});

test('a price that does not divide by its segments is rounded down at the lower end and up at the upper one', () => {
  const learned = [{ network: '1', segments: 3, costMicro: 1_000_000 }];
  expect(estimateCost(atHome(3), { ...HOME, configured: null, learned })).toMatchObject({
    lowerMicro: 1_000_000,
    upperMicro: 1_000_002,
  });
});

test('whatever networks the messages go to, the cost lies between the two ends', () => {
  const price = fc.integer({ min: 1, max: 10_000_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), price), { minLength: 1 }), (messages) => {
      const prices = messages.map(([, each]) => each);
      const segments = messages.reduce((sum, [count]) => sum + count, 0);
      const cost = messages.reduce((sum, [count, each]) => sum + count * each, 0);
      const { lowerMicro, upperMicro } = estimateCost(atHome(segments), {
        ...HOME,
        configured: prices,
        learned: [],
      });
      expect(lowerMicro).toBeLessThanOrEqual(cost);
      expect(upperMicro).toBeGreaterThanOrEqual(cost);
    }),
  );
});

test('the ends of the cost are whole micros, rounded away from each other', () => {
  const learned = [{ costMicro: 1_000_001, segments: 2 }] as KnownPrice[];
  const cost = estimateCost(atHome(1), { ...HOME, configured: null, learned });
  expect(cost).toMatchObject({ basis: 'learned', lowerMicro: 500_000, upperMicro: 500_001 });
});

test('the slowest rate decides the end, which is held against the window', () => {
  const plan = {
    messages: IN_AN_HOUR,
    account: 50,
    campaign: 1,
    window: WINDOW,
    zone: NAIROBI,
    startsAt: SATURDAY_17,
  };
  expect(forecast(plan)).toEqual({
    ratePerSecond: 1,
    startsAt: SATURDAY_17,
    finishesAt: SATURDAY_17 + HOUR_MS,
    windowClosesAt: SATURDAY_17 + HOUR_MS,
    fits: true,
    goesOnAt: null,
  });
  const mondayAt8 = SATURDAY_17 + 39 * HOUR_MS;
  expect(forecast({ ...plan, messages: IN_AN_HOUR + 1 })).toMatchObject({ fits: false, goesOnAt: mondayAt8 });
});

test('what does not fit goes on in the next hours, day after day, and is no forecast after more than a year', () => {
  const seen = { account: 1, campaign: null, measured: true };
  const plan = { ...seen, window: WINDOW, zone: NAIROBI, startsAt: SATURDAY_17 };
  const finishOf = (hours: number) => forecast({ ...plan, messages: hours * 3_600 }).finishesAt;
  const mondayAt8 = SATURDAY_17 + 39 * HOUR_MS;
  expect(finishOf(2)).toBe(mondayAt8 + HOUR_MS);
  expect(finishOf(1 + 10 + 3)).toBe(mondayAt8 + 27 * HOUR_MS);
  expect(forecast({ ...plan, messages: 1e9 })).toMatchObject({ finishesAt: null, fits: false });
});

test.each([
  [50, 5, 5],
  [5, 50, 5],
  [50, null, 50],
  [null, 5, 5],
  [null, null, null],
])('of an account at %s and a campaign at %s a second, %s is said', (account, campaign, rate) => {
  const plan = { messages: 1, account, campaign, window: null, zone: NAIROBI, startsAt: SATURDAY_17 };
  expect(forecast(plan).ratePerSecond).toBe(rate);
});

test('outside of the window it begins when that opens: after Saturday evening on Monday morning', () => {
  const mondayAt8 = SATURDAY_17 + 39 * HOUR_MS;
  const plan = {
    messages: 1,
    account: 1,
    campaign: null,
    window: WINDOW,
    zone: NAIROBI,
    startsAt: SATURDAY_17 + 2 * HOUR_MS,
  };
  expect(forecast(plan)).toMatchObject({
    startsAt: mondayAt8,
    finishesAt: mondayAt8 + 1_042,
    windowClosesAt: mondayAt8 + 10 * HOUR_MS,
    fits: true,
  });
});

test('the forecast ends with the last of the slots that the ledger gives, whatever the rates', () => {
  const rate = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.constantFrom(1 / 60, 0.5, 30, 40, 48, 50));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), rate, fc.option(rate), (messages, account, campaign) => {
      // At some rates the last bit of a number decides which slot is the next.
      const shares = SLOT_ROUNDING / ((account / (campaign ?? account)) % 1);
      fc.pre(shares > 1e6 || Math.abs(shares - Math.round(shares)) > 1e-6);
      const spacing = spacingMs(account);
      const grid = { origin: 0, spacing: 0, taken: new Uint8Array() };
      const { nextAt } = freeSlots({
        now: SATURDAY_17,
        count: messages,
        until: Infinity,
        account: calendarAt(grid, { spacing, now: SATURDAY_17 }),
        campaign: campaign === null ? null : { next: SATURDAY_17, ...campaignSpacing(account, campaign) },
      });
      const plan = { messages, account, campaign, window: null, zone: NAIROBI, startsAt: SATURDAY_17 };
      const neededMs = (forecast(plan).finishesAt ?? 0) - SATURDAY_17;
      expect(Math.abs(neededMs - (nextAt - SATURDAY_17))).toBeLessThan(1 + spacing + neededMs / 1e6);
    }),
  );
});

test('a rate that was measured is what goes out', () => {
  const seen = { messages: 3_600, account: 1, campaign: null, measured: true };
  const { finishesAt } = forecast({ ...seen, window: null, zone: NAIROBI, startsAt: SATURDAY_17 });
  expect(finishesAt).toBe(SATURDAY_17 + HOUR_MS);
});

test('without a rate nobody can tell when it ends, and without a window it always fits', () => {
  const plan = {
    messages: 9,
    account: null,
    campaign: null,
    window: WINDOW,
    zone: NAIROBI,
    startsAt: SATURDAY_17,
  };
  expect(forecast(plan)).toMatchObject({ ratePerSecond: null, finishesAt: null, fits: null });
  expect(forecast({ ...plan, window: null })).toMatchObject({ windowClosesAt: null, fits: true });
});
