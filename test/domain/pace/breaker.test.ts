import { describe, expect, it } from 'vitest';
import {
  type Breaker,
  CLOSED,
  afterIll,
  afterProbe,
  afterWell,
  asksForPause,
  waitOf,
} from '../../../src/domain/pace/breaker.ts';

function illTimes(count: number, from: Breaker = CLOSED, now = 0): Breaker {
  let breaker = from;
  for (let time = 0; time < count; time += 1) breaker = afterIll(breaker, now);
  return breaker;
}

describe('the breaker', () => {
  it('opens at the fifth ill verdict in a row and not before', () => {
    expect(illTimes(4).state).toBe('closed');
    expect(illTimes(5)).toEqual({ state: 'open', until: 30_000, waitMs: 30_000, reopened: 0 });
  });

  it('forgets ill verdicts at the first one that is well', () => {
    expect(illTimes(4, afterWell(illTimes(4))).state).toBe('closed');
  });

  it('does not close for the late answer of a message that left before it opened', () => {
    expect(afterWell(illTimes(5)).state).toBe('open');
  });

  it('lets one message through after a balance call that is well', () => {
    expect(afterProbe(illTimes(5), true, 30_000).state).toBe('half_open');
  });

  it('doubles its wait, up to ten minutes, with every re-opening', () => {
    let breaker = illTimes(5);
    const waits: number[] = [];
    for (let time = 0; time < 6; time += 1) {
      breaker = afterProbe(breaker, false, 0);
      waits.push(waitOf(breaker, 0));
    }
    expect(waits).toEqual([60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
  });

  it('asks for a pause at the third re-opening in a row', () => {
    const asked: boolean[] = [];
    let breaker = illTimes(5);
    for (let time = 0; time < 3; time += 1) {
      breaker = afterIll(afterProbe(breaker, true, 0), 0);
      asked.push(asksForPause(breaker));
    }
    expect(asked).toEqual([false, false, true]);
  });

  it('closes after one message that is well', () => {
    expect(afterWell(afterProbe(illTimes(5), true, 0))).toEqual(CLOSED);
  });
});
