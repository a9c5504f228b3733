import { describe, expect, it } from 'vitest';
import { afterThrottle, EventRate, FULL_PACE, recovered } from '../../../src/domain/pace/pace.ts';

describe('the pace', () => {
  it('is halved once for each complaint, and never below a sixty-fourth', () => {
    const once = afterThrottle(FULL_PACE, 10_000);
    expect(once.share).toBe(0.5);
    expect(afterThrottle(once, 14_999)).toBe(once);
    expect(afterThrottle(once, 15_000).share).toBe(0.25);
    let pace = FULL_PACE;
    for (let complaint = 0; complaint < 9; complaint += 1) pace = afterThrottle(pace, complaint * 5_000);
    expect(pace.share).toBe(1 / 64);
  });

  it('recovers by a tenth for each whole second, whenever it is looked at, and to no more than all of the rate', () => {
    const half = afterThrottle(FULL_PACE, 10_000);
    expect(recovered(half, 10_999)).toBe(half);
    expect(recovered(half, 11_000)).toMatchObject({ share: 0.55, changedAt: 11_000 });
    expect(recovered(half, 11_999)).toMatchObject({ share: 0.55, changedAt: 11_000 });
    let looked = half;
    for (let now = 10_000; now <= 13_000; now += 300) looked = recovered(looked, now);
    expect(looked.share).toBeCloseTo(recovered(half, 13_000).share);
    expect(recovered(half, 17_000).share).toBeLessThan(1);
    expect(recovered(half, 18_000).share).toBe(1);
    // What is said of the complaint stays: the next one, soon after, is the same.
    expect(afterThrottle(recovered(half, 12_000), 14_000).share).toBeGreaterThan(0.5);
  });
});

it('a rate is that of the last full second, of the present one where it is higher, and of none before a pause', () => {
  const rate = new EventRate();
  const add = (now: number, count: number) => {
    for (let one = 0; one < count; one += 1) rate.add(now);
  };
  expect(rate.perSecond()).toBe(0);
  add(10_000, 8);
  expect(rate.perSecond()).toBe(8);
  add(10_999, 2);
  add(11_000, 1);
  expect(rate.perSecond()).toBe(10);
  add(11_500, 19);
  expect(rate.perSecond()).toBe(20);
  add(13_000, 1);
  expect(rate.perSecond()).toBe(10);
  add(13_900, 29);
  add(16_000, 1);
  expect(rate.perSecond()).toBe(1);
});
