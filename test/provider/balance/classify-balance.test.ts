import { describe, expect, test } from 'vitest';
import { createAnswerReader } from '../../../src/provider/send/read-answer.ts';
import { classifyBalance } from '../../../src/provider/balance/classify-balance.ts';
import type { Reply } from '../../../src/provider/send/exchange.ts';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import type { BalanceResult } from '../../../src/provider/provider.ts';
import { API_KEY, API_SECRET, recorded, rulesOf } from '../support.ts';

const OK = { 'response-code': 200, credit: '545.00', clientId: 'C-77' };
const known = { outcome: 'balance', creditMicro: 545_000_000, clientId: 'C-77' };
const unknown = { outcome: 'unknown' };

function classify(body: string | object, reply: Partial<Reply> = {}): BalanceResult {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const readAnswer = createAnswerReader(defaultProfile.balance);
  return classifyBalance(recorded({ status: 200, body: text, ...reply }), { ...rulesOf(), readAnswer });
}

describe('the credit in every spelling of the family [M5]', () => {
  for (const body of [
    OK,
    { ...OK, 'response-code': '200' },
    { responsecode: '200', credit: 545, clientId: 'C-77' },
    { 'respose-code': 200, balance: '545.00', client_id: 'C-77' },
    { responseCode: 200, data: { sms_credits: '545.0', clientId: 'C-77' } },
    [OK],
  ]) {
    test(JSON.stringify(body), () => expect(classify(body)).toEqual(known));
  }

  test.each(['1,000.00', 'KES 1,000.00', '1000'])('credit %s', (credit) => {
    expect(classify({ ...OK, credit })).toEqual({ ...known, creditMicro: 1_000_000_000 });
  });

  test('a credit with two readings names the row of the profile', () => {
    expect(classify({ ...OK, credit: '1.000' })).toMatchObject({
      words: expect.stringContaining('"decimal"'),
    });
  });

  test.each([
    ['-0.01', -10_000],
    ['KES -1,000.00', -1_000_000_000],
    ['-1000 KES', -1_000_000_000],
    ['\u2212545.00', -545_000_000],
    ['-0.00', 0],
  ])('a credit below zero is a credit: %s', (credit, creditMicro) => {
    expect(classify({ ...OK, credit })).toEqual({ ...known, creditMicro });
  });

  test('a credit of nothing is a credit', () => {
    expect(classify({ ...OK, credit: '0.00' })).toEqual({ ...known, creditMicro: 0 });
  });

  test('an account’s id that is a number keeps each digit', () => {
    expect(classify('{"response-code":200,"credit":"1","clientId":90071992547409931}')).toMatchObject({
      clientId: '90071992547409931',
    });
  });
});

describe('what is no plain amount of a named account is unknown, neither zero nor infinite [M1]', () => {
  for (const credit of [
    'NaN',
    '1,000',
    '1.000',
    '0,80',
    '--1',
    '-',
    '- KES -1',
    '1-',
    '',
    ' ',
    'USD 5',
    '1e3',
    'Infinity',
    null,
    true,
    {},
    undefined,
  ]) {
    test(`credit ${JSON.stringify(credit)}`, () =>
      expect(classify({ ...OK, credit })).toMatchObject(unknown));
  }
  for (const body of ['', 'OK', '<html>', '[]', '{}', '{"credit":"545.00","clientId":"C-77"}']) {
    test(`body ${body}`, () => expect(classify(body)).toMatchObject(unknown));
  }
  for (const status of [301, 404, 429, 500, 502, 503]) {
    test(`status ${status}`, () => expect(classify(OK, { status })).toMatchObject(unknown));
  }

  test.each([
    [false, 'is missing, set "trailing_slash": true'],
    [true, 'is too much, set "trailing_slash": false'],
  ])('a redirect names the row of the slash, which is %s now', (slash, words) => {
    const rules = rulesOf({ ...defaultProfile, trailing_slash: slash });
    const readAnswer = createAnswerReader(defaultProfile.balance);
    const result = classifyBalance(recorded({ status: 308, body: '' }), { ...rules, readAnswer });
    expect(result).toMatchObject({ ...unknown, words: expect.stringContaining(words) });
  });

  test('an answer that does not name the account', () => {
    const result = classify({ 'response-code': 200, credit: '545.00' });
    expect(result).toMatchObject({ outcome: 'unknown', words: expect.stringContaining('clientId') });
  });

  test('a compressed answer, and none at all', () => {
    expect(classify(OK, { encoded: true })).toMatchObject(unknown);
    const error = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    expect(classify('', { error, status: null })).toMatchObject({ ...unknown, httpStatus: null });
  });
});

describe('refusals [P9]', () => {
  test('credentials, by status, code or words', () => {
    expect(classify({ message: 'Failed', error: 'Invalid API key' }, { status: 400 })).toMatchObject({
      refusal: 'credentials',
      words: 'Failed. Invalid API key',
    });
    const refused = { outcome: 'refused', refusal: 'credentials' };
    expect(classify('', { status: 401 })).toMatchObject(refused);
    expect(classify('<html>', { status: 403 })).toMatchObject(refused);
    expect(classify({ 'response-code': 1006, 'response-description': 'Invalid credentials' })).toMatchObject(
      refused,
    );
    expect(classify({ 'response-code': 1006 }, { status: 400 })).toMatchObject(refused);
    const unauthorised = { status: 'error', message: 'Invalid API key or secret.' };
    expect(classify(unauthorised, { status: 401 })).toMatchObject(refused);
    expect(classify(unauthorised)).toMatchObject({ outcome: 'unknown' });
    expect(classify({ message: 'Check your API secret' }, { status: 400 })).toMatchObject(refused);
  });

  test('an echo of the credentials is taken out of the evidence [X10]', () => {
    const result = classify({ 'response-code': 5, message: `no ${API_KEY}`, apisecret: API_SECRET });
    expect(result.outcome).toBe('unknown');
    expect(JSON.stringify(result)).not.toMatch(/CANARY/);
  });
});
