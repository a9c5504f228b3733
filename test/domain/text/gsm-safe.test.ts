import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGsm } from '../../../src/domain/text/gsm.ts';
import { gsmSafe } from '../../../src/domain/text/gsm-safe.ts';

describe('gsmSafe', () => {
  it.each([
    ['curly quotes', '“Hi” ‘you’, O’Brien «there»', '"Hi" \'you\', O\'Brien "there"'],
    ['dashes and the ellipsis', 'Mon–Fri — now… 5−2', 'Mon-Fri - now... 5-2'],
    ['odd spaces and the tab', 'a\u00a0b\u2009c\u3000d\te', 'a b c d e'],
    ['line separators', 'a\u2028b', 'a\nb'],
    ['letters with marks', 'Wanjikũ, Mũthoni, Zoë, Çağrı ça', 'Wanjiku, Muthoni, Zoe, Çagri ca'],
    ['a mark that stands beside its letter', 'Zoe\u0308 x\u0303', 'Zoe x'],
    ['full width and ligatures', 'ＡＢＣ１ ﬁn', 'ABC1 fin'],
    ['signs', '• 5×3 ™ © №', '* 5x3 TM (C) No'],
    ['what nobody sees', 'a\u200bb\u00adc\ufeffd\u200e', 'abcd'],
    ['the backtick', '`x´', "'x'"],
  ])('replaces %s', (_, text, safe) => {
    expect(gsmSafe(text)).toBe(safe);
    expect(isGsm(safe)).toBe(true);
  });

  it('leaves alone what GSM-7 has, é, ñ, Ç and the euro among it', () => {
    const text = 'José, Muñoz, Ç, €5 [x] {y} ~ ^ \\ | à ö ß Ø Σ @ £ ¥';
    expect(gsmSafe(text)).toBe(text);
  });

  it('brings a letter and its mark together when GSM-7 has the whole', () => {
    expect(gsmSafe('Jose\u0301')).toBe('José');
  });

  it.each([
    ['1½ kg', '1½ kg'],
    ['KES 500¹', 'KES 500¹'],
    ['10²', '10²'],
    ['KES 5①', 'KES 5①'],
    ['①5 ½5', '①5 ½5'],
    ['KES １５０', 'KES 150'],
  ])('leaves an amount what it is: %s', (text, safe) => {
    expect(gsmSafe(text)).toBe(safe);
  });

  it('leaves what has nothing close to it, and the emoji around it whole', () => {
    for (const text of ['日本', 'مرحبا', 'привет', '👨‍👩‍👧', '☎️', '₦500', 'a\ud800'])
      expect(gsmSafe(text)).toBe(text);
    expect(gsmSafe('Wanjikũ 😀')).toBe('Wanjiku 😀');
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 50 }),
        (text) => gsmSafe(gsmSafe(text)) === gsmSafe(text),
      ),
    );
  });

  it('never changes a text that is GSM-7 already', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => !isGsm(text) || gsmSafe(text) === text),
    );
  });
});
