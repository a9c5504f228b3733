import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { MOBILE_REASONS, parseMobile } from '../../../src/domain/numbers/mobile.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const MOBILE = '254712345678';

describe('every shape of one Kenyan mobile is the same mobile', () => {
  test.each([
    '254712345678',
    '0712345678',
    '712345678',
    '+254712345678',
    '00254712345678',
    ' 0712345678 ',
    '0712 345 678',
    '0712  345  678',
    '0712-345-678',
    '0712.345.678',
    '(0712) 345678',
    '+254 712 345 678',
    '+254-712-345-678',
    '254 (0) 712 345678',
    '+254 (0)712 345 678',
    '+2540712345678',
    '00254 712 345 678',
    '０７１２３４５６７８',
    '＋２５４７１２３４５６７８',
    '٠٧١٢٣٤٥٦٧٨',
    '0712\u00A0345\u00A0678',
    '\u202A+254712345678\u202C',
    '\uFEFF0712345678',
    "'0712345678",
    '’+254712345678',
    '="0712345678"',
    'tel:+254712345678',
    'TEL:+254712345678',
    '254712345678.0',
    '712345678.0',
    '254712345678.00',
    '+254712345678,0',
    '2.54712345678E+11',
    '2,54712345678e+11',
    '2.547123456780E+11',
    '7.12345678E+8',
  ])('%s', (text) => {
    expect(parseMobile(text, 'KE')).toMatchObject({ ok: true, mobile: MOBILE });
  });
});

test.each([
  ['(+254) 712200069', '254712200069'],
  ['(+254)712200070', '254712200070'],
  ['(+254) 0712200071', '254712200071'],
  ['(+254)-712-200-072', '254712200072'],
  ['(+254) (0) 712 200073', '254712200073'],
  ['[+254] 712200074', '254712200074'],
  ['(00254) 712200075', '254712200075'],
  ['(+254 712 200076)', '254712200076'],
  ['（+254）712200077', '254712200077'],
  ['(+256) 772123456', '256772123456'],
  ['(+1) 212 555 0100', '12125550100'],
])('a country code between brackets is one: %s', (text, mobile) => {
  expect(parseMobile(text, 'KE')).toMatchObject({ ok: true, mobile });
});

test.each([
  '0712200033-0733200034',
  '+254712200043+254733200044',
  '0712200037+0733200038',
  '0712200033–0733200034',
  '0712-200-033-0733-200-034',
  '0712200033.0733200034',
  '0712200033--0733200034',
  '0712200033_0733200034',
  '0712200033\\0733200034',
  '0712200033*0733200034',
  '0712200033(0733200034)',
  '712200033-733200034',
  '254712200043+254733200044',
  '+254712200043-0733200044',
  '(+254)712200043(+254)733200044',
  '0712200033-0733200034-0744200035',
  '0712200033>0733200034',
  '0712200033 ext 0733200034',
  '020 2223344-0712200033',
  '07122000330733200034',
  '254712200043254733200044',
])('two numbers that anything joins are several: %s', (text) => {
  expect(parseMobile(text, 'KE')).toMatchObject({ ok: false, reason: 'several numbers' });
});

test('a dot before a zero is no float where digits follow', () => {
  expect(parseMobile('0712.045678', 'KE')).toMatchObject({ ok: true, mobile: '254712045678' });
});

test.each(['0112345678', '112345678', '+254112345678', '0100345678', '254108345678'])(
  'the newer Kenyan ranges are mobiles: %s',
  (text) => {
    expect(parseMobile(text, 'KE')).toMatchObject({
      ok: true,
      mobile: expect.stringMatching(/^2541[01]\d{7}$/),
    });
  },
);

test.each([
  ['+256772123456', '256772123456'],
  ['256772123456', '256772123456'],
  ['00256772123456', '256772123456'],
  // As it is dialled from Kenya.
  ['000256772123456', '256772123456'],
  ['+44 7911 123456', '447911123456'],
  ['447911123456', '447911123456'],
  ['+1 212 555 0100', '12125550100'],
])('a mobile of another country is taken with plus, with 00 and with neither: %s', (text, mobile) => {
  expect(parseMobile(text, 'KE')).toMatchObject({ ok: true, mobile });
});

test.each([
  ['0712345678', 'KE'],
  ['254712345678', 'KE'],
  ['+255712345678', 'TZ'],
  ['+44 7400 123456', 'GB'],
  ['+1 212 555 0100', 'US'],
])('a number names its country: %s is of %s', (text, country) => {
  expect(parseMobile(text, 'KE')).toMatchObject({ ok: true, country });
});

test('a local number belongs to the country of the settings', () => {
  expect(parseMobile('0772123456', 'UG')).toMatchObject({ ok: true, mobile: '256772123456' });
  expect(parseMobile('0712345678', 'TZ')).toMatchObject({ ok: true, mobile: '255712345678' });
});

test.each([
  ['4915123456768', 'DE', '4915123456768'],
  ['00491512 3456768', 'KE', '4915123456768'],
  ['62812345620', 'ID', '62812345620'],
  ['38343486004', 'XK', '38343486004'],
  ['00573021171739', 'CO', '573021171739'],
])(
  'behind its own country code a mobile is one, also where a landline has such digits: %s',
  (text, country, mobile) => {
    expect(parseMobile(text, country)).toMatchObject({ ok: true, mobile });
  },
);

test.each([
  ['0628 12345620', 'ID'],
  ['254202345678', 'DE'],
  ['49301234567', 'DE'],
  // With a plus these are mobiles of South Africa, Denmark and Latvia: of strangers.
  ['278478671', 'TZ'],
  ['4578416665', 'IN'],
  ['37126873755', 'ID'],
])('a landline stays one: %s', (text, country) => {
  expect(parseMobile(text, country)).toMatchObject({ ok: false, reason: 'landline' });
});

test.each([
  // Closed up, each would be a mobile of Indonesia, Russia or Norway: of a stranger.
  ['6208807 6201476', 'BZ'],
  ['6281053-6281832', 'GY'],
  ['789166  789300', 'NC'],
  ['47906.47661', 'AC'],
])('two short mobiles are none of a stranger abroad: %s', (text, country) => {
  expect(parseMobile(text, country)).toMatchObject({ ok: false, reason: 'several numbers' });
});

describe('what cannot be sent to is named', () => {
  test.each([
    ['', 'no number'],
    ['   ', 'no number'],
    ["'", 'no number'],
    ['abc', 'not a number'],
    ['+', 'not a number'],
    ['( )', 'not a number'],
    ['0712345678 / 2345678', 'several numbers'],
    ['254712345678,0722345678', 'several numbers'],
    ['2.54712345678E+11, 0722345678', 'several numbers'],
    ["0712'345678", 'not a number'],
    ['123456', 'short code'],
    ['#REF!', 'not a number'],
    ['call 0712345678', 'not a number'],
    ['0712345678 ext 5', 'not a number'],
    ['07l2345678', 'not a number'],
    ['O712345678', 'not a number'],
    ['071234567²', 'not a number'],
    ['07123456⑦⑧', 'not a number'],
    ['-254712345678', 'not a number'],
    ['0712345678;0722', 'not a number'],
    ['0712345678/0722345678', 'several numbers'],
    ['0712345678 0722345678', 'several numbers'],
    ['+254712345678  +254722345678', 'several numbers'],
    ['0712345678, 0722345678', 'several numbers'],
    ['0712345678 or 0722345678', 'several numbers'],
    ['+254 712 345678 ::: 0722345678', 'several numbers'],
    ['0712345678\n0722345678', 'several numbers'],
    ['2.54712E+11', 'excel damage'],
    ['2.5471234567E+11', 'excel damage'],
    ['2,54712E+11', 'excel damage'],
    ['7.12E+08', 'excel damage'],
    ['2.54712345678E+99', 'excel damage'],
    ['2.547123456785E+11', 'excel damage'],
    ['071234567.0', 'excel damage'],
    ['22123', 'short code'],
    ['*144#', 'short code'],
    ['07123', 'too short'],
    ['+254', 'too short'],
    ['0712345678901234567', 'too long'],
    ['0202345678', 'landline'],
    ['+254 20 2345678', 'landline'],
    ['254202345678', 'landline'],
    ['0800723253', 'not a mobile'],
    ['0900223344', 'not a mobile'],
    ['00712345678', 'too short'],
    ['7123456789', 'invalid number'],
    ['2547123456789', 'invalid number'],
    ['254254712345678', 'too long'],
    ['+999123456', 'unknown country'],
    ['00999123456', 'unknown country'],
  ])('%j is %s', (text, reason) => {
    expect(parseMobile(text, 'KE')).toMatchObject({ ok: false, reason });
  });
});

test('a float in scientific notation is a mobile only while it holds every digit', () => {
  for (let digits = 1; digits <= 11; digits++) {
    const text = `2.${'54712345678'.slice(0, digits)}E+11`;
    const result = parseMobile(text, 'KE');
    expect(result.ok, text).toBe(digits === 11);
    if (!result.ok) expect(result.reason).toBe('excel damage');
  }
});

test('a country that nobody knows is said, not guessed', () => {
  expect(parseMobile('0712345678', 'XX')).toMatchObject({ ok: false, reason: 'unknown country' });
});

describe('properties', () => {
  const kenyan = fc.tuple(
    fc.constantFrom('', '0', '00', '+', '+0', '254', '+254', '2540', '+2540', '00254', '0254'),
    fc.stringMatching(/^[0-9]{3}$/),
    fc.stringMatching(/^[0-9]{6}$/),
  );

  test('what the fast way takes, the library takes as the same mobile, and the other way round', () => {
    fc.assert(
      fc.property(kenyan, ([prefix, range, rest]) => {
        const text = prefix + range + rest;
        const library = parsePhoneNumberFromString(text, { defaultCountry: 'KE', extract: false });
        const ours = parseMobile(text, 'KE');
        const kenyan = library?.getType() === 'MOBILE' && library.country === 'KE';
        if (kenyan) expect(ours).toMatchObject({ ok: true, mobile: library.number.slice(1) });
        // Only 00254 and a missing plus are ours to add.
        else if (ours.ok && ours.mobile.startsWith('254')) expect(text).toMatch(/^(?:00)?254/);
      }),
      { numRuns: fuzzRuns(3_000) },
    );
  });

  test('every Kenyan range of three digits is judged as the library judges it', () => {
    for (let range = 0; range <= 999; range++) {
      const text = `254${String(range).padStart(3, '0')}345678`;
      const library = parsePhoneNumberFromString(text, { defaultCountry: 'KE', extract: false });
      const expected = library?.getType() === 'MOBILE';
      const ours = parseMobile(text, 'KE');
      expect(ours.ok && ours.mobile === text, text).toBe(expected);
    }
  });

  test('a mobile that was read is read as itself again', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const first = parseMobile(text, 'KE');
        if (first.ok) expect(parseMobile(`+${first.mobile}`, 'KE')).toEqual(first);
      }),
    );
  });

  test('no text crashes it, and no answer holds the number', () => {
    const numberish = fc.string({
      unit: fc.constantFrom(...'0123456789+-() .,eE\'"=/;\t\n*#٧７oO'),
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.oneof(numberish, fc.string({ unit: 'binary' })), (text) => {
        const result = parseMobile(text, 'KE');
        if (result.ok) expect(result.mobile).toMatch(/^[1-9]\d{6,14}$/);
        else {
          expect(MOBILE_REASONS).toContain(result.reason);
          expect(result.detail).not.toMatch(/\d{5}/);
        }
      }),
      { numRuns: fuzzRuns(2_000) },
    );
  });

  test('a text of 100,000 characters is answered without backtracking', () => {
    for (const piece of ['0', ' ', '0 ', '-', '+', '.', '0,', "'", '٧', '(0)', '="'])
      expect(parseMobile(piece.repeat(100_000 / piece.length), 'KE').ok).toBe(false);
  });
});
