import { expect, it } from 'vitest';
import { PlanTally } from '../../src/domain/plan-tally.ts';
import { countSegments } from '../../src/domain/text/segments.ts';

/** What the plan says of the characters in these texts, of which the first stands in line 2. */
function charactersIn(texts: readonly string[], optOutText = '') {
  const tally = new PlanTally(optOutText);
  for (const [at, text] of texts.entries())
    tally.addPlanned({
      line: at + 2,
      text,
      country: 'KE',
      network: null,
      count: countSegments(text + optOutText),
    });
  return tally.ucs2Characters().map(({ character, replacement, lines }) => [character, replacement, lines]);
}

it('promises of --gsm only what it does: a superscript, which it leaves, has no replacement', () => {
  expect(charactersIn(['KES 500\u00b9', 'see note \u00b9', 'Wanjik\u0169'])).toEqual([
    ['\u00b9', null, [2, 3]],
    ['\u0169', 'u', [4]],
  ]);
});

it('promises nothing of what the provider adds, nor of what holds an emoji together', () => {
  expect(charactersIn(['Hi'], ' \u2013 STOP')).toEqual([['\u2013', null, [2]]]);
  expect(charactersIn(['\u{1f469}\u200d\u{1f680}'])).toEqual([
    ['\u{1f469}', null, [2]],
    ['\u200d', null, [2]],
    ['\u{1f680}', null, [2]],
  ]);
});

it('counts the rest together, and has no replacement for it', () => {
  const letters = Array.from({ length: 60 }, (_, at) => String.fromCodePoint(0x0400 + at));
  const told = charactersIn(letters);
  expect(told).toHaveLength(51);
  expect(told[0]).toEqual(['other', null, [52, 53, 54, 55, 56]]);
});

it('the longest text is kept, and the one of the line that was asked for', () => {
  const tally = new PlanTally('', 6);
  const texts = ['one', 'two', 'six', 'a longer one', 'four', 'the longest of all', 'short'];
  for (const [at, text] of texts.entries()) {
    const count = countSegments(text);
    const kept = tally.looksAt(count, at + 2) ? text : '';
    tally.addPlanned({ line: at + 2, text: kept, country: 'KE', network: null, count });
  }
  expect(tally.longest).toEqual({ line: 7, text: 'the longest of all', segments: 1 });
  expect(tally.asked).toEqual({ line: 6, text: 'four', segments: 1 });
  expect(tally.examples.map(({ line }) => line)).toEqual([2, 3, 4]);
});
