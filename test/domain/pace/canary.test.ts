import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CanaryCounts, canaryWords, judgeCanary } from '../../../src/domain/pace/canary.ts';

const RULE = { first: 50, waitMs: 900_000, delivered: 0.8 };
const SENT_AT = 1_000_000;

function counts(changes: Partial<CanaryCounts> = {}): CanaryCounts {
  const none = { open: 0, sent: 50, delivered: 0, undelivered: 0, rejected: 0 };
  const beside = { skipped: 0, canceled: 0, uncertain: 0 };
  return { messages: 50, leftAt: SENT_AT, ...none, ...beside, ...changes };
}

const judge = (changes: Partial<CanaryCounts>, now = SENT_AT + 1) => judgeCanary(RULE, counts(changes), now);
const LATE = SENT_AT + RULE.waitMs;

describe('a canary', () => {
  it('is not judged while one of its messages is still to be sent', () => {
    expect(judge({ open: 1, sent: 49, delivered: 49 }).verdict).toBe('sending');
    expect(judge({ leftAt: null, sent: 0 }).verdict).toBe('sending');
  });

  it('passes as soon as reports that are still to come cannot change it, and not one report before', () => {
    expect(judge({ delivered: 40 }).verdict).toBe('passed');
    expect(judge({ delivered: 39 })).toEqual({ verdict: 'waiting', until: LATE });
  });

  it('passes with exactly the share that is asked for, whatever the share: 55 of 100 are 55 %', () => {
    for (let percent = 1; percent <= 100; percent += 1) {
      const rule = { ...RULE, delivered: percent / 100 };
      const judged = judgeCanary(rule, counts({ sent: 100, delivered: percent }), SENT_AT + 1);
      expect({ percent, ...judged }).toEqual({ percent, verdict: 'passed' });
      const failed = judgeCanary(rule, counts({ sent: 100, undelivered: 101 - percent }), SENT_AT + 1);
      expect({ percent, verdict: failed.verdict }).toEqual({ percent, verdict: 'failed' });
    }
  });

  it('fails as soon as it cannot pass any more, and not one report before', () => {
    expect(judge({ undelivered: 11 }).verdict).toBe('failed');
    expect(judge({ undelivered: 10 }).verdict).toBe('waiting');
  });

  it('is judged by what was reported when the wait is over', () => {
    expect(judge({ delivered: 8, undelivered: 2 }, LATE).verdict).toBe('passed');
    expect(judge({ delivered: 7, undelivered: 2 }, LATE).verdict).toBe('failed');
    expect(judge({ delivered: 8, undelivered: 2 }, LATE - 1).verdict).toBe('waiting');
  });

  it('fails without any report, and without any message that was sent', () => {
    expect(judge({}, LATE)).toEqual({ verdict: 'failed', why: 'no delivery report came' });
    expect(judge({ sent: 0, rejected: 50 }).verdict).toBe('failed');
    // All of them opted out: nobody knows anything of the text, and the rest must not follow.
    expect(judge({ sent: 0, skipped: 50 }).verdict).toBe('failed');
    expect(judge({ messages: 1, sent: 1, delivered: 1 }).verdict).toBe('passed');
    const half = judgeCanary({ ...RULE, delivered: 0.5 }, counts({ delivered: 1, undelivered: 1 }), LATE);
    expect(half.verdict).toBe('passed');
  });

  it('counts what the service refused as a failure', () => {
    expect(judge({ sent: 40, rejected: 10, delivered: 40 }).verdict).toBe('passed');
    expect(judge({ sent: 39, rejected: 11, delivered: 39 }).verdict).toBe('failed');
  });

  it('never changes a verdict that was given early, whatever is reported later', () => {
    const split = fc.record({
      delivered: fc.integer({ min: 0, max: 25 }),
      undelivered: fc.integer({ min: 0, max: 25 }),
      more: fc.integer({ min: 0, max: 50 }),
      rest: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(split, ({ delivered, undelivered, more, rest }) => {
        const early = judge({ delivered, undelivered }).verdict;
        if (early === 'waiting') return;
        const reported = Math.min(more, 50 - delivered - undelivered);
        const good = Math.round(reported * rest);
        const end = judge({ delivered: delivered + good, undelivered: undelivered + reported - good }, LATE);
        expect(end.verdict).toBe(early);
      }),
    );
  });

  it('tells how it stands in a line', () => {
    const progress = { counts: counts({ delivered: 41 }), rule: RULE, why: null };
    const waiting = { ...progress, verdict: 'waiting', until: LATE } as const;
    expect(canaryWords(waiting, LATE - 350_000)).toBe('41 of 50 delivered, 80 % needed, 6 min left');
    expect(canaryWords(waiting, LATE - 59_000)).toBe('41 of 50 delivered, 80 % needed, 59 s left');
    expect(canaryWords(waiting, LATE - 60_000)).toBe('41 of 50 delivered, 80 % needed, 1 min left');
    expect(canaryWords(waiting, LATE)).toBe('41 of 50 delivered, 80 % needed, time is up');
    const few = { ...waiting, counts: counts({ delivered: 8 }) };
    expect(canaryWords(few, LATE)).toBe('8 of 50 delivered, 80 % needed, time is up');
    const overridden = { ...waiting, verdict: 'overridden', until: null, why: 'it had failed' } as const;
    expect(canaryWords(overridden, LATE)).toBe('41 of 50 delivered, 80 % needed, overridden');
    expect(
      canaryWords({ ...progress, verdict: 'failed', until: null, why: 'no delivery report came' }, 0),
    ).toBe('41 of 50 delivered, 80 % needed, no delivery report came');
  });

  it.each([
    ['8 of 8 delivered (12 skipped)', { messages: 20, sent: 8, delivered: 8, skipped: 12 }],
    [
      '8 of 9 delivered (3 skipped, 2 canceled, 1 uncertain)',
      { messages: 15, sent: 9, delivered: 8, skipped: 3, canceled: 2, uncertain: 1 },
    ],
    [
      '8 of 10 delivered (40 without a report)',
      { messages: 50, sent: 49, delivered: 8, undelivered: 1, rejected: 1 },
    ],
    ['48 of 50 delivered', { messages: 50, sent: 50, delivered: 48 }],
  ])('says %s of one that passed: the share that it passed by', (words, changes) => {
    const progress = { rule: RULE, verdict: 'passed', until: null, why: null } as const;
    expect(canaryWords({ ...progress, counts: counts(changes) }, 0)).toBe(`${words}, 80 % needed, passed`);
  });
});
