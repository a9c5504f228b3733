import { expect, it } from 'vitest';
import { namesAnother } from '../../../src/domain/numbers/mobile-text.ts';

const SENT = '254712345678';

it.each([
  ['another subscriber', '254712345679'],
  ['the same digits at another prefix', '254112345678'],
  ['a number of another country', '256772123456'],
  ['a longer number', '2348031234567'],
  ['a landline', '254201234567'],
])('%s is another mobile', (_what, reported) => {
  expect(namesAnother(SENT, reported)).toBe(true);
});

it.each([
  ['no mobile', null],
  ['the same one', SENT],
  ['a local one', '0712345678'],
  ['one without a prefix', '712345678'],
  ['another local one, whose country is not known', '0772123456'],
  ['the local one read as one of another country', '256712345678'],
  ['one with a zero of home in it', '2540712345678'],
  ['the last digits', '345678'],
  ['other last digits', '999999'],
  ['one that was cut short', '25471234567'],
  ['one with digits behind it', '254712345678001'],
])('%s is no other mobile', (_what, reported) => {
  expect(namesAnother(SENT, reported)).toBe(false);
});

it('a message whose mobile was purged contradicts nothing', () => {
  expect(namesAnother('purged-7', SENT)).toBe(false);
});
