import { beforeEach, describe, expect, it } from 'vitest';
import { Health } from '../../../src/campaign/sending/health.ts';
import type { Verdict } from '../../../src/campaign/sending/verdict.ts';

let now = 0;
let health: Health;
const log = { debug() {}, info() {}, warn() {}, error() {} };
const outcome = {
  campaign: 1,
  seq: 1,
  attempt: 1,
  sendMs: 1,
  evidence: null,
  to: 'uncertain',
  reason: 'no answer in time',
} as const;
const plain: Verdict = { outcome, pause: null, complaint: null, health: 'neutral', holdMs: null };
const well: Verdict = { ...plain, health: 'well' };
const ill: Verdict = { ...plain, health: 'ill' };
const sender: Verdict = { ...plain, complaint: 'sender' };
const throttled: Verdict = { ...plain, holdMs: 2_000 };

beforeEach(() => {
  now = 0;
  const clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() };
  health = new Health({ clock, log });
});

const left = (dispatchedAt: number) => ({ campaign: 1, dispatchedAt });

/** So many verdicts a millisecond apart, all of messages that left when they were answered. */
function note(verdicts: Verdict[]): void {
  for (const verdict of verdicts) health.note(verdict, left((now += 1)));
}

it('a verdict that pauses by itself does so, and one that repeats as its row says', () => {
  const answers = [{ ...plain, pause: 'balance' as const }, sender, sender, sender];
  const pauses = answers.map((verdict) => health.note(verdict, left((now += 1))));
  expect(pauses).toEqual(['balance', null, null, 'sender']);
});

it('rests as long as the longest that was asked for', () => {
  health.rest(5_000);
  health.rest(1_000);
  expect([health.waitMs(), health.limit(128)]).toEqual([5_000, 0]);
});

describe('an outage', () => {
  it('begins with the first failure, lasts until a message goes through, and is logged at both ends', () => {
    const lines: string[] = [];
    const add = (_facts: object, words: string) => void lines.push(words);
    const clock = { now: () => 1_000_000 + now, monotonic: () => now, sleep: () => Promise.resolve() };
    health = new Health({ clock, log: { debug: add, info: add, warn: add, error: add } });
    note([ill, well, ill, ill]);
    expect(health.outage).toBeNull();
    note([ill, ill, ill]);
    expect(health.outage).toEqual({ since: 1_000_003, nextTryAt: 1_000_007 + 30_000 });
    now += 30_000;
    health.probed(true);
    health.balanceRead();
    expect(health.outage).toMatchObject({ since: 1_000_003 });
    expect(lines).toEqual(['the service is ill: sending waits']);
    note([well]);
    expect(health.outage).toBeNull();
    expect(lines.slice(1)).toEqual(['the service is well again: sending goes on']);
  });

  it('also begins with a balance that cannot be read, and ends when it is read', () => {
    health.balanceUnreadable(30_000);
    expect(health.outage).toEqual({ since: 0, nextTryAt: 30_000 });
    now += 30_000;
    health.balanceRead();
    expect(health.outage).toBeNull();
  });

  it('is none when this process rests for a reason of its own', () => {
    health.rest(5_000);
    expect(health.outage).toBeNull();
  });
});

describe('the rate after throttles', () => {
  it('is as configured before any', () => {
    note([well]);
    expect([health.rate(null), health.rate(9)]).toEqual([null, 9]);
  });

  it('is not touched by one throttle in a hundred', () => {
    for (let hundred = 0; hundred < 20; hundred += 1)
      note([...Array.from({ length: 99 }, () => well), throttled]);
    expect(health.rate(1_000)).toBe(1_000);
    expect(health.waitMs()).toBe(0);
  });

  it('is halved when one in ten is throttled, once for the complaints of five seconds', () => {
    for (let ten = 0; ten < 30; ten += 1) note([...Array.from({ length: 9 }, () => well), throttled]);
    expect(health.rate(1_000)).toBe(500);
  });

  it('recovers slowly, and never above what is configured', () => {
    note([throttled]);
    now += 3_000;
    expect(health.rate(1_000)).toBeCloseTo(500 * 1.1 ** 3, 3);
    now += 60_000;
    expect(health.rate(1_000)).toBe(1_000);
  });

  it('gives an unlimited rate a bound, from the tempo at which it was throttled', () => {
    note([...Array.from({ length: 400 }, () => well), ...Array.from({ length: 40 }, () => throttled)]);
    const rate = health.rate(null) ?? Infinity;
    expect(rate).toBeGreaterThan(150);
    expect(rate).toBeLessThan(450);
  });

  it('is held as long as the longest that was asked for, and never for more than ten minutes', () => {
    note([throttled, { ...throttled, holdMs: 86_400_000 }, throttled]);
    expect(health.waitMs()).toBe(600_000 - 1);
  });

  it('is held as long as the service asks at the second throttle in a row, but not at the first', () => {
    note([well, throttled]);
    expect(health.waitMs()).toBe(0);
    note([throttled]);
    expect(health.waitMs()).toBe(2_000);
    expect(health.limit(128)).toBe(0);
  });
});

describe('ill signs in a row', () => {
  it('open the breaker at the fifth', () => {
    note([ill, ill, ill, ill]);
    expect(health.limit(128)).toBe(128);
    note([ill]);
    expect(health.limit(128)).toBe(0);
  });

  it('do not count when a message that left later was answered', () => {
    health.note(well, left(100));
    for (let time = 0; time < 10; time += 1) health.note(ill, left(50));
    expect(health.limit(128)).toBe(128);
  });

  it('let one message through after a probe that is well, and pause at the third re-opening', () => {
    note([ill, ill, ill, ill, ill]);
    const pauses: (string | null)[] = [];
    for (let time = 0; time < 3; time += 1) {
      now += 600_000;
      health.probed(true);
      expect(health.limit(128)).toBe(1);
      pauses.push(health.note(ill, left((now += 1))));
    }
    expect(pauses).toEqual([null, null, 'errors']);
  });

  it('let nothing out before a probe when the wait is over, and all again when one message went well', () => {
    note([ill, ill, ill, ill, ill]);
    now += 30_000;
    expect([health.waitMs(), health.limit(128)]).toEqual([0, 0]);
    health.probed(true);
    note([well]);
    expect([health.breakerState, health.limit(128)]).toEqual(['closed', 128]);
  });

  it('go on with probes that are ill: of those that come back together one counts, and the third pauses once', () => {
    note([ill, ill, ill, ill, ill]);
    const tired = [1, 2, 3].flatMap(() => {
      now += 600_000;
      return [health.probed(false), health.breakerState === 'closed' ? null : health.probed(false)];
    });
    expect(tired).toEqual([false, false, false, false, true, null]);
    expect(health.limit(128)).toBe(128);
  });
});
