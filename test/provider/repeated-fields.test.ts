import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../src/provider/profiles/default.ts';
import { webhookParser } from '../../src/provider/webhooks.ts';

const parser = webhookParser(defaultProfile.reports);
const parse = (form: string) => parser({ query: '', body: new TextEncoder().encode(form) });
const reportsOf = (form: string) =>
  parse(form).reports.map(({ messageId, delivery, mobile }) => [messageId, delivery, mobile]);

const ONE = 'messageid=1&status=Delivered&mobile=254712345678';
const TWO = 'message_id=2&mobile=254712345679&Status=Failed';
const BOTH = [
  ['1', 'delivered', '254712345678'],
  ['2', 'undelivered', '254712345679'],
];

describe('a form that says the same of several messages', () => {
  it('reports each of them, in whatever order its fields stand', () => {
    expect(reportsOf(`${ONE}&${TWO}`)).toEqual(BOTH);
    expect(parser({ query: `${ONE}&${TWO}`, body: new Uint8Array() }).reports).toHaveLength(2);
  });

  it('says of each what stands before the first', () => {
    expect(reportsOf(`event=sms.dlr&to=x&${ONE}&${TWO}`)).toEqual(BOTH);
    const replies = parse(
      'event=sms.received&mobile=254712345678&message=STOP&mobile=254712345679&message=Yes',
    );
    expect(replies.replies?.map(({ mobile, text }) => [mobile, text])).toEqual([
      ['254712345678', 'STOP'],
      ['254712345679', 'Yes'],
    ]);
  });

  it('hands down nothing of the first to the others, and to all what was written before them', () => {
    expect(reportsOf('messageid=1&status=Delivered&messageid=&status=Failed')).toEqual([
      ['1', 'delivered', null],
    ]);
    const to = (mobile: string) => `mobile=${mobile}&shortcode=22141`;
    for (const form of [
      `event=sms.received&message=STOP&${to('254712345678')}&${to('254712345678')}`,
      `event=sms.received&mobile=254712345678&message=STOP&mobile=254712345678&message=`,
    ])
      expect(parse(form).replies?.[0]).toMatchObject({ mobile: '254712345678', text: 'STOP' });
    const blank = 'event=sms.received&mobile=254712345678&message=STOP&mobile=254712345679&message=';
    expect(parse(blank).replies?.map(({ text }) => text)).toEqual(['STOP', '']);
  });

  it('is one of a single message where they do not say the same', () => {
    const [one] = BOTH;
    for (const more of [
      'tag=a&tag=b',
      'status=Failed',
      'messageid=2',
      'tag=a&group=1&tag=b&group=2',
      'code=1&reason=x&code=2&reason=y',
    ])
      expect([parse(`${ONE}&${more}`).kind, reportsOf(`${ONE}&${more}`)]).toEqual(['report', [one]]);
    expect(reportsOf('messageid=1&messageid=2&status=Delivered&status=Failed&mobile=254712345678')).toEqual([
      one,
    ]);
  });

  it('is of no message where several numbers are reported under one id', () => {
    const numbers = 'mobile=254712345678&status=Failed&mobile=254712345679&status=Failed';
    expect(parse(`messageid=1&${numbers}`)).toEqual({ kind: 'not_understood', reports: [] });
  });

  it('is read in no time, however many fields there are', () => {
    const many = Array.from({ length: 6_000 }, (_, at) => `a${at}=&b=1`).join('&');
    expect(reportsOf(`${many}&${ONE}`)).toEqual([BOTH[0]]);
  });
});
