import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import type { SendRequest, WireEvidence } from '../../../src/provider/provider.ts';
import { classifySend } from '../../../src/provider/send/classify-send.ts';
import type { Reply } from '../../../src/provider/send/exchange.ts';
import { MOBILE, recorded, REQUEST, rulesOf } from '../support.ts';

/* A person decides once about a group of answers. Answers of one group must mean the same. */

type Body = string | object;

function withIdsAt(message_id: string[]): typeof defaultProfile {
  const { send } = defaultProfile;
  return { ...defaultProfile, send: { ...send, fields: { ...send.fields, message_id } } };
}

function question(body: Body, reply: Partial<Reply> = {}, request: SendRequest = REQUEST, rules = rulesOf()) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const result = classifySend({
    request,
    reply: recorded({ body: text, ...reply }),
    now: 0,
    rules,
  });
  expect(result.outcome).toBe('unknown');
  return (result as WireEvidence).question ?? null;
}

const group = (...asked: Parameters<typeof question>) => question(...asked)?.content;

describe('two groups', () => {
  const preamble = 'Dear customer, thank you for using our gateway. '.repeat(12);
  test.each<[what: string, one: Body, other: Body]>([
    ['one digit of a short value', { ResultCode: 0 }, { ResultCode: 17 }],
    ['one digit in a text', 'ERR 14: refused', 'ERR 15: refused'],
    ['one digit of words', { message: 'Balance 12.40' }, { message: 'Balance 0.80' }],
    ['texts behind a long preamble', `${preamble}Accepted`, `${preamble}Refused`],
    ['words behind a long preamble', { message: `${preamble}Accepted` }, { message: `${preamble}Refused` }],
    ['a field that no profile names', { message: 'Done', state: 'A' }, { message: 'Done', state: 'B' }],
    ['a nested field', { message: 'Done', data: { n: [1, 2] } }, { message: 'Done', data: { n: [1, 3] } }],
    ['a long code', { code: 10_000_017 }, { code: 10_000_018 }],
    ['a long code of another name', { ResultCode: '40010001' }, { ResultCode: '40010002' }],
    ['a long status', { status: 20_000_001 }, { status: 20_000_002 }],
    ['a long code in a text', 'error code: 10000017', 'error code: 10000018'],
    ['a given id or none', { message: 'Done', ref: 'none' }, { message: 'Done', ref: 'given' }],
    ['a messageid or a placeholder', { code: 7, messageid: '0' }, { code: 7, messageid: 'a-77' }],
    ['a number or its text', { ResultCode: 0 }, { ResultCode: '0' }],
    ['another number than the sent one, of few digits', { message: 'To 40404' }, { message: 'To 40405' }],
    ['a digit before the number', `0 ${MOBILE}`, `17 ${MOBILE}`],
    ['digits before the number at home', 'Result 0 0712345678', 'Result 17 0712345678'],
    ['a code before the number', `ERR 105 ${MOBILE}`, `ERR 108 ${MOBILE}`],
    ['a digit and a dash before the number', { message: `0-${MOBILE}` }, { message: `17-${MOBILE}` }],
    ['a digit and a dot before the number', { message: `0.${MOBILE}` }, { message: `12.${MOBILE}` }],
    ['digits behind the point of a long number', 'Credit 98765432.17', 'Credit 98765432.0'],
    ['true or false', { accepted: true }, { accepted: false }],
    ['null or nothing', { message: 'Done', error: null }, { message: 'Done' }],
  ])('%s', (_what, one, other) => {
    expect(group(one)).toEqual(expect.any(String));
    expect(group(other)).toEqual(expect.any(String));
    expect(group(one)).not.toBe(group(other));
  });

  test('the same text as a code of two messages is no echo', () => {
    const said = (code: string) => group({ code }, {}, { ...REQUEST, message: code });
    expect(said('7003')).not.toBe(said('7004'));
  });

  test('an id at another path than that of the messageids', () => {
    const rules = rulesOf(withIdsAt(['data.id']));
    const said = (body: object) => group(body, {}, REQUEST, rules);
    expect(said({ error: { id: 17 } })).not.toBe(said({ error: { id: 18 } }));
    expect(said({ code: 7, data: { id: 17 } })).toBe(said({ code: 7, data: { id: 18 } }));
  });

  test('a short text that stands among the words of an answer', () => {
    const said = (message: string) => group({ info: `Message ${message}` }, {}, { ...REQUEST, message });
    expect(said('Accepted')).not.toBe(said('Rejected'));
  });
});

/** A number's shapes (API document 2.1), and how gateways write them. */
function shapes(mobile: string): string[] {
  const local = mobile.slice(3);
  const apart = `+${mobile.slice(0, 3)} ${local.slice(0, 3)} ${local.slice(3, 6)} ${local.slice(6)}`;
  return [mobile, `+${mobile}`, `0${local}`, local, apart, `${mobile.slice(0, 4)}****${mobile.slice(-4)}`];
}

function varied(n: number) {
  const digest = createHash('md5').update(`${n}`).digest('hex');
  const uuid = digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const at = new Date(1_790_000_000_000 + n * 61_007);
  const mobile = `2547${String(10_000_000 + n * 7_919).slice(-8)}`;
  const message = `Dear Asha ${n}, your order number ${n * 13} is ready at our shop in Nairobi.`;
  return { n, uuid, digest, at, mobile, message, request: { ...REQUEST, mobile, message } };
}

describe('one group', () => {
  const bodies: [what: string, of: (each: ReturnType<typeof varied>) => Body][] = [
    [
      'id, time and number in fields',
      ({ n, at, mobile, uuid }) => ({
        ResultCode: 17,
        messageid: `m-${n}`,
        requestId: uuid,
        at,
        mobile,
        seconds: at.getTime(),
      }),
    ],
    [
      'id, time and number in words',
      ({ at, mobile, uuid, n }) => ({
        message: `Queued ${mobile} at ${at.toISOString()}, reference ${uuid}, ticket ${n + 10_000_000}`,
      }),
    ],
    ['the echoed text', ({ message }) => ({ ResultCode: 17, sms: message, short: message.slice(0, 40) })],
    ['a page', ({ mobile, digest, at }) => `<b>Held</b> ${mobile} <i>${digest}</i> ${at.toUTCString()}`],
  ];
  test.each(bodies)('of 500 answers that differ in %s', (_what, of) => {
    const groups = new Set<string | undefined>();
    for (let n = 0; n < 500; n += 1) groups.add(group(of(varied(n)), {}, varied(n).request));
    expect([...groups]).toEqual([expect.any(String)]);
  });

  test.each(shapes(MOBILE).map((_, index) => index))('of the sent number in shape %i', (index) => {
    const said = (mobile: string) =>
      group({ info: `Held for ${shapes(mobile)[index]}` }, {}, { ...REQUEST, mobile });
    expect(said('254711000111')).toBe(said('254722333444'));
  });

  test.each([
    '2026-11-28',
    '2026-11-28 10:02:33',
    '2026-11-28T10:02:33.123+03:00',
    '28/11/2026 10:02',
    '28-Nov-2026 10:02:33',
    'Nov 28, 2026 10:02 AM',
    'Sat, 28 Nov 2026 10:02:33 GMT',
    '10:02:33',
    '1790000000',
    '1790000000123',
  ])('whatever the time is: %s', (time) => {
    expect(question({ info: `Held since ${time}` })?.words).toMatch(/^info: Held since <(?:time|number)>$/);
  });

  test('the order of names says nothing', () => {
    expect(group('{"a":"x","b":1}')).toBe(group('{ "b": 1, "a": "x" }'));
  });
});

describe('no group: such an answer waits for a person by itself', () => {
  test.each<[what: string, body: Body, reply: Partial<Reply>]>([
    ['it is too long to be kept whole', { message: 'x'.repeat(2_050) }, {}],
    ['it is JSON that was cut', '{"ResultCode":1', {}],
    ['it is a text whose end nobody declared', 'Message ac', { endIsSaid: false }],
    ['it is one number whose end nobody declared', '1', { endIsSaid: false }],
    ['it is empty', ' ', {}],
    ['it is compressed', 'xx', { encoded: true }],
    ['it is a page of a gateway', '<h1>Bad gateway</h1>', { status: 502 }],
  ])('%s', (_what, body, reply) => {
    expect(question(body, reply)).toBeNull();
  });

  test('whole JSON says itself where it ends', () => {
    expect(question({ ResultCode: 17 }, { endIsSaid: false })).not.toBeNull();
  });
});

test('people see the words without private parts, or else the content', () => {
  expect(question({ errors: { to: [`${MOBILE} is barred`] } })?.words).toBe('to: <mobile> is barred');
  expect(question({ ResultCode: 17 })?.words).toBe('{"ResultCode":17}');
  expect(question({ code: 17 })?.words).toBe('');
  expect(question({ info: 'KEY_CANARY-4f1b is old' })?.words).toBe('info: [secret] is old');
});

test('the names of the fields with an id and a code come from the profile', () => {
  const { send } = defaultProfile;
  const fields = { ...send.fields, message_id: ['receipt.ticket'], code: ['verdict'] };
  const rules = rulesOf({ ...defaultProfile, send: { ...send, fields } });
  const content = (ticket: string, verdict: number) => {
    const reply = recorded({ status: 402, body: JSON.stringify({ receipt: { ticket }, verdict }) });
    const result = classifySend({ request: REQUEST, reply, now: 0, rules });
    return (result as WireEvidence).question?.content;
  };
  // An id under a refusing status contradicts it, so only placeholders are compared here.
  expect(content('none', 10_000_017)).not.toBe(content('none', 10_000_018));
});
