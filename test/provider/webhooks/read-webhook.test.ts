import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import type { ParsedReport } from '../../../src/provider/webhooks/report.ts';
import { webhookParser } from '../../../src/provider/webhooks/read-webhook.ts';

const parse = webhookParser(defaultProfile.reports);
const encoder = new TextEncoder();

const json = (value: unknown) => parse({ query: '', body: encoder.encode(JSON.stringify(value)) });
const text = (body: string) => parse({ query: '', body: encoder.encode(body) });
const query = (query: string) => parse({ query, body: new Uint8Array() });

function report(fields: Partial<ParsedReport>): ParsedReport {
  return {
    messageId: '192325341',
    word: 'DeliveredToTerminal',
    delivery: 'delivered',
    reason: null,
    mobile: null,
    network: null,
    at: null,
    ...fields,
  };
}

/** Nairobi is three hours ahead of UTC. */
const NOON_UTC = Date.UTC(2025, 10, 24, 12, 0, 0);

describe('the shapes of a delivery report', () => {
  it('reads the flat object of Advanta and Bulkit', () => {
    const parsed = json({
      description: 'DeliveredToTerminal',
      messageid: '192325341',
      timeTaken: '22s',
      timestamp: '2025-11-24 15:00:00',
    });
    expect(parsed).toEqual({ kind: 'report', reports: [report({ at: NOON_UTC })] });
  });

  it('takes the description of a getdlr answer, not its number nor its response description', () => {
    const parsed = json({
      'response-code': 200,
      'message-id': 192325341,
      'response-description': 'Success',
      'delivery-status': 32,
      'delivery-description': 'AbsentSubscriber',
      'delivery-tat': '00:02:30',
      'delivery-networkid': 2,
      'delivery-time': '2025-11-24 15:00:00',
    });
    const absent = {
      word: 'AbsentSubscriber',
      delivery: 'undelivered',
      reason: 'absent',
      effect: 'absent',
    } as const;
    expect(parsed.reports).toEqual([report({ ...absent, network: '2', at: NOON_UTC })]);
  });

  it('does not take "No dlr" without an id for a report', () => {
    expect(json({ 'response-code': 1009, 'response-description': 'No dlr' })).toEqual({
      kind: 'not_understood',
      reports: [],
    });
  });

  it('reads Tilil, whose status is a number beside a description', () => {
    const parsed = json({
      messageId: '192325341',
      dlrTime: '2025-11-24 15:00:00',
      dlrStatus: 1,
      dlrDesc: 'DeliveredToTerminal',
      tat: '00:00:06',
      network: '1',
    });
    expect(parsed.reports).toEqual([report({ network: '1', at: NOON_UTC })]);
  });

  it('reads Belio, whose id is called correlator', () => {
    const parsed = json({
      type: 'SmsDeliveryReceipt',
      correlator: '192325341',
      phone: '254712345678',
      timestamp: '2025-11-24T12:00:00.000Z',
      deliveryStatus: 'DeliveryImpossible',
      reason: 'UserNotExist',
      reasonCode: 7,
    });
    const failed = {
      word: 'DeliveryImpossible',
      delivery: 'undelivered',
      reason: 'bad number',
      effect: 'permanent',
    } as const;
    expect(parsed.reports).toEqual([report({ ...failed, mobile: '254712345678', at: NOON_UTC })]);
  });

  it("reads the form of Africa's Talking, plus sign and all", () => {
    const parsed = text(
      'id=ATXid_1&status=Failed&phoneNumber=%2B254712345678&networkCode=63902&failureReason=UserInBlacklist',
    );
    const failed = {
      word: 'Failed',
      delivery: 'undelivered',
      reason: 'opted out',
      effect: 'opted_out',
    } as const;
    expect(parsed.reports).toEqual([
      report({ ...failed, messageId: 'ATXid_1', mobile: '254712345678', network: '63902' }),
    ]);
  });

  it('reads MTN', () => {
    const parsed = json({
      transactionId: '192325341',
      deliveryStatus: 'DeliveredToTerminal',
      senderAddress: 'DUKA',
      receiverAddress: 'tel:+254712345678',
    });
    expect(parsed.reports).toEqual([report({ mobile: '254712345678' })]);
  });

  it('reads the nested notification of ParlayX, and the same as a list', () => {
    const deliveryInfo = { address: 'tel:254712345678', deliveryStatus: 'DeliveredToTerminal' };
    const expected = [report({ mobile: '254712345678' })];
    const single = json({ deliveryInfoNotification: { callbackData: '192325341', deliveryInfo } });
    expect(single.reports).toEqual(expected);
    const listed = json({
      deliveryInfoNotification: { callbackData: '192325341', deliveryInfo: [deliveryInfo] },
    });
    expect(listed.reports).toEqual(expected);
  });

  it('reads Hollatags and its done date', () => {
    const parsed = json({
      message_id: '192325341',
      status: 'DELIVRD',
      status_code: '000',
      done_date: '2511241500',
      operator: 'MTN',
      pg_length: 1,
      cost: 2.5,
    });
    expect(parsed.reports).toEqual([report({ word: 'DELIVRD', network: 'MTN', at: NOON_UTC })]);
  });

  it('reads a page of Infobip, each result by itself', () => {
    const result = (messageId: string, status: object, error: object) => ({
      bulkId: 'B1',
      messageId,
      to: '254712345678',
      doneAt: '2025-11-24T12:00:00.000+0000',
      mccMnc: '63902',
      price: { pricePerMessage: 0.8, currency: 'KES' },
      status,
      error,
    });
    const parsed = json({
      results: [
        result(
          'a-1',
          { groupName: 'DELIVERED', name: 'DELIVERED_TO_HANDSET', id: 5 },
          { id: 0, name: 'NO_ERROR' },
        ),
        result(
          'a-2',
          { groupName: 'UNDELIVERABLE', name: 'UNDELIVERABLE_NOT_DELIVERED', id: 9 },
          { id: 27, name: 'EC_ABSENT_SUBSCRIBER' },
        ),
      ],
    });
    const common = { mobile: '254712345678', network: '63902', at: NOON_UTC };
    expect(parsed.reports).toEqual([
      report({ ...common, messageId: 'a-1', word: 'DELIVERED' }),
      report({
        ...common,
        messageId: 'a-2',
        word: 'UNDELIVERABLE',
        delivery: 'undelivered',
        reason: 'not delivered (EC_ABSENT_SUBSCRIBER)',
      }),
    ]);
  });

  it('reads the form of Twilio, whose date has ten digits', () => {
    const parsed = text(
      'MessageSid=SM1&MessageStatus=undelivered&ErrorCode=30005&To=%2B254712345678&From=DUKA&RawDlrDoneDate=2511241500',
    );
    expect(parsed.reports).toEqual([
      report({
        messageId: 'SM1',
        word: 'undelivered',
        delivery: 'undelivered',
        reason: 'not delivered (30005)',
        mobile: '254712345678',
        at: NOON_UTC,
      }),
    ]);
  });

  it('reads Vonage from a query', () => {
    const parsed = query(
      'msisdn=254712345678&to=DUKA&messageId=192325341&status=expired&err-code=1&network-code=63902',
    );
    expect(parsed.reports).toEqual([
      report({
        word: 'expired',
        delivery: 'undelivered',
        reason: 'absent (1)',
        effect: 'absent',
        mobile: '254712345678',
        network: '63902',
      }),
    ]);
  });

  it('keeps the number of Kannel as an unknown word, for numbers mean something else everywhere', () => {
    expect(query('uuid=192325341&status=1').reports).toEqual([report({ word: '1', delivery: null })]);
  });

  it('reads Jasmin, whose report repeats the text', () => {
    const parsed = text(
      'id=192325341&id_smsc=77&message_status=DELIVRD&level=3&donedate=2511241500&dlvrd=001&err=000&text=Hello',
    );
    expect(parsed.reports).toEqual([report({ word: 'DELIVRD', at: NOON_UTC })]);
  });

  it('reads the array of Gupshup and keeps ids that no double can hold', () => {
    const parsed = text(
      '[{"externalId":4099874212334567891234,"eventType":"DELIVERED","eventTs":1763985600000,"destAddr":254712345678,"cause":"SUCCESS","errCode":"000","noOfFrags":1}]',
    );
    expect(parsed.reports).toEqual([
      report({
        messageId: '4099874212334567891234',
        word: 'DELIVERED',
        mobile: '254712345678',
        at: NOON_UTC,
      }),
    ]);
  });

  it.each([
    ['46elks', 'id=192325341&status=delivered&delivered=2025-11-24T12:00:00'],
    ['Plivo', 'MessageUUID=192325341&ParentMessageUUID=1&Status=delivered'],
    ['Macrokiosk', 'msgid=192325341&status=DELIVERED'],
    ['MessageBird', 'id=192325341&status=delivered'],
  ])('reads the form of %s', (_name, form) => {
    expect(text(form).reports).toMatchObject([{ messageId: '192325341', delivery: 'delivered' }]);
  });

  it('reads Bandwidth, where the event is the status and the id is nested', () => {
    const parsed = json([
      { type: 'message-delivered', message: { id: '192325341', text: 'Hello', from: '1' } },
      { type: 'message-failed', errorCode: 4720, message: { id: '192325342' } },
    ]);
    expect(parsed.reports).toEqual([
      report({ word: 'delivered' }),
      report({
        messageId: '192325342',
        word: 'failed',
        delivery: 'undelivered',
        reason: 'not delivered (4720)',
      }),
    ]);
  });

  it('shows the bare status code of Clickatell without guessing what it means', () => {
    expect(json({ messageId: '192325341', statusCode: 4 }).reports).toMatchObject([
      { messageId: '192325341', word: '4', delivery: null },
    ]);
  });

  it('reads an event of the document style around its data', () => {
    const parsed = json({ event: 'sms.dlr', data: { messageid: '192325341', status: 'Delivered' } });
    expect(parsed.reports).toMatchObject([{ messageId: '192325341', delivery: 'delivered' }]);
    expect(json({ event: 'sms.delivered', messageid: '7' }).reports).toMatchObject([
      { messageId: '7', delivery: 'delivered' },
    ]);
  });

  it.each(['results', 'responses', 'data', 'events'])(
    'opens the wrapper %s, as object and as list',
    (name) => {
      const one = { messageid: '1', description: 'DeliveredToTerminal' };
      expect(json({ [name]: one }).reports).toMatchObject([{ messageId: '1' }]);
      expect(json({ [name]: [one, { ...one, messageid: '2' }] }).reports).toMatchObject([
        { messageId: '1' },
        { messageId: '2' },
      ]);
    },
  );
});

describe('what is read out of a report', () => {
  it('never takes the status of the envelope for that of the message', () => {
    const parsed = json({ status: 'success', data: { messageid: '1', network: '2' } });
    expect(parsed.reports).toEqual([]);
  });

  it('keeps ids as text: leading zeros, wide numbers, decimals, case', () => {
    const ids = (body: string) => text(body).reports.map((each) => each.messageId);
    expect(ids('{"messageid":"00012","status":"Sent"}')).toEqual(['00012']);
    expect(ids('{"messageid":12345678901234567890,"status":"Sent"}')).toEqual(['12345678901234567890']);
    expect(ids('{"messageid":1.50,"status":"Sent"}')).toEqual(['1.50']);
    expect(ids('{"messageid":" aBc ","status":"Sent"}')).toEqual(['aBc']);
    expect(ids('messageid=00012&status=Sent')).toEqual(['00012']);
  });

  it('prefers messageid to id wherever they stand', () => {
    expect(json({ id: 'evt', status: 'Sent', messageid: '5' }).reports[0]?.messageId).toBe('5');
  });

  it('keeps an unknown word and does not look for a kinder one', () => {
    const parsed = json({ messageid: '1', description: 'Teleported', status: 'Delivered' });
    expect(parsed.reports).toMatchObject([{ word: 'Teleported', delivery: null, reason: null }]);
  });

  it('reads a network id that is a number, and no network at all', () => {
    expect(json({ messageid: '1', status: 'Sent', networkid: 1 }).reports[0]?.network).toBe('1');
    expect(json({ messageid: '1', status: 'Sent' }).reports[0]?.network).toBeNull();
  });

  it('drops what is not a number from the mobile', () => {
    const mobile = (value: string) =>
      json({ messageid: '1', status: 'Sent', mobile: value }).reports[0]?.mobile;
    expect(mobile('tel:+254 712-345678')).toBe('254712345678');
    expect(mobile('00254712345678')).toBe('254712345678');
    expect(mobile('DUKA')).toBeNull();
  });
});

describe('what is not a delivery report', () => {
  it.each(['sms.received', 'sms.inbound'])('knows %s as a reply (document 2.5)', (event) => {
    const parsed = json({
      event,
      mobile: '254712345678',
      shortcode: 'DUKA',
      message: 'STOP',
      received_at: '2025-11-24T15:00:00+03:00',
    });
    expect(parsed).toEqual({
      kind: 'reply',
      reports: [],
      replies: [
        {
          channel: 'sms',
          recordId: null,
          mobile: '254712345678',
          addressee: 'DUKA',
          text: 'STOP',
          time: '2025-11-24T15:00:00+03:00',
          at: NOON_UTC,
          detail: {},
        },
      ],
    });
  });

  it('knows a chat message as a reply, whatever its ids (document 2.6)', () => {
    const parsed = json({
      event: 'whatsapp.message.received',
      id: '3f0e',
      message_id: 'wamid.1',
      from: '254712345678',
      text: 'Delivered',
      media_type: 'text',
      status: 'delivered',
    });
    expect(parsed).toEqual({
      kind: 'reply',
      reports: [],
      replies: [
        {
          channel: 'chat',
          recordId: '3f0e',
          mobile: '254712345678',
          addressee: '',
          text: 'Delivered',
          time: '',
          at: null,
          detail: { message_id: 'wamid.1', media_type: 'text' },
        },
      ],
    });
  });

  it('files an event that it does not know as other, and does not touch a message', () => {
    expect(json({ event: 'account.updated', id: '1' })).toEqual({ kind: 'other', reports: [] });
  });

  it('takes no word on a chat message for one on the SMS to its number', () => {
    const said = { id: '1', status: 'delivered', to: '254712345678' };
    expect(json({ event: 'whatsapp.message.status', ...said })).toEqual({ kind: 'other', reports: [] });
    for (const known of [{ event: 'sms.status', name: 'credit.union' }, { name: 'Payment reminder' }])
      expect(json({ ...known, ...said }).reports).toMatchObject([{ messageId: '1' }]);
  });

  it('does not take what stands in the place of an id for one', () => {
    for (const id of ['0', 'None', '-1'])
      expect(json({ messageid: id, status: 'Failed', mobile: '1' }).kind).toBe('not_understood');
  });

  it('does not take an inbound text with an id and an unknown word for a report', () => {
    expect(json({ id: '1', status: 'received', text: 'hi' }).kind).toBe('not_understood');
  });

  it('keeps the good reports of a page with something odd in it, and files the page for a look', () => {
    const parsed = json([{ messageid: '1', status: 'Delivered' }, { odd: true }]);
    expect(parsed.kind).toBe('not_understood');
    expect(parsed.reports).toMatchObject([{ messageId: '1' }]);
  });

  it.each([
    ['an empty body', ''],
    ['white space', ' \n'],
    ['half an object', '{"messageid":"1","status":'],
    ['a bare word', 'hello'],
    ['a number', '42'],
    ['null', 'null'],
    ['an empty list', '[]'],
    ['a list of numbers', '[1,2]'],
    ['an id without a status', '{"messageid":"1"}'],
    ['a status without an id', '{"status":"Delivered"}'],
    ['an id that is an object', '{"messageid":{"a":"1"},"status":"Delivered"}'],
    ['markup without leaves', '<a><b/></a>'],
  ])('does not understand %s, and does not throw', (_name, body) => {
    expect(text(body)).toEqual({ kind: 'not_understood', reports: [] });
  });

  it('reads the query of a POST whose body says nothing', () => {
    const parsed = parse({ query: 'id=7&status=DELIVRD', body: encoder.encode('') });
    expect(parsed.reports).toMatchObject([{ messageId: '7' }]);
  });
});

describe('hostile bodies', () => {
  it('names of prototypes are names like any other [X8]', () => {
    const parsed = text(
      '{"__proto__":{"messageid":"9"},"constructor":{"prototype":{"status":"x"}},"messageid":"1","status":"Delivered"}',
    );
    expect(parsed.reports).toMatchObject([{ messageId: '1', delivery: 'delivered' }]);
    expect(({} as Record<string, unknown>)['messageid']).toBeUndefined();
    expect(json({ messageid: '1', status: 'constructor' }).reports).toMatchObject([{ delivery: null }]);
    expect(query('__proto__=1&messageid=1&status=__proto__').reports).toMatchObject([{ delivery: null }]);
  });

  it('refuses 100,000 nested brackets without exhausting the stack [X29]', () => {
    const deep = `{"messageid":"1","status":"Delivered","a":${'['.repeat(32_000)}${']'.repeat(32_000)}}`;
    expect(text(deep)).toEqual({ kind: 'not_understood', reports: [] });
    expect(text('{"a":'.repeat(12_000)).kind).toBe('not_understood');
  });

  it('reads sixteen levels and not one more [X29]', () => {
    const nested = (depth: number) =>
      text(`{"messageid":"1","status":"Delivered","a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`)
        .kind;
    expect([nested(16), nested(17)]).toEqual(['report', 'not_understood']);
  });

  it('does not count brackets inside of texts as depth', () => {
    expect(
      json({ messageid: '1', status: 'Delivered', note: '[[[[[[[[[[[[[[[[[[[\\"[[' }).reports,
    ).toHaveLength(1);
  });

  it('reads wrappers in wrappers', () => {
    const nested = `${'{"data":'.repeat(15)}{"messageid":"1","status":"Delivered"}${'}'.repeat(15)}`;
    expect(text(nested).reports).toMatchObject([{ messageId: '1' }]);
  });

  it('survives bytes that are not UTF-8', () => {
    const body = Buffer.concat([
      Buffer.from('{"messageid":"1","status":"Delivered","note":"'),
      Buffer.from([0xff, 0xfe, 0x80]),
      Buffer.from('"}'),
    ]);
    expect(parse({ query: '', body }).reports).toMatchObject([{ messageId: '1' }]);
    expect(parse({ query: '', body: Buffer.from([0xff, 0xfe, 0x00]) }).kind).toBe('not_understood');
  });
});
