import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/provider/http/redact.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const SECRET = 'p4ss/w"örd+key';
const TEXT = 'Dear Asha, your "order" é 12 is ready at Moi Avenue.';
const MOBILE = '254712345678';
const hidden = { message: TEXT, numbers: [MOBILE] };
const redactor = createRedactor(['the-api-key-1', SECRET]);
const clean = (text: string) => redactor.clean(text, hidden);

describe('credentials [X10]', () => {
  for (const [how, echo] of [
    ['as they are', SECRET],
    ['inside JSON', JSON.stringify(SECRET)],
    ['as PHP writes JSON', '"p4ss\\/w\\"\\u00f6rd+key"'],
    ['as .NET writes JSON', '"p4ss/w\\u0022\\u00F6rd\\u002Bkey"'],
    ['inside a URL', encodeURIComponent(SECRET)],
    ['in capitals', SECRET.toUpperCase()],
    ['cut off', SECRET.slice(0, 9)],
    ['twice in a row', SECRET + SECRET],
  ] as const) {
    test(`echoed ${how}`, () => {
      const seen = clean(`bad key ${echo} given`);
      expect(seen).toBe(`bad key ${echo.startsWith('"') ? '"[secret]"' : '[secret]'} given`);
    });
  }
});

test('a credential at the start of an answer, or behind a letter that is two in lower case, is taken out', () => {
  const capital = createRedactor(['The-API-Key-1']);
  for (const before of ['', 'İbrahim: ', 'İİİİ '])
    expect(capital.clean(`${before}The-API-Key-1 is wrong`, hidden)).toBe(`${before}[secret] is wrong`);
});

test('a credential in a text is found, and one that is empty is none', () => {
  const holds = (text: string) => redactor.holdsSecret(text);
  expect(['x the-api-key-1', `y ${SECRET}`, 'nothing'].map(holds)).toEqual([true, true, false]);
  expect(createRedactor(['', SECRET]).holdsSecret('nothing')).toBe(false);
});

describe('message text', () => {
  test('echoed whole, in part, inside JSON or as PHP writes it is taken out', () => {
    for (const echo of [
      TEXT,
      TEXT.slice(5, 30),
      JSON.stringify({ message: TEXT }),
      JSON.stringify(TEXT).replace('é', '\\u00e9'),
    ]) {
      const seen = clean(`<<${echo}>>`);
      expect(seen).not.toMatch(/Asha|order|Avenue|ready/);
      expect(seen).toContain('[text]');
    }
  });

  test('in a script of which every letter is written as an escape is taken out', () => {
    const message = 'مرحبا يا علي, طلبك جاهز';
    const escaped = message.replace(/\P{ASCII}/gu, (letter) => `\\u0${letter.charCodeAt(0).toString(16)}`);
    expect(redactor.clean(`{"m":"${escaped}"}`, { message, numbers: [] })).toBe('{"m":"[text]"}');
  });

  test('that is short is taken out inside JSON as well', () => {
    for (const echo of ['{"m":"A\\"b\\"c 1"}', '{"m":"A\\u0022b\\u0022c 1"}'])
      expect(redactor.clean(echo, { message: 'A"b"c 1', numbers: [] })).toBe('{"m":"[text]"}');
  });

  test('words that only share a little with it stay', () => {
    expect(clean('Dear client, your key is wrong')).toBe('Dear client, your key is wrong');
  });

  test('of three letters is nobody’s secret', () => {
    const cleaned = (message: string) => redactor.clean('Hola Hi', { message, numbers: [] });
    expect([cleaned('Hi'), cleaned('Hola')]).toEqual(['Hola Hi', '[text] Hi']);
  });
});

describe('numbers', () => {
  test('the recipient in every shape, and others of the same country', () => {
    for (const number of [
      MOBILE,
      `+${MOBILE}`,
      '0712345678',
      '712345678',
      '+254 712 345 678',
      '0(71) 234 5678',
      '254733000111',
    ]) {
      expect(clean(`bad ${number}.`)).toMatch(/^bad \d{4}\*{4}\d{4}\.$/);
    }
  });

  test('an echoed number of another shape is masked when it is named', () => {
    const seen = redactor.clean('to 0733000111', { message: TEXT, numbers: [MOBILE, '0733000111'] });
    expect(seen).toBe('to 073****111');
    const spaced = redactor.clean('to 0733000111', { message: TEXT, numbers: ['+254 733-000-111'] });
    expect(spaced).toBe('to 2547****0111');
    expect(redactor.clean('to 1234567', { message: TEXT, numbers: ['1234567'] })).not.toContain('1234567');
  });

  test('messageids stay readable', () => {
    const ids = 'messageid 8290842, 192325341, 90071992547409931234, 254700000000000001';
    expect(clean(ids)).toBe(ids);
  });
});

test('evidence is one line of at most 2 kB, with whole characters and nothing private up to its end', () => {
  expect(clean('a\u001b[2J\r\nb\u202ec')).toBe('a [2J b c');
  for (const mark of '\u2028\u2029\u200e\u200f\u202a\u2066\u2069') expect(clean(`a${mark}b`)).toBe('a b');
  for (const long of ['é'.repeat(3_000), `x${'é'.repeat(3_000)}`])
    expect(clean(long)).toBe(long.slice(0, 1_024));
  expect(clean(`bad key ${SECRET}`)).toBe('bad key [secret]');
  expect(redactor.clean('7 of 123456', { message: '', numbers: ['', '123456'] })).toBe('7 of 123456');
});

test('few plain words are harmless; a number, or a part of the text or of a credential among them, is not', () => {
  const harmless = (words: string) => redactor.isHarmless(words, TEXT);
  expect(['Success', 'Message sent successfully', ''].map(harmless)).toEqual([true, true, true]);
  const unsafe = ['Sent to 0712345678', 'Sorry, dear Asha, your', 'no the-api-key- here'];
  expect(unsafe.map(harmless)).toEqual([false, false, false]);
  expect(redactor.isHarmless('Hola', 'Hola')).toBe(false);
  expect(redactor.isHarmless('r order is READY', 'Dear İbrahim, your order is READY now')).toBe(false);
});

test('what is called harmless is what cleaning leaves alone', () => {
  const words = fc.oneof(
    fc.constantFrom('Success', 'Message sent successfully', 'Dear Asha', 'is ready at Moi', 'the-api-key'),
    fc.string({ unit: fc.constantFrom(...Array.from('abc de,.')), maxLength: 50 }),
    fc.nat({ max: 40 }).map((from) => TEXT.slice(from, from + 15)),
  );
  const messages = fc.oneof(
    fc.constant(TEXT),
    fc.string({ unit: fc.constantFrom(...Array.from('abc de,.')), maxLength: 30 }),
  );
  fc.assert(
    fc.property(words, messages, (text, message) => {
      if (!redactor.isHarmless(text, message)) return;
      expect(redactor.clean(text, { message, numbers: [MOBILE] })).toBe(text.trim());
    }),
  );
});

test('64 kB of anything is cleaned without a pause [X27]', async () => {
  const cleanAll = () => {
    for (const unit of ['0', '7 ', '\\u00', '+', TEXT, SECRET]) clean(unit.repeat(65_536 / unit.length));
  };
  expect(await cpuMsOf(cleanAll)).toBeLessThan(2_000);
});
