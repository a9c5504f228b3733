import * as fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { describe, expect, it } from 'vitest';
import { isGsm } from '../../../src/domain/text/gsm.ts';
import { countSegments, ucs2Characters } from '../../../src/domain/text/segments.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const GSM_CHARACTERS = Array.from({ length: 0x1_00_00 }, (_, unit) => String.fromCharCode(unit)).filter(
  isGsm,
);
const gsmText = fc.string({ unit: fc.constantFrom(...GSM_CHARACTERS), maxLength: 700, size: 'max' });
const anyText = fc.oneof(gsmText, fc.string({ unit: 'binary', maxLength: 300, size: 'max' }));

/** An independent way: cut the text character by character, as a phone would have to. */
function cutOneByOne(text: string): number {
  const ucs2 = ucs2Characters(text).length > 0;
  const sizes = Array.from(text, (character) =>
    ucs2 ? character.length : '\f^{}\\[~]|€'.includes(character) ? 2 : 1,
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const [alone, joined] = ucs2 ? [70, 67] : [160, 153];
  if (total <= alone) return 1;
  let segments = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > joined) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return segments;
}

describe('countSegments', () => {
  it.each([
    ['nothing', '', 'gsm7', 1, 0],
    ['160 of GSM-7', 'a'.repeat(160), 'gsm7', 1, 160],
    ['161 of GSM-7', 'a'.repeat(161), 'gsm7', 2, 161],
    ['306 of GSM-7', 'a'.repeat(306), 'gsm7', 2, 306],
    ['307 of GSM-7', 'a'.repeat(307), 'gsm7', 3, 307],
    ['80 euro signs', '€'.repeat(80), 'gsm7', 1, 160],
    ['81 euro signs', '€'.repeat(81), 'gsm7', 2, 162],
    ['an extension character over a boundary', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 'gsm7', 3, 306],
    ['70 of UCS-2', 'ũ'.repeat(70), 'ucs2', 1, 70],
    ['71 of UCS-2', 'ũ'.repeat(71), 'ucs2', 2, 71],
    ['134 of UCS-2', 'ũ'.repeat(134), 'ucs2', 2, 134],
    ['135 of UCS-2', 'ũ'.repeat(135), 'ucs2', 3, 135],
    ['a surrogate pair over a boundary', `${'ũ'.repeat(66)}😀${'ũ'.repeat(66)}`, 'ucs2', 3, 134],
    ['the first of all pairs over a boundary', `${'ũ'.repeat(66)}\u{10000}${'ũ'.repeat(66)}`, 'ucs2', 3, 134],
    ['what follows behind the pairs, at a boundary', '\ue000'.repeat(134), 'ucs2', 2, 134],
    ['one é among letters', 'é'.repeat(160), 'gsm7', 1, 160],
    ['one ç, which GSM-7 lacks', `ç${'a'.repeat(70)}`, 'ucs2', 2, 71],
    ['one backtick, which GSM-7 lacks', '`', 'ucs2', 1, 1],
    ['an escape character', '\u001b', 'ucs2', 1, 1],
  ] as const)('counts %s', (_, text, encoding, segments, units) => {
    expect(countSegments(text)).toEqual({ encoding, segments, units });
  });

  it('makes a second segment of what the opt-out text no longer fits into', () => {
    const optOut = ' STOP*456*9*5#';
    expect(countSegments('a'.repeat(146) + optOut).segments).toBe(1);
    expect(countSegments('a'.repeat(147) + optOut).segments).toBe(2);
  });

  it('agrees with sms-segments-calculator on every text without joined emoji', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        // The library keeps clusters joined by ZWJ, and combining marks, in one segment; phones cut at code points.
        fc.pre(
          [...new Intl.Segmenter().segment(text)].every(
            ({ segment }) => Array.from(segment).length === 1 || segment === '\r\n',
          ),
        );
        const oracle = new SegmentedMessage(text, 'auto');
        const count = countSegments(text);
        expect(count.encoding).toBe(oracle.encodingName === 'GSM-7' ? 'gsm7' : 'ucs2');
        expect(count.segments).toBe(oracle.segmentsCount);
      }),
      { numRuns: fuzzRuns(300) },
    );
  });

  it('agrees with cutting a text character by character', () => {
    fc.assert(
      fc.property(anyText, (text) => countSegments(text).segments === cutOneByOne(text)),
      { numRuns: fuzzRuns(1_000) },
    );
  });

  it('never costs less for a longer text', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, more) => {
        expect(countSegments(text + more).segments).toBeGreaterThanOrEqual(countSegments(text).segments);
      }),
    );
  });
});

describe('ucs2Characters', () => {
  it('names each character that forces UCS-2 once, in order, and emoji whole', () => {
    expect(ucs2Characters('Wanjikũ, ça va? 😀 “ũ”')).toEqual(['ũ', 'ç', '😀', '“', '”']);
  });

  it('names none exactly when the text goes as GSM-7', () => {
    fc.assert(
      fc.property(
        anyText,
        (text) => (ucs2Characters(text).length === 0) === (countSegments(text).encoding === 'gsm7'),
      ),
    );
  });
});
