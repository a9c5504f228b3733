import { describe, expect, it } from 'vitest';
import { judgeDelivery, judgeProbes, type NetworkFacts } from '../../../src/domain/pace/network-delivery.ts';

const NOBODY = { sent: 0, delivered: 0, undelivered: 0 };
const share = (sent: number, undelivered: number) => ({ sent, undelivered, delivered: sent - undelivered });

function judged(sent: number, undelivered: number, more: Partial<NetworkFacts> = {}): string | null {
  return judgeDelivery({ ...share(sent, undelivered), usual: NOBODY, others: NOBODY, worst: null, ...more });
}

const ABSENT = { word: 'AbsentSubscriber', count: 60, isNew: false };

describe('delivery to one network', () => {
  it('has collapsed when most failed that was not so at the others', () => {
    expect(judged(100, 60, { others: share(200, 20), worst: ABSENT })).toBe(
      '60 of 100 were not delivered, most of them AbsentSubscriber; at the others 10 %',
    );
  });

  it('has not where it fails elsewhere as much: then it is the list or the sender, not the network', () => {
    expect(judged(100, 60, { others: share(200, 90) })).toBeNull();
  });

  it('is held against what is usual of it first: a network that is always bad is no news', () => {
    expect(judged(100, 60, { usual: share(100, 55), others: share(200, 0) })).toBeNull();
    expect(judged(100, 60, { usual: share(30, 2), others: share(200, 120) })).toContain('here before 7 %');
    expect(judged(100, 60, { usual: share(29, 2), others: share(30, 9) })).toContain('at the others 30 %');
    expect(judged(100, 60, { usual: share(29, 2), others: share(29, 2) })).toBeNull();
  });

  it('with nothing to compare with has collapsed only when nearly nothing arrives', () => {
    expect(judged(100, 79)).toBeNull();
    expect(judged(100, 80)).toBe('80 of 100 were not delivered');
  });

  it('has collapsed when half of it fails with a word that nobody met before', () => {
    const worst = { word: 'InvalidSource', count: 50, isNew: true };
    const others = share(200, 90);
    expect(judged(100, 50, { worst, others })).toContain('InvalidSource, a word that is new');
    expect(judged(100, 55, { worst: { ...worst, isNew: false }, others })).toBeNull();
    expect(judged(100, 55, { worst: { ...worst, count: 49 }, others })).toBeNull();
  });

  it('is not judged by few messages, nor by those whose report is not there yet', () => {
    expect(judged(29, 29)).toBeNull();
    expect(judged(30, 30)).not.toBeNull();
    const early = { sent: 100, delivered: 0, undelivered: 49 };
    expect(judgeDelivery({ ...early, usual: NOBODY, others: share(100, 0), worst: null })).toBeNull();
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
      expect(judgeProbes({ delivered, undelivered }, pastMs)).toBe(verdict);
    },
  );
});
