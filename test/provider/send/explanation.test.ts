import { describe, expect, test } from 'vitest';
import { classifyBalance } from '../../../src/provider/balance/classify-balance.ts';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import { classifySend } from '../../../src/provider/send/classify-send.ts';
import { createAnswerReader } from '../../../src/provider/send/read-answer.ts';
import { MOBILE, recorded, REQUEST, rulesOf, TEXT } from '../support.ts';

/* API document 4.1: a failed request receives a description of what is missing. People see it, whatever its shape. */

function classify(body: string | object, status = 400) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const reply = recorded({ status, body: text });
  return classifySend({ request: REQUEST, reply, now: 0, rules: rulesOf() });
}

describe('the explanation of a refusal is kept for people, in any shape', () => {
  test.each<[body: string | object, words: string]>([
    ['Missing shortcode', 'Missing shortcode'],
    ['"Missing shortcode"', 'Missing shortcode'],
    ['  Missing\n shortcode ', 'Missing shortcode'],
    [{ error: { message: 'Sender ID is not approved' } }, 'Sender ID is not approved'],
    [{ errors: ['Missing shortcode'] }, 'Missing shortcode'],
    [
      { errors: { shortcode: ['is required', 'is too long'] } },
      'shortcode: is required. shortcode: is too long',
    ],
    [{ errors: [{ field: 'mobile', message: 'has no country' }] }, 'field: mobile. has no country'],
    [{ status: 'error', data: { fault: { faultstring: 'No such key' } } }, 'No such key'],
    [
      { message: 'Validation failed.', errors: { shortcode: ['The shortcode is required.'] } },
      'Validation failed. shortcode: The shortcode is required.',
    ],
    [{ title: 'Bad Request', status: 400, detail: 'no text given' }, 'no text given. Bad Request'],
    [{ shortcode: 'not registered' }, 'shortcode: not registered'],
    [[{ error: { message: 'first' } }, { error: { message: 'second' } }], 'first. second'],
    [
      '<html><head><title>400</title><style>p{}</style></head><body><h1>Bad Request</h1><p>no&nbsp;shortcode</p></body></html>',
      'Bad Request no shortcode',
    ],
    ['{"error": "cut off', '{"error": "cut off'],
    ['', 'HTTP 400'],
    [{ code: 7, ok: false }, 'HTTP 400'],
  ])('%j', (body, words) => {
    expect(classify(body)).toMatchObject({ outcome: 'refused', refusal: 'request', words });
  });

  test('it is never interpreted: nested words of credit do not pause as credit', () => {
    const said = classify({ errors: { account: ['insufficient balance'] } });
    expect(said).toMatchObject({ refusal: 'request', words: 'account: insufficient balance' });
  });

  test('of an answer that cannot be read, too, and the fate stays unknown', () => {
    expect(classify('ERR: shortcode is missing', 200)).toMatchObject({
      outcome: 'unknown',
      words: 'ERR: shortcode is missing',
    });
    expect(classify({ errors: { shortcode: ['is required'] } }, 200)).toMatchObject({
      outcome: 'unknown',
      words: 'shortcode: is required',
    });
  });

  test('without the text, the number and the credentials', () => {
    const said = classify({
      errors: { mobile: [`${MOBILE} is barred`], text: [TEXT], key: ['KEY_CANARY-4f1b'] },
    });
    expect(said).toMatchObject({ words: 'mobile: 2547****5678 is barred. key: [secret]' });
  });

  test('of a balance call, too', () => {
    const rules = { ...rulesOf(), readAnswer: createAnswerReader(defaultProfile.balance) };
    const words = (body: string, status: number) =>
      classifyBalance(recorded({ status, body }), rules) as { words?: string };
    expect(words('{"errors":{"apikey":["is unknown"]}}', 401).words).toBe('apikey: is unknown');
    expect(words('Account closed', 400).words).toBe('Account closed');
    expect(words('', 400).words).toBe('HTTP 400');
  });

  test('a body that nests a million times, or says a million words, does no harm', () => {
    expect(classify('['.repeat(30_000) + ']'.repeat(30_000)).outcome).toBe('refused');
    const many = classify({ errors: Array.from({ length: 3_000 }, (_, n) => `fault ${n}`) });
    expect(many).toMatchObject({ words: expect.stringMatching(/^fault 0\. fault 1\. /) });
  });
});
