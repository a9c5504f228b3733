import { describe, expect, test } from 'vitest';
import { createAnswerReader, parseExactly } from '../../src/provider/answer.ts';
import { parseRetryAfter } from '../../src/provider/retry-after.ts';
import { sameNumber } from '../../src/provider/same-number.ts';

describe('the echoed number', () => {
  test('is the same in every shape of the API document, in countries of any length', () => {
    expect(sameNumber('254712345678', '0712345678')).toBe(true);
    expect(sameNumber('254712345678', '712345678')).toBe(true);
    expect(sameNumber('2348031234567', '08031234567')).toBe(true);
    expect(sameNumber('12125550123', '2125550123')).toBe(true);
    expect(sameNumber('254712345678', 'tel:+254712345678')).toBe(true);
  });

  test('is another when any digit differs, or when too little of it is given', () => {
    for (const echoed of ['0712345679', '254712345670', '255712345678', '12345678', '+712345678', '', 'x']) {
      expect(sameNumber('254712345678', echoed)).toBe(false);
    }
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

  test('forgets each answer before the next', () => {
    read('{"messageid":"a","code":"1"}', '');
    expect(read('{"id":"b"}', '')).toEqual({ id: 'b', code: null });
  });

  test('keeps numbers as they were written and leaves strings alone', () => {
    expect(parseExactly('{"a":1.50,"b":[9007199254740993,"x: 1"],"c":-0,"d":"9"}')).toEqual({
      a: '1.50',
      b: ['9007199254740993', 'x: 1'],
      c: '-0',
      d: '9',
    });
  });
});
