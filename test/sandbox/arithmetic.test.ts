import * as fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { describe, expect, it } from 'vitest';
import { chance } from '../../src/sandbox/faults/chance.ts';
import { firstSerial, messageId, numericId } from '../../src/sandbox/api/message-ids.ts';
import { readAmount, writeAmount, writeCredit } from '../../src/sandbox/money.ts';
import { internationalMobile } from '../../src/sandbox/numbers.ts';
import { countSegments } from '../../src/sandbox/segments.ts';

describe('money', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e14 }), (micro) => {
        expect(readAmount(writeAmount(micro))).toBe(micro);
      }),
    );
  });

  it('is shown as a credit with two decimals and never rounded up', () => {
    expect([0, 999_999, 96_995_000, 5_000_000].map(writeCredit)).toEqual(['0.00', '0.99', '96.99', '5.00']);
  });

  it.each(['', '-1', '+1', '1,50', '1e3', '.5', '1.', '1.1234567', ' 1', 'NaN'])('refuses %j', (text) => {
    expect(readAmount(text)).toBeNull();
  });
});

describe('segments', () => {
  it.each([
    ['', 1],
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['a'.repeat(306), 2],
    ['a'.repeat(307), 3],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    [`${'a'.repeat(152)}€${'a'.repeat(152)}€`, 3],
    ['ç'.repeat(70), 1],
    ['ç'.repeat(71), 2],
    ['ç'.repeat(134), 2],
    ['ç'.repeat(135), 3],
    ['😀'.repeat(35), 1],
    ['😀'.repeat(67), 3],
  ])('counts %j as %i', (text, segments) => {
    expect(countSegments(text)).toBe(segments);
  });

  it('agrees with the public calculator on any text', () => {
    const alphabet = fc.constantFrom(...Array.from('aZ 9€^{}[]~|\\@£çÇé😀—ñ`\n'));
    const text = fc.string({ unit: alphabet, minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(text, (message) => {
        expect(countSegments(message)).toBe(new SegmentedMessage(message).segmentsCount);
      }),
    );
  });
});

describe('numbers', () => {
  it.each(['254712345678', '0712345678', '712345678'])('takes the shape %s', (text) => {
    expect(internationalMobile(text)).toBe('254712345678');
  });

  it.each([
    '+254712345678',
    '00254712345678',
    '0712 345678',
    '25471234567',
    '07123456789',
    '0202345678',
    'abc',
    '',
  ])('refuses %j', (text) => {
    expect(internationalMobile(text)).toBeNull();
  });
});

describe('message ids', () => {
  it('never repeat, over all spellings', () => {
    const first = firstSerial(Date.UTC(2026, 10, 20));
    const ids = Array.from({ length: 100_000 }, (_, index) => messageId(first + index));
    expect(new Set(ids).size).toBe(ids.length);
    expect(Number.isSafeInteger(first + ids.length)).toBe(true);
  });

  it('can be asked for as a number of twenty digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 53 - 20 }), (serial) => {
        expect(numericId(serial)).toMatch(/^9\d{19}$/);
      }),
    );
  });
});

describe('chance', () => {
  it('is spread evenly, and depends on seed and key', () => {
    const draws = Array.from({ length: 20_000 }, (_, index) => chance(5, `fault:2547000${index}`));
    for (const edge of [0.02, 0.25, 0.5, 0.9]) {
      const share = draws.filter((draw) => draw < edge).length / draws.length;
      expect(Math.abs(share - edge)).toBeLessThan(0.015);
    }
    expect(chance(5, 'a')).toBe(chance(5, 'a'));
    expect(chance(5, 'a')).not.toBe(chance(6, 'a'));
  });
});
