import { describe, expect, it } from 'vitest';
import { judgeDelivery, judgeProbes, type NetworkFacts } from '../../../src/domain/pace/network-breaker.ts';

const NOBODY = { sent: 0, delivered: 0, undelivered: 0 };
const share = (sent: number, undelivered: number) => ({ sent, undelivered, delivered: sent - undelivered });

function judged(sent: number, undelivered: number, more: Partial<NetworkFacts> = {}): string | null {
  return judgeDelivery({ ...share(sent, undelivered), others: NOBODY, worst: null, ...more });
}

const ABSENT = 'AbsentSubscriber';

describe('delivery to one network', () => {
  it('has collapsed when most failed that was not so at the others', () => {
    expect(judged(100, 60, { others: share(200, 20), worst: ABSENT })).toBe(
      '60 of 100 were not delivered, most of them AbsentSubscriber; at the others 10 %',
    );
  });

  it('has not where it fails elsewhere as much: then it is the list or the sender, not the network', () => {
    expect(judged(100, 60, { others: share(200, 90) })).toBeNull();
  });

  it('with nothing to compare with has collapsed only when nearly nothing arrives', () => {
    expect(judged(100, 60, { others: share(29, 2) })).toBeNull();
    expect(judged(100, 79)).toBeNull();
    expect(judged(100, 80)).toBe('80 of 100 were not delivered');
  });

  it('is not judged by few messages, nor by those whose report is not there yet', () => {
    expect(judged(29, 29)).toBeNull();
    expect(judged(30, 30)).not.toBeNull();
    const early = { sent: 100, delivered: 0, undelivered: 49 };
    expect(judgeDelivery({ ...early, others: share(100, 0), worst: null })).toBeNull();
  });
});

describe('the ten messages that try a network', () => {
  it.each([
    [5, 0, -1, 'well'],
    [4, 5, -1, 'waiting'],
    [0, 6, -1, 'ill'],
    [0, 0, 2_999_999, 'waiting'],
    [0, 0, 3_000_000, 'ill'],
    [2, 1, 0, 'well'],
    [1, 0, 0, 'well'],
    [3, 3, 0, 'well'],
    [1, 2, 0, 'ill'],
  ] as const)(
    '%i delivered and %i not, %i ms after their time: %s',
    (delivered, undelivered, pastMs, verdict) => {
      expect(judgeProbes({ delivered, undelivered }, { probes: 10, pastMs })).toBe(verdict);
    },
  );
});

it.each([
  [1, 0, 'well'],
  [0, 1, 'ill'],
  [0, 0, 'waiting'],
] as const)(
  'the one message that tries a network: %i sent and %i failed: %s',
  (delivered, undelivered, is) => {
    expect(judgeProbes({ delivered, undelivered }, { probes: 1, pastMs: -1 })).toBe(is);
  },
);
