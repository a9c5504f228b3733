import { getCountries } from 'libphonenumber-js/max';
import { expect, test } from 'vitest';
import { countryMeant, isKnownCountry } from '../../../src/domain/numbers/country.ts';

const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

test('of all pairs of letters, those are countries that the library can read numbers for', () => {
  expect(PAIRS.filter(isKnownCountry)).toEqual(getCountries().toSorted());
});

test.each([
  ['UK', 'GB'],
  ['uk', 'GB'],
  ['ke', 'KE'],
  ['XX', null],
  ['Kenya', null],
])('by %s is meant %s', (written, meant) => {
  expect(isKnownCountry(written)).toBe(false);
  expect(countryMeant(written)).toBe(meant);
});
