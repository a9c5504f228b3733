import { describe, expect, it } from 'vitest';
import { parseRate, rateWords } from '../../../src/domain/pace/rate.ts';

describe('rateWords', () => {
  it.each(['50/s', '1/s', '12.5/s', '30/min', '1/min', '20/h', '0.5/h'])(
    'says %s as it is written',
    (text) => {
      expect(rateWords(parseRate(text)?.perSecond ?? 0)).toBe(text);
    },
  );
});

describe('parseRate', () => {
  it.each([
    ['50/s', 50],
    ['50', 50],
    ['50 / s', 50],
    ['600/min', 10],
    ['3600/h', 1],
    ['5/sec', 5],
    ['600/m', 10],
    ['3600/hour', 1],
    ['0.5/s', 0.5],
    ['1000000/s', 1_000_000],
  ])('reads %j as messages a second', (text, perSecond) => {
    expect(parseRate(text)).toEqual({ perSecond });
  });

  it('has no limit with `unlimited`', () => {
    expect(parseRate(' unlimited ')).toEqual({ perSecond: null });
  });

  it.each(['', '0', '0/s', '-5/s', '5/day', 'fast', '1e3/s', '1000001/s', '50/', '/s', 'Infinity'])(
    'does not guess at %j',
    (text) => {
      expect(parseRate(text)).toBeNull();
    },
  );
});
