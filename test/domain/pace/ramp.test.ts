import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jointRate } from '../../../src/domain/pace/rate.ts';
import { rampedRate, rampNeedsMs, sendingGapMs } from '../../../src/domain/pace/ramp.ts';

const RAMP = { fromPerSecond: 5, overMs: 600_000 };

it('begins at the lower rate, rises evenly, and stays at the full one', () => {
  expect([0, 300_000, 600_000, 9_000_000].map((ms) => rampedRate(RAMP, 50, ms))).toEqual([5, 27.5, 50, 50]);
});

it('counts no more than a minute between two claims, but for a rate that is slower than that', () => {
  expect(sendingGapMs(800, 50)).toBe(800);
  expect(sendingGapMs(9 * 3_600_000, 50)).toBe(60_000);
  expect(sendingGapMs(90_000, 1 / 60)).toBe(90_000);
  expect(sendingGapMs(-3_600_000, 50)).toBe(0);
});

it('says how long so many messages take, as adding them up second by second does', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 41, max: 90 }),
      fc.integer({ min: 1, max: 900 }),
      fc.integer({ min: 1, max: 100 }),
      (count, fromPerSecond, full, overSeconds, cap) => {
        const ramp = { fromPerSecond, overMs: overSeconds * 1_000 };
        const stepMs = 50;
        let [sent, ms] = [0, 0];
        while (sent < count && ms < 100_000_000) {
          sent += (Math.min(cap, rampedRate(ramp, full, ms + stepMs / 2)) * stepMs) / 1_000;
          ms += stepMs;
        }
        const needs = rampNeedsMs(count, ramp, { full, kept: (rate) => Math.min(cap, rate) });
        expect(Math.abs(needs - ms)).toBeLessThanOrEqual(2 * stepMs + needs * 1e-3);
      },
    ),
    { numRuns: 60 },
  );
});

it('counts with what goes out under each limit on the way, which beside the slots of an account is a little less', () => {
  const kept = (rate: number) => jointRate(50, rate) ?? rate;
  const [beside, alone] = [kept, (rate: number) => rate].map((each) =>
    rampNeedsMs(27.5 * 600, RAMP, { full: 50, kept: each }),
  );
  expect(alone).toBeCloseTo(600_000, -2);
  expect(beside).toBeGreaterThan(605_000);
  expect(beside).toBeLessThan(610_000);
});
