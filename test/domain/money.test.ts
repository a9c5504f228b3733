import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { counted, formatMoney, parseAmount, parseMoney } from '../../src/domain/money.ts';

describe('parseAmount', () => {
  it.each([
    ['5000', 5_000],
    ['KES 5,000', 5_000],
    ['kes5000', 5_000],
    ['1,250,000.00 KES', 1_250_000],
    [' 0.80 ', 0.8],
  ])('reads %j as a person means it', (text, amount) => {
    expect(parseAmount(text, 'KES')).toBe(amount * 1_000_000);
  });

  it.each(['', 'KES', 'UGX 5,000', '5,00', '5,0000', ',500', '1.5,000', '-5', 'KES 5 KES', 'KES 5 000'])(
    'does not guess what %j means',
    (text) => {
      expect(parseAmount(text, 'KES')).toBeNull();
    },
  );
});

describe('parseMoney', () => {
  it.each([
    ['0', 0],
    ['0.8', 800_000],
    ['0.80', 800_000],
    ['0.805', 805_000],
    ['12', 12_000_000],
    ['007.50', 7_500_000],
    ['0.000001', 1],
    ['1.2300000000', 1_230_000],
    ['999999999.999999', 999_999_999_999_999],
    [' 1.00\n', 1_000_000],
  ])('reads %j exactly', (text, micro) => {
    expect(parseMoney(text)).toBe(micro);
  });

  it.each([
    '',
    ' ',
    '-1',
    '+1',
    '1,50',
    '1,000.00',
    '1 000',
    '1.',
    '.5',
    '1e3',
    '0x10',
    '1.2.3',
    'NaN',
    'Infinity',
    'free',
    'KES 1.00',
    '1.00 KES',
    '0.0000001',
    '1.0000001',
    '1000000000',
    '١٢',
    '１',
    '1_000',
    'null',
    '1\n2',
  ])('does not guess at %j', (text) => {
    expect(parseMoney(text)).toBeNull();
  });
});

describe('formatMoney', () => {
  it.each([
    [0, '0.00'],
    [-0, '0.00'],
    [1, '0.000001'],
    [800_000, '0.80'],
    [805_000, '0.805'],
    [-3_000_000, '-3.00'],
    [-1, '-0.000001'],
    [20_000_000_000, '20000.00'],
    [Number.MAX_SAFE_INTEGER, '9007199254.740991'],
  ])('writes %d micro units as %s', (micro, text) => {
    expect(formatMoney(micro)).toBe(text);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 0.5, 2 ** 53])('refuses %d, which is no amount', (value) => {
    expect(() => formatMoney(value)).toThrow(RangeError);
  });
});

describe('money', () => {
  it('comes back the same from every text it is written as', () => {
    const amounts = fc.integer({ min: 0, max: 999_999_999_999_999 });
    fc.assert(fc.property(amounts, (micro) => parseMoney(formatMoney(micro)) === micro));
  });

  it('is read from digits as the decimal number they write, without rounding', () => {
    const digits = (most: number) =>
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: most });
    fc.assert(
      fc.property(digits(9), digits(6), (whole, fraction) => {
        const text = `${whole.join('')}.${fraction.join('')}`;
        const exact = BigInt(whole.join('') + fraction.join('').padEnd(6, '0'));
        expect(BigInt(parseMoney(text) ?? -1)).toBe(exact);
      }),
    );
  });

  it('adds up to the cent over a million messages', () => {
    const cost = parseMoney('0.1') ?? 0;
    let sum = 0;
    for (let count = 0; count < 1_000_000; count++) sum += cost;
    expect(formatMoney(sum)).toBe('100000.00');
  });

  it('reads any text as an amount or as null, and never as a number that is not whole', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+.,\d eE]{0,20}$/)), (text) => {
        const micro = parseMoney(text);
        expect(micro === null || (Number.isSafeInteger(micro) && micro >= 0)).toBe(true);
      }),
    );
  });
});

test.each([
  [0, 'row', '0 rows'],
  [1, 'row', '1 row'],
  [2, 'row', '2 rows'],
  [1, 'reply', '1 reply'],
  [1_200, 'reply', '1,200 replies'],
  [2, 'day', '2 days'],
])('%i %s is written %s', (count, noun, words) => {
  expect(counted(count, noun)).toBe(words);
});
