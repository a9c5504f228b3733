import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import type { ReportsProfile } from '../../../src/provider/profiles/profile.ts';
import { webhookParser } from '../../../src/provider/webhooks/read-webhook.ts';

const read = (payload: object, profile: ReportsProfile = defaultProfile.reports) => {
  const body = new TextEncoder().encode(JSON.stringify({ messageid: '1', ...payload }));
  return webhookParser(profile)({ query: '', body }).reports[0];
};

describe('the word of a report', () => {
  it('has letters where any field of status has, and is a number only where none has', () => {
    expect(read({ deliverystatus: 32, status: 'Delivered' })).toMatchObject({ word: 'Delivered' });
    expect(read({ deliverystatus: 32, status: 4 })).toMatchObject({ word: '32', delivery: null });
  });

  it('is that of an event in any case', () => {
    expect(read({ event: 'SMS.Delivered' })).toMatchObject({ word: 'Delivered', delivery: 'delivered' });
    expect(read({ event: 'MESSAGE-FAILED' })).toMatchObject({ delivery: 'undelivered' });
  });

  it('is cut where it is long, and so are the reason and the network', () => {
    const long = { status: `failed${'x'.repeat(200)}`, reason: 'y'.repeat(200), networkid: 'z'.repeat(200) };
    const read1 = read(long);
    expect([read1?.word.length, read1?.reason?.length, read1?.network?.length]).toEqual([120, 120, 60]);
  });
});

it('an id that is longer than any service gives is none', () => {
  expect(read({ messageid: 'i'.repeat(200), status: 'Sent' })?.messageId).toHaveLength(200);
  expect(read({ messageid: 'i'.repeat(201), status: 'Sent' })).toBeUndefined();
});

describe('why a message was not delivered', () => {
  const undelivered = { status: 'Undelivered' };

  it('is not zero, in however many digits', () => {
    for (const errcode of [0, '000']) expect(read({ ...undelivered, errcode })?.reason).toBe('not delivered');
  });

  it('is shown as it came where the word of status has no reason', () => {
    expect(read({ status: 'Sent', reason: 'Queue is full' })).toMatchObject({ reason: 'Queue is full' });
    expect(read({ status: 'Teleported', reason: '0' })).toMatchObject({ delivery: null, reason: null });
  });

  it('says nothing of a number whose message was delivered, or may yet be', () => {
    const given = { reason: 'UserInBlacklist' };
    expect(read({ ...undelivered, ...given })?.effect).toBe('opted_out');
    for (const status of ['Delivered', 'Sent', 'Teleported'])
      expect(read({ status, ...given })).not.toHaveProperty('effect');
  });
});

it('the query counts only where the body says nothing', () => {
  const parse = webhookParser(defaultProfile.reports);
  const one = { messageid: '1', status: 'Sent' };
  const query = 'messageid=2&status=Failed&source=bulk';
  for (const [body, id] of [
    [JSON.stringify(one), '1'],
    [JSON.stringify({ results: [one] }), '1'],
    ['{"results":[]}', '2'],
    ['', '2'],
  ] as const)
    expect(parse({ query, body: new TextEncoder().encode(body) }).reports).toMatchObject([{ messageId: id }]);
});

it('a body of a format that is not read is not understood, whatever the query says', () => {
  const parse = webhookParser(defaultProfile.reports);
  const part = 'Content-Disposition: form-data; name="messageid"\r\n\r\n1&messageid=1&status=Failed';
  for (const body of [
    '\n<dlr><messageid>1</messageid><status>Sent</status></dlr>',
    '<sms><message>&messageid=1&status=Failed</message></sms>',
    `--x\r\n${part}\r\n--x--`,
    'messageid=1&status=Sent&messageid=2&status=Failed',
    'messageid=1&status=Sent&tag=a&tag=a',
  ])
    for (const query of ['', 'messageid=2&status=Failed', 'event=sms.dlr'])
      expect(parse({ query, body: new TextEncoder().encode(body) })).toEqual({
        kind: 'not_understood',
        reports: [],
      });
});

it('a query that names a field twice is not understood', () => {
  const parse = webhookParser(defaultProfile.reports);
  const query = 'messageid=1&status=Sent&messageid=2&status=Failed';
  expect(parse({ query, body: new Uint8Array() })).toEqual({ kind: 'not_understood', reports: [] });
});

describe('JSON', () => {
  const parse = webhookParser(defaultProfile.reports);
  const idsOf = (body: string) =>
    parse({ query: '', body: new TextEncoder().encode(body) }).reports.map(({ messageId }) => messageId);
  const one = { messageid: '1', status: 'Sent' };

  it('may stand in several lines, but is one value', () => {
    expect(idsOf(JSON.stringify(one, null, 2))).toEqual(['1']);
    expect(idsOf([one, one].map((each) => JSON.stringify(each)).join('\r\n\r\n'))).toEqual([]);
  });

  it('nests no deeper for what stands side by side, or in a text with quotation marks', () => {
    const deep = '['.repeat(40);
    const lists = Array.from({ length: 40 }, () => []);
    for (const note of [lists, `say "${deep}`, `C:\\`, `\\" ${deep}`])
      expect(idsOf(JSON.stringify({ note, ...one }))).toEqual(['1']);
  });
});

describe('what is a report, and what is not', () => {
  it('a text makes it an inbound message, unless its event or a known word says that it is a report', () => {
    const texts = [{ message: 'Karibu' }, { text: 'Karibu' }];
    for (const text of texts) {
      expect(read({ status: 'Teleported', ...text })).toBeUndefined();
      expect(read({ status: 'Sent', ...text })).toMatchObject({ word: 'Sent' });
      expect(read({ event: 'sms.dlr', status: 'Teleported', ...text })).toMatchObject({ delivery: null });
    }
  });

  it('an event of a chat is one though what it wraps has a type of its own', () => {
    const said = { id: 'w1', status: 'delivered', to: '254712345678' };
    expect(read({ event: 'whatsapp.message.status', data: { type: 'status', ...said } })).toBeUndefined();
    expect(read({ event: 'message.status', type: 'whatsapp', ...said })).toBeUndefined();
    expect(read({ event: 'sms.sent', name: 'WhatsApp group', ...said })).toMatchObject({ word: 'delivered' });
  });

  it('the names of each channel of chats tell its events, and without a channel none is one', () => {
    const withChats = (...chat: string[]) => {
      const { event_names: names, ...rest } = defaultProfile.reports;
      return { ...rest, event_names: { ...names, chat } };
    };
    const said = { event: 'telegram.message.status', status: 'delivered' };
    expect(read(said, withChats())).toMatchObject({ delivery: 'delivered' });
    expect(read(said, withChats('whatsapp.message.received', 'telegram.received'))).toBeUndefined();
  });
});

it.each([
  { event: 'payment.received', status: 'Success', reference: 'TX123', phone: '254712000001' },
  { type: 'PaymentReceived', status: 'Delivered' },
  { event: 'mpesa_c2b', data: { messageid: '7', status: 'Success' } },
  { event: 'airtime.sent', status: 'Sent' },
  { event: 'order:delivered' },
])('what became of a payment or an order is no report of a message: %j', (payload) => {
  expect(read(payload)).toBeUndefined();
});

it('a report that says so is one, also within an envelope of another kind', () => {
  const report = { event: 'sms.failed', status: 'Failed', messageid: '9' };
  expect(read({ event: 'account.update', data: report })).toMatchObject({
    messageId: '9',
    delivery: 'undelivered',
  });
});

describe('a word of the default profile', () => {
  it.each([
    ['Subscriber Opted-Out', 'opted out'],
    ['SUBSCRIBER_OPT_OUT', 'opted out'],
    ['REJECTED_DND', 'opted out'],
    ['EXPIRED_EXPIRED', 'absent'],
    ['UNDELIVERABLE_NOT_DELIVERED', 'not delivered'],
    ['UNDELIVERABLE_REJECTED_OPERATOR', 'not delivered'],
    ['REJECTED_NETWORK', 'not delivered'],
    ['REJECTED_SOURCE', 'sender or content refused'],
    ['REJECTED_FLOODING_FILTER', 'sender or content refused'],
    ['REJECTED_PREPAID_PACKAGE_EXPIRED', 'no credit'],
  ])('%s is a failure: %s', (status, reason) => {
    expect(read({ status })).toMatchObject({ delivery: 'undelivered', reason });
  });

  it.each(['PENDING_ENROUTE', 'PENDING_WAITING_DELIVERY', 'EXPIRED_DLR_UNKNOWN'])(
    '%s is no end',
    (status) => {
      expect(read({ status })).toMatchObject({ delivery: 'pending' });
    },
  );

  it.each([
    'Subscriber Opted-In',
    'Subscriber Opt In',
    'SubscriberOptions',
    'Subscriber Opted Out Revoked',
    'Pending: failed',
    'PendingExpired',
    'Expired but delivered',
    'Delivery impossible to confirm',
    'Undeliverable for now, will retry',
    'Rejected, then delivered',
    'Delivered partly',
  ])('is not at the beginning of another: %s', (status) => {
    expect(read({ status })).toMatchObject({ delivery: null, reason: null });
    expect(read({ status: 'Failed', reason: status })).toMatchObject({ reason: `not delivered (${status})` });
    expect(read({ status: 'Failed', reason: status })).not.toHaveProperty('effect');
  });

  it('is whole, whereas a word of a profile file may end in a star, and the longest beginning counts', () => {
    const { delivered, pending, undelivered } = defaultProfile.reports.words;
    const all = [...delivered, ...pending, ...undelivered.flatMap(({ words }) => words)];
    expect(all.filter((word) => word.endsWith('*'))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
    const own = { delivered: ['blocked, sent on*'], pending: ['blocked*', 'blockedbyme'], undelivered };
    const profile = { ...defaultProfile.reports, words: own };
    const readOwn = (status: string) => read({ status }, profile)?.delivery;
    expect(['Blocked', 'Blocked twice', 'Blocked, sent on again', 'Not blocked'].map(readOwn)).toEqual([
      'undelivered',
      'pending',
      'delivered',
      null,
    ]);
  });
});
