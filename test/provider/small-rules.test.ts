import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountAlone, createAnswerReader, withAllWords } from '../../src/provider/send/read-answer.ts';
import { parseRetryAfter } from '../../src/provider/send/classify-status.ts';
import { looksLikeNumber, sameNumber } from '../../src/provider/send/classify-send.ts';
import { fuzzRuns } from '../support/fuzz-runs.ts';

describe('the echoed number', () => {
  test('is the same in every shape of the API document, in countries of any length', () => {
    expect(sameNumber('254712345678', '0712345678')).toBe(true);
    expect(sameNumber('254712345678', '712345678')).toBe(true);
    expect(sameNumber('2348031234567', '08031234567')).toBe(true);
    expect(sameNumber('12125550123', '2125550123')).toBe(true);
    expect(sameNumber('254712345678', 'tel:+254712345678')).toBe(true);
    expect(sameNumber('254712345678', '0254712345678')).toBe(true);
  });

  test('is another when any digit differs, or when too little of it is given', () => {
    for (const echoed of [
      '0712345679',
      '254712345670',
      '255712345678',
      '12345678',
      '+712345678',
      'x712345678',
      '',
      'x',
    ]) {
      expect(sameNumber('254712345678', echoed)).toBe(false);
    }
    expect(sameNumber('390612345678', '00612345678')).toBe(false);
    expect(sameNumber('25412345678', '2540012345678')).toBe(false);
  });

  test('is none with fewer than seven digits, whatever else stands there', () => {
    expect(['1234567', '12-34-567'].map(looksLikeNumber)).toEqual([true, true]);
    expect(['123456', '12-34-56', 'not a number'].map(looksLikeNumber)).toEqual([false, false, false]);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-27T06:00:00Z');
  test('reads seconds and all three forms of an HTTP date', () => {
    expect(parseRetryAfter(' 30 ', now)).toBe(30_000);
    expect(parseRetryAfter('Fri, 27 Nov 2026 06:00:30 GMT', now)).toBe(30_000);
    expect(parseRetryAfter('Friday, 27-Nov-26 06:00:30 GMT', now)).toBe(30_000);
  });

  test('knows what is none', () => {
    for (const text of [null, '', 'soon', '-5', '1.5', 'Fri, 99 Foo 2026 99:00:00 GMT']) {
      expect(parseRetryAfter(text, now)).toBeNull();
    }
    expect(parseRetryAfter('9'.repeat(400), now)).toBe(600_000);
  });
});

describe('reading an answer', () => {
  const read = createAnswerReader({
    wrappers: ['data', 'items'],
    fields: { id: ['messageid', 'id'], code: ['code'] },
  });

  test('takes the preferred variant, wherever it stands in the object', () => {
    expect(read('{"id":"b","Message-ID":"a"}', '')).toEqual({ id: 'a', code: null });
    expect(read('{"message_id":"a","id":"b"}', '')).toEqual({ id: 'a', code: null });
  });

  test('takes the inner object before the outer, and the outer where the inner is silent', () => {
    expect(read('{"id":"out","code":"1","data":{"id":"in"}}', '')).toEqual({ id: 'in', code: '1' });
    expect(read('{"data":{"items":[{"id":"deep"}]}}', '')).toEqual({ id: 'deep', code: null });
  });

  test('does not choose between several items', () => {
    expect(read('{"items":[{"id":"a"},{"id":"b"}]}', '')).toEqual({ id: null, code: null });
    expect(read('[{"id":"a"},{"id":"b"}]', '')).toBeNull();
  });

  test('takes for an echo of the text only words, and of its beginning only a long one', () => {
    const words = createAnswerReader({ wrappers: [], fields: { id: ['id'], words: ['message', 'error'] } });
    const text = 'Success is near, dear customer';
    const said = (message: string, sent = text) =>
      words(JSON.stringify({ message, error: 'x' }), sent)?.words;
    expect(said(`got: ${text}`)).toBe('x');
    expect(said(text.slice(0, 20))).toBe('x');
    expect(said(text.slice(0, 19))).toBe(text.slice(0, 19));
    expect(said('got: Habari', 'Habari')).toBe('x');
    expect(said('Success', '')).toBe('Success');
    expect(words('{"id":8290842,"message":"0842"}', '0842')).toEqual({ id: '8290842', words: null });
  });

  test('follows wrappers three deep, and those without an object not at all', () => {
    expect(read('{"data":null,"items":{"data":{"id":"c","data":{"id":"d"}}}}', '')?.id).toBe('c');
    expect(read('{"data":"7","items":[{"id":"a"}]}', '')?.id).toBe('a');
    expect(read('null', '')).toBeNull();
  });

  test('takes a blank or a list for no value, and looks on', () => {
    expect(read('{"messageid":" ","id":"b"}', '')?.id).toBe('b');
    expect(read('{"id":"out","data":{"id":""}}', '')?.id).toBe('out');
    expect(read('{"data":[],"items":[{"id":"a"}]}', '')?.id).toBe('a');
  });

  test('knows a name in any spelling, and of two roles that claim it the first', () => {
    const spelled = createAnswerReader({
      wrappers: ['SMS-Data'],
      fields: { id: ['Message_Id'], code: ['code', 'message-id'] },
    });
    expect(spelled('{"smsData":{" MESSAGE - ID":"a"}}', '')).toEqual({ id: 'a', code: null });
  });

  test('adds to the words what an error says, but not that there is one', () => {
    const words = (error: string | null) => withAllWords({ words: 'Refused: low credit', error })?.words;
    for (const flag of [null, '', '0', '1', '-', 'true', 'False', 'None', 'NULL', 'low credit'])
      expect(words(flag)).toBe('Refused: low credit');
    expect(words('E1004: no units')).toBe('Refused: low credit. E1004: no units');
    expect(withAllWords({ words: null, error: 'none' })?.words).toBe('none');
  });

  test('forgets each answer before the next', () => {
    read('{"messageid":"a","code":"1"}', '');
    expect(read('{"id":"b"}', '')).toEqual({ id: 'b', code: null });
  });

  test('keeps each digit of a number, and leaves strings alone', () => {
    const integers =
      '0 -0 7 -7 8290842 254712345678 999999999999999 9007199254740993 1111111111111111111111111111111111111111';
    const others = '0.8 0.80 1.50 100 1.0 -1.5 0.0000001 0.000001 1e3 1E+3 -2.5e-7 1.05';
    const written = `${integers} ${others}`.split(' ');
    for (const number of written) {
      expect(read(`{"id": ${number},"code":"x: ${number}"}`, '')).toEqual({
        id: number,
        code: `x: ${number}`,
      });
      expect(read(`{"code":"a","items":[{"x":[1,${number}],"id":${number}}]}`, '')?.id).toBe(number);
    }
    for (const text of ['{"id":01}', '{"id":1.}', '{"id":+1}', '{"id":1', '{"id":1-2}', '{"id":NaN}']) {
      expect(read(text, '')).toBeNull();
    }
  });

  test('an amount alone keeps its digits, and a number with three decimals gets a fourth', () => {
    expect(['1.50', '1.250', '"1.250"', '{}'].map(amountAlone)).toEqual(['1.50', '1.2500', '1.250', null]);
  });

  test('gives any number back as it was written', () => {
    const digits = fc
      .array(fc.constantFrom('0', '0', '1', '5', '9'), { maxLength: 20 })
      .map((all) => all.join(''));
    const numbers = fc
      .tuple(
        fc.constantFrom('', '-'),
        digits,
        fc.constantFrom('', '.'),
        digits,
        fc.constantFrom('', 'e5', 'E-3'),
      )
      .map((parts) => parts.join(''))
      .filter((text) => read(`{"id":${text}}`, '') !== null && text !== '');
    fc.assert(
      fc.property(numbers, (number) => {
        expect(read(`{"id":${number}}`, '')?.id).toBe(number);
      }),
      { numRuns: fuzzRuns(2_000) },
    );
  });
});
