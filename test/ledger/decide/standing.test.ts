import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Asked, type Failure, mayBeDead, standingOf } from '../../../src/ledger/decide/standing.ts';

const DAY = 24 * 3_600_000;
const failure = (campaign: string, day: number, effect: Failure['effect']): Failure => {
  return { campaign, sender: 'DUKA', effect, at: day * DAY };
};
const dead = (failures: Failure[], aliveDay: number | null = null) =>
  standingOf({ asked: [], failures, aliveAt: aliveDay === null ? null : aliveDay * DAY }).dead;

describe('a number counts as dead', () => {
  it.each([
    ['twice for good, in two campaigns', [failure('a', 1, 'permanent'), failure('b', 2, 'permanent')], true],
    ['twice for good, in one campaign', [failure('a', 1, 'permanent'), failure('a', 2, 'permanent')], false],
    ['once for good', [failure('a', 1, 'permanent')], false],
    ['away over 30 days, two campaigns', [failure('a', 1, 'absent'), failure('b', 31, 'absent')], true],
    ['away over 29 days', [failure('a', 1, 'absent'), failure('b', 30, 'absent')], false],
    ['away over 40 days in one campaign', [failure('a', 1, 'absent'), failure('a', 41, 'absent')], false],
    ['once for good and away before', [failure('a', 1, 'absent'), failure('b', 40, 'permanent')], true],
    ['opted out twice', [failure('a', 1, 'opted_out'), failure('b', 40, 'opted_out')], false],
  ])('%s: %#', (_, failures, expected) => {
    expect(dead(failures) !== null).toBe(expected);
  });

  it('only by what came after it last lived', () => {
    const failures = [
      failure('a', 1, 'permanent'),
      failure('b', 3, 'permanent'),
      failure('c', 5, 'permanent'),
    ];
    expect(dead(failures, 2)).toMatchObject({ at: 5 * DAY, evidence: 'a bad number in 2 campaigns' });
    expect(dead(failures, 4)).toBeNull();
  });

  it('and whether it lives matters only when it would count as dead', () => {
    const failures = [failure('a', 1, 'permanent'), failure('b', 2, 'permanent')];
    expect(mayBeDead({ asked: [], failures: failures.slice(0, 1) })).toBe(false);
    expect(mayBeDead({ asked: [], failures })).toBe(true);
    const removed = {
      at: 2 * DAY,
      sender: '',
      change: 'removed' as const,
      source: 'operator' as const,
      evidence: null,
    };
    expect(mayBeDead({ asked: [removed], failures })).toBe(false);
  });
});

describe('who opted out', () => {
  const asked = fc.record({
    at: fc.nat(20),
    sender: fc.constantFrom('', 'DUKA', 'OTHER'),
    change: fc.constantFrom('added' as const, 'removed' as const),
    source: fc.constantFrom('reply', 'operator'),
    evidence: fc.constant(null),
  });

  it('follows from the last removal and what came after it, and from nothing else', () => {
    fc.assert(
      fc.property(fc.array(asked), fc.nat(20), (events: Asked[], failedAt) => {
        const inOrder = events.toSorted((a, b) => a.at - b.at);
        const last = inOrder.findLastIndex(({ change }) => change === 'removed');
        const failures = [{ campaign: 'a', sender: 'DUKA', effect: 'opted_out' as const, at: failedAt }];
        const { optOuts } = standingOf({ asked: inOrder, failures, aliveAt: null });
        const expected = new Set(inOrder.slice(last + 1).map(({ sender }) => sender));
        if (failedAt > (inOrder[last]?.at ?? -1)) expected.add('DUKA');
        expect(new Set(optOuts.keys())).toEqual(expected);
      }),
    );
  });
});
