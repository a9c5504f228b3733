import { describe, expect, test } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import { classify, OK, refusal, refused, serverError, unlisted, unreadable, type Row } from '../recorded.ts';
import { API_SECRET, MOBILE, TEXT } from '../support.ts';

/* Whole answers, recorded, by the rows of the table of answers that a provider can give. */

const ACCEPTED: Row[] = [
  {
    row: 'the documented success [P5]',
    body: OK,
    is: {
      outcome: 'accepted',
      messageId: '8290842',
      network: '1',
      costMicro: 800_000,
      flags: [],
      code: '200',
      words: 'Success',
      raw: null,
    },
  },
  {
    row: '201 and a byte order mark [P5]',
    status: 201,
    body: `\ufeff${JSON.stringify(OK)}`,
    is: { outcome: 'accepted' },
  },
  {
    row: 'the code as a number [P5]',
    body: { ...OK, responsecode: 200 },
    is: { outcome: 'accepted', code: '200' },
  },
  {
    row: 'the family’s wrapper, its misspelling and numbers everywhere [P5]',
    body: {
      responses: [
        {
          'respose-code': 200,
          'response-description': 'Success',
          mobile: 254712345678,
          messageid: 8290842,
          networkid: 1,
          messagecost: 0.8,
        },
      ],
    },
    is: { outcome: 'accepted', messageId: '8290842', network: '1', costMicro: 800_000, flags: [] },
  },
  { row: 'a bare array of one [P5]', body: [OK], is: { outcome: 'accepted' } },
  {
    row: 'code outside, message inside [P5]',
    body: { code: 200, message: 'Successfully Sent', data: { message_id: 'a', mobile: MOBILE, cost: '1' } },
    is: { outcome: 'accepted', messageId: 'a' },
  },
  ...['254712345678', '0712345678', '712345678', '+254712345678', '+254 712-345-678', '00254712345678'].map(
    (mobile): Row => ({
      row: `the number echoed as ${mobile} [P5]`,
      body: { ...OK, mobile },
      is: { outcome: 'accepted', flags: [] },
    }),
  ),
  {
    row: 'no number echoed [P5]',
    body: { ...OK, mobile: undefined },
    is: { outcome: 'accepted', flags: ['no_mobile_echoed'] },
  },
  {
    row: 'an empty number echoed [P5]',
    body: { ...OK, mobile: '' },
    is: { outcome: 'accepted', flags: ['no_mobile_echoed'] },
  },
  {
    row: 'words of refusal do not undo a success with a messageid [P5]',
    body: { ...OK, responsedescription: 'Success, credit balance 10 units' },
    is: { outcome: 'accepted' },
  },
  {
    row: 'the same messageid twice is taken twice [P13]',
    body: { ...OK, messageid: '1' },
    is: { outcome: 'accepted', messageId: '1' },
  },
  ...['00012', '9007199254740993', 'a'.repeat(300), '消息-é', "'; DROP TABLE message; --", ' x '].map(
    (messageid): Row => ({
      row: `messageid ${messageid.slice(0, 24)} as text [P16]`,
      body: { ...OK, messageid },
      is: { outcome: 'accepted', messageId: messageid },
    }),
  ),
  {
    row: 'a messageid beyond 2^53 as a number keeps each digit [P16]',
    body: JSON.stringify(OK).replace('"8290842"', '90071992547409931234'),
    is: { outcome: 'accepted', messageId: '90071992547409931234' },
  },
  {
    row: 'a messageid in exponent form is kept as written [P16]',
    body: JSON.stringify(OK).replace('"8290842"', '1.50e3'),
    is: { outcome: 'accepted', messageId: '1.50e3' },
  },
  ...[
    '',
    '-0.80',
    'USD 0.80',
    '1,50.00',
    '1,000.000,00',
    'NaN',
    '1e3',
    '0.1234567',
    '712345678',
    '1000000.01',
    undefined,
    null,
    {},
  ].map(
    (messagecost): Row => ({
      row: `cost ${JSON.stringify(messagecost)} is unknown, not zero [P17]`,
      body: { ...OK, messagecost },
      is: { outcome: 'accepted', costMicro: null, flags: ['cost_unreadable'], raw: expect.any(String) },
    }),
  ),
  {
    row: 'a dear message in a small currency is taken at its word [P17]',
    body: { ...OK, messagecost: '1000000.00' },
    is: { outcome: 'accepted', costMicro: 1_000_000_000_000, flags: [] },
  },
  {
    row: 'a cost of nothing is a cost [P17]',
    body: { ...OK, messagecost: '0.00' },
    is: { outcome: 'accepted', costMicro: 0, flags: [] },
  },
];

const REFUSED: Row[] = [
  {
    row: '1001 [P6]',
    body: refusal(1001, 'Invalid sender id'),
    is: { ...refused('sender'), code: '1001', words: 'Invalid sender id' },
  },
  { row: '1002 [P6]', body: refusal(1002, 'Network not allowed'), is: refused('network') },
  { row: '1003 [P6]', body: refusal(1003, 'Invalid mobile number'), is: refused('contact') },
  {
    row: '1003 inside a wrapper under an outer 200 [P6]',
    body: {
      'response-code': 200,
      responses: [{ 'response-code': 1003, 'response-description': 'Invalid mobile number' }],
    },
    is: refused('contact'),
  },
  { row: '1010 [P6]', body: refusal(1010, 'Unsupported request type'), is: refused('request') },
  ...[
    { success: false, message: 'Recipient is BLACKLISTED' },
    { code: '101', message: 'You have insufficient units' },
    { code: '101', message: 'Invalid recipient' },
    { code: '9', message: 'Message could not be sent: insufficient balance' },
    { code: '405', message: 'Insufficient balance', messageid: 'None' },
    { code: 12, message: 'Sender not assigned to you' },
  ].map(
    (body): Row => ({
      row: `words never refuse by themselves: ${body.message} [P6b]`,
      body,
      is: { outcome: 'unknown', question: { content: expect.any(String), words: body.message } },
    }),
  ),
  {
    row: 'words of success beside no messageid accept nothing [P8]',
    status: 400,
    body: { code: 7, message: 'Only GSM characters are accepted', messageid: '0' },
    is: refused('request'),
  },
  {
    row: 'a vague word says whose fault it is where the status refuses [P8]',
    status: 400,
    body: { message: 'Check the sender' },
    is: refused('sender'),
  },
  {
    row: 'words win over the number [P6]',
    body: refusal(1009, 'x'),
    profile: { send: { ...defaultProfile.send, uncertain_codes: [], refusal_codes: { 1009: 'request' } } },
    is: refused('request'),
  },
  {
    row: 'low credit under the number of a wrong sender [P6]',
    body: refusal(1001, 'Low bulk credits'),
    is: refused('credit'),
  },
  {
    row: 'the number stays when the words bear it out as well [P6]',
    body: refusal(1003, 'Invalid mobile, credit not charged'),
    is: refused('contact'),
  },
  {
    row: 'a listed code refuses, messageid or not [P6]',
    body: { ...refusal(1003, 'Invalid mobile number'), messageid: 'a101' },
    is: refused('contact'),
  },
  {
    row: 'a profile of one’s own [P6]',
    body: refusal(7, 'nope'),
    profile: { send: { ...defaultProfile.send, refusal_codes: { 7: 'opted_out' } } },
    is: refused('opted_out'),
  },
  {
    row: '1004 is the account’s credit [P9]',
    body: refusal(1004, 'Low bulk credits'),
    is: refused('credit'),
  },
  {
    row: '1006 is the credentials [P9]',
    body: refusal(1006, 'Invalid credentials'),
    is: refused('credentials'),
  },
  ...['4091', '4092', '4093'].map(
    (code): Row => ({
      row: `${code} [P9]`,
      body: refusal(Number(code), 'No such'),
      is: refused('credentials'),
    }),
  ),
  {
    row: 'the body of the document’s section 7 [P9]',
    status: 401,
    body: { status: 'error', message: 'Invalid API key or secret.' },
    is: refused('credentials'),
  },
  { row: '401 [P9]', status: 401, body: '', is: refused('credentials') },
  {
    row: '403 with a page of HTML [P9]',
    status: 403,
    body: '<html>Forbidden</html>',
    is: refused('credentials'),
  },
  {
    row: '403 for credit [P9]',
    status: 403,
    body: { message: 'Low balance' },
    is: refused('credit'),
  },
  {
    row: 'a sender that is not ours [P9b]',
    status: 400,
    body: { code: 12, message: 'Sender not assigned to you' },
    is: refused('sender'),
  },
  ...[400, 404, 405, 413, 415, 422].map(
    (status): Row => ({
      row: `${status} [P8]`,
      status,
      body: '<h1>no</h1>',
      is: { ...refused('request'), httpStatus: status },
    }),
  ),
  {
    row: '400 whose body says whose fault it is [P8]',
    status: 400,
    body: refusal(1003, 'Invalid mobile number'),
    is: refused('contact'),
  },
  {
    row: '422 of another field [P8]',
    status: 422,
    body: { message: 'The mobile field is required.' },
    is: refused('contact'),
  },
  {
    row: 'another 4xx with a listed code [P8]',
    status: 402,
    body: refusal(1004, 'Low bulk credits'),
    is: refused('credit'),
  },
  ...[300, 301, 302, 304, 307, 308].map(
    (status): Row => ({
      row: `${status} [P12]`,
      status,
      is: {
        ...refused('request'),
        words: `HTTP ${status}: a redirect, which is never followed; if only the slash at the end of the address is missing, set "trailing_slash": true in the profile`,
      },
    }),
  ),
];

const DOUBTFUL: Row[] = [
  ...[1005, 1007, 1008, 1009, 4090].map(
    (code): Row => ({
      row: `${code} [P6b]`,
      body: refusal(code, 'Insufficient something'),
      is: { ...unlisted, code: String(code) },
    }),
  ),
  {
    row: 'a code that nobody knows [P6b]',
    body: refusal(777, 'Whatever'),
    is: { ...unlisted, words: 'Whatever' },
  },
  ...['Queued', 'Dispatched', 'Enqueued', 'Buffered', 'Forwarded', 'Completed'].map(
    (word): Row => ({
      row: `words of success (${word}) under an unlisted code are not read as a refusal [P6b]`,
      body: { code: 1, message: `${word}. Credit balance: 10` },
      is: unlisted,
    }),
  ),
  ...['Dispatched. Balance: 93.20', 'On its way from shortcode DUKA to mobile'].map(
    (words): Row => ({
      row: `"${words}" with a messageid under an unlisted code is no refusal, whatever its words [P6b]`,
      body: { ...refusal(0, words), mobile: MOBILE, messageid: 'a101' },
      is: unlisted,
    }),
  ),
  ...[
    'OK. Balance: 93.20',
    'No error. 94 units left',
    'Received for mobile 254712345678',
    'In progress. Sender: DUKA. Recipients: 1',
    'Taken. To opt out dial *456*9*5#',
  ].map(
    (words): Row => ({
      row: `"${words}" may be said of an acceptance, whose id has a name that nobody knows [P6b]`,
      body: { code: 0, message: words, id: 'a101' },
      is: unlisted,
    }),
  ),
  {
    row: 'a messageid may be all letters [P6b]',
    body: { code: 101, message: 'Taken. Blocked credit: 10', messageid: 'qWxAbc' },
    is: unlisted,
  },
  {
    row: 'a 4xx that nobody knows, of a message that came before [P6b]',
    status: 409,
    body: { message: 'Duplicate: this mobile has it already' },
    is: unlisted,
  },
  {
    row: 'a 4xx whose body has a messageid and words of a refusal [P6b]',
    status: 409,
    body: { message: 'A duplicate for this recipient', messageid: 'a101' },
    is: unreadable,
  },
  {
    row: '"failed" under a status that refuses [P6b]',
    status: 400,
    body: refusal(1005, 'Failed'),
    is: unlisted,
  },
  { row: 'a 4xx that nobody knows [P6b]', status: 418, body: 'teapot', is: unlisted },
  {
    row: 'our own text, echoed, is not read as words [P6b]',
    body: { code: 777, message: TEXT },
    is: { ...unlisted, words: 'HTTP 200' },
  },
  ...[
    '',
    'OK',
    '<html>Success</html>',
    'null',
    '"200"',
    '[]',
    '{}',
    '{"responsecode":"200"',
    '[{"a":1},{"b":2}]',
    '1',
  ].map((body): Row => ({ row: `${body.slice(0, 30) || 'an empty body'} [P7]`, body, is: unreadable })),
  { row: '204 [P7]', status: 204, is: unreadable },
  ...[undefined, 0, '0', '-1', 'None', 'failed'].map(
    (messageid): Row => ({ row: `${messageid} for an id [P7]`, body: { ...OK, messageid }, is: unreadable }),
  ),
  { row: 'success with an empty messageid [P7]', body: { ...OK, messageid: ' ' }, is: unreadable },
  { row: 'success with null for messageid [P7]', body: { ...OK, messageid: null }, is: unreadable },
  {
    row: 'success without a messageid is no refusal, whatever its words [P7]',
    body: { responsecode: 200, responsedescription: 'Low credit balance' },
    is: unreadable,
  },
  { row: 'a messageid without a code [P7]', body: { messageid: '5', mobile: MOBILE }, is: unreadable },
  { row: 'a status that refuses and a body that accepts [P7]', status: 400, body: OK, is: unreadable },
  { row: '429 and a body that accepts [P7]', status: 429, body: OK, is: unreadable },
  ...[302, 400, 401, 403, 404, 429].flatMap((status): Row[] => [
    {
      row: `${status} and a body that accepts under a code of its own [P7]`,
      status,
      body: { code: 0, message: 'Queued for delivery', messageid: 'a101' },
      is: unreadable,
    },
    {
      row: `${status} and a body that accepts without a messageid [P7]`,
      status,
      body: { ...OK, messageid: undefined },
      is: unreadable,
    },
  ]),
  ...[
    '254712345679',
    '255712345678',
    '0712345679',
    '12345678',
    '254712345678,254712345679',
    '2547****5678',
    'unknown',
    '+712345678',
  ].map(
    (mobile): Row => ({
      row: `success that names ${mobile} [P7 P15]`,
      body: { ...OK, mobile },
      is: unreadable,
    }),
  ),
  {
    row: 'a refusal that names another number [P15]',
    body: { ...refusal(1003, 'Invalid mobile number'), mobile: '254700000001' },
    is: unreadable,
  },
  {
    row: 'a refusal that names a zero for a number [P6]',
    body: { ...refusal(1003, 'Invalid mobile number'), mobile: 0 },
    is: refused('contact'),
  },
  ...[408, 425, 500, 502, 503, 504, 520, 599].map(
    (status): Row => ({
      row: `${status} [P11]`,
      status,
      body: '<html>',
      is: { ...serverError, httpStatus: status },
    }),
  ),
  {
    row: '500 stays open even when its body names a refusal [P11]',
    status: 500,
    body: refusal(1003, 'Invalid mobile number'),
    is: serverError,
  },
  {
    row: '503 with a Retry-After that cannot be read [P11]',
    status: 503,
    reply: { retryAfter: 'soon' },
    is: serverError,
  },
  { row: '500 with Retry-After [P11]', status: 500, reply: { retryAfter: '5' }, is: serverError },
  { row: 'arrays a hundred thousand deep [X29]', body: '['.repeat(65_000), is: unreadable },
  {
    row: 'closed arrays thirty thousand deep, with a number [X29]',
    body: `${'['.repeat(30_000)}1${']'.repeat(30_000)}`,
    is: unreadable,
  },
  {
    row: '__proto__ gives no field [X8]',
    body: `{"__proto__":{"responsecode":"200","messageid":"1"},"x":1}`,
    is: unreadable,
  },
];

for (const [name, rows] of Object.entries({ ACCEPTED, REFUSED, DOUBTFUL })) {
  describe(name, () => {
    for (const row of rows) {
      test(row.row, () => {
        expect(classify(row)).toMatchObject(row.is);
      });
    }
  });
}

describe('evidence', () => {
  test('control characters and direction marks of the provider do not reach a terminal [X35]', () => {
    const result = classify({
      row: '',
      body: refusal(777, 'Bad\u001b]0;owned\u0007\r\nnext\u202eline'),
      is: {},
    });
    expect(result.words).toBe('Bad ]0;owned next line');
    expect(result.raw).not.toMatch(/\p{Cc}/u);
  });

  test('raw is at most 2 kB and ends at a whole character [P7]', () => {
    const result = classify({ row: '', body: `x${'é'.repeat(20_000)}`, is: {} });
    expect(Buffer.byteLength(result.raw ?? '')).toBeLessThanOrEqual(2_048);
    expect(result.raw).not.toContain('\ufffd');
  });

  test('a messageid that holds a credential is not taken over [X10]', () => {
    const result = classify({ row: '', body: { ...OK, messageid: `id-${API_SECRET}` }, is: {} });
    expect(result).toMatchObject(unreadable);
    expect(JSON.stringify(result)).not.toContain(API_SECRET);
  });
});
