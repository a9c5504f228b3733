import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateCost, forecast } from '../../src/campaign/estimate.ts';

const NAIROBI = 'Africa/Nairobi';
/** Monday to Saturday, 08:00 to 18:00. */
const WINDOW = { fromMinute: 480, toMinute: 1080, days: [1, 2, 3, 4, 5, 6] };
/** Saturday 28 November 2026, 17:00 in Nairobi. */
const SATURDAY_17 = Date.UTC(2026, 10, 28, 14);
const HOUR_MS = 3_600_000;

test('a configured price wins over a learned one, and nothing is guessed without either', () => {
  const learned = [{ network: '1', segments: 2, costMicro: 1_600_000 }];
  expect(estimateCost(10, { configured: [1_000_000], learned })).toEqual({
    basis: 'configured',
    lowerMicro: 10_000_000,
    upperMicro: 10_000_000,
  });
  expect(estimateCost(10, { configured: null, learned })).toMatchObject({
    basis: 'learned',
    upperMicro: 8_000_000,
  });
  expect(estimateCost(10, { configured: null, learned: [] })).toEqual({
    basis: 'unknown',
    lowerMicro: null,
    upperMicro: null,
  });
});

test('whatever networks the messages go to, the cost lies between the two ends', () => {
  const price = fc.integer({ min: 1, max: 10_000_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), price), { minLength: 1 }), (messages) => {
      const prices = messages.map(([, each]) => each);
      const segments = messages.reduce((sum, [count]) => sum + count, 0);
      const cost = messages.reduce((sum, [count, each]) => sum + count * each, 0);
      const { lowerMicro, upperMicro } = estimateCost(segments, { configured: prices, learned: [] });
      expect(lowerMicro).toBeLessThanOrEqual(cost);
      expect(upperMicro).toBeGreaterThanOrEqual(cost);
    }),
  );
});

test('the slowest rate decides the end, which is held against the window', () => {
  const plan = {
    messages: 3_600,
    rates: [50, null, 1],
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
  expect(forecast({ ...plan, messages: 3_601 })).toMatchObject({ fits: false, goesOnAt: mondayAt8 });
});

test('outside of the window it begins when that opens: after Saturday evening on Monday morning', () => {
  const mondayAt8 = SATURDAY_17 + 39 * HOUR_MS;
  const plan = {
    messages: 1,
    rates: [1],
    window: WINDOW,
    zone: NAIROBI,
    startsAt: SATURDAY_17 + 2 * HOUR_MS,
  };
  expect(forecast(plan)).toMatchObject({
    startsAt: mondayAt8,
    finishesAt: mondayAt8 + 1_000,
    windowClosesAt: mondayAt8 + 10 * HOUR_MS,
    fits: true,
  });
});

test('a rate that rises takes longer, and the account holds beside it', () => {
  const ramp = { fromPerSecond: 1, overMs: 10_000 };
  const plan = { messages: 60, rates: [null, 11], window: null, zone: NAIROBI, startsAt: SATURDAY_17 };
  expect(forecast(plan).finishesAt).toBe(SATURDAY_17 + Math.ceil(60_000 / 11));
  expect(forecast({ ...plan, rises: { ramp, full: 11 } }).finishesAt).toBe(SATURDAY_17 + 10_000);
  // 15 while it rises to 5 in four seconds, 45 more at 5 a second.
  const held = forecast({ ...plan, rates: [5, 11], rises: { ramp, full: 11 } });
  expect(held.finishesAt).toBe(SATURDAY_17 + 4_000 + Math.ceil((48 / 5) * 1_000));
});

test('without a rate nobody can tell when it ends, and without a window it always fits', () => {
  const plan = { messages: 9, rates: [null], window: WINDOW, zone: NAIROBI, startsAt: SATURDAY_17 };
  expect(forecast(plan)).toMatchObject({ ratePerSecond: null, finishesAt: null, fits: null });
  expect(forecast({ ...plan, window: null })).toMatchObject({ windowClosesAt: null, fits: true });
});
