import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PayloadPaths } from '../../../src/domain/payload-paths.ts';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import { webhookParser } from '../../../src/provider/webhooks/read-webhook.ts';

const parse = webhookParser(defaultProfile.reports, { country: 'KE' });

function read(payload: unknown, ...shapes: PayloadPaths[]) {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const body = new TextEncoder().encode(text);
  return parse(
    { query: '', body },
    shapes.map((paths) => ({ paths })),
  );
}

const found = (payload: unknown, ...shapes: PayloadPaths[]) =>
  read(payload, ...shapes).reports.map(({ messageId, word, delivery }) => [messageId, word, delivery]);

describe('a shape that a person pointed at', () => {
  const shape = { id: 'data.msgId', status: 'data.result' };

  it('does not read the report of a chat message as that of an SMS', () => {
    const paths = { id: 'items[0].ref', status: 'items[0].state' };
    const one = { state: 'delivered', to: '254700000001' };
    const chat = { event: 'whatsapp.message.status', items: [{ ref: 'a', ...one }] };
    expect(read(chat, paths)).toEqual({ kind: 'other', reports: [] });
    expect(found({ ...chat, event: 'status' }, paths)).toHaveLength(1);
  });

  it('finds id and status where no name of the profile does', () => {
    const payload = { data: { msgId: 'a-1', result: 'DELIVRD' } };
    expect(read(payload)).toMatchObject({ kind: 'not_understood', reports: [] });
    expect(read(payload, shape)).toMatchObject({ kind: 'report', pointed: 1 });
    expect(found(payload, shape)).toEqual([['a-1', 'DELIVRD', 'delivered']]);
  });

  it('finds a word that nobody knows beside a text too, for a person looked', () => {
    const said = { data: { msgId: 'a', result: 'Teleported' }, text: 'Karibu' };
    expect(found(said, shape)).toEqual([['a', 'Teleported', null]]);
  });

  it('finds the rest by path too, or under the names of the profile', () => {
    const where = { ...shape, mobile: 'who.n', reason: 'why', network: 'net.code', time: 'when' };
    const payload = {
      data: { msgId: 'a', result: 'Failed' },
      who: { n: '+254 712 345 678' },
      why: 'AbsentSubscriber',
      net: { code: '63902' },
      when: '2026-11-20 10:00:00',
    };
    const [report] = read(payload, where).reports;
    const at = Date.UTC(2026, 10, 20, 7);
    expect(report).toMatchObject({ mobile: '254712345678', network: '63902', at, delivery: 'undelivered' });
    expect(report?.reason).toBe(read({ messageid: 'a', status: 'AbsentSubscriber' }).reports[0]?.reason);
    const [named] = read({ data: { msgId: 'a', result: 'Sent' }, msisdn: '254712345678' }, shape).reports;
    expect(named?.mobile).toBe('254712345678');
  });

  it('keeps an id to its last digit, and a number as a word that nobody knows', () => {
    expect(found('{"data":{"msgId":90071992547409931234,"result":32}}', shape)).toEqual([
      ['90071992547409931234', '32', null],
    ]);
  });

  it('reads every member of an array, and an id that stands in the object around it', () => {
    const members = { id: 'batch[].ref', status: 'batch[].s' };
    const batch = [{ ref: 'x', s: 'DELIVRD' }, { ref: 'y', s: 'EXPIRED' }, { s: 'DELIVRD' }];
    const both = [
      ['x', 'DELIVRD', 'delivered'],
      ['y', 'EXPIRED', 'undelivered'],
    ];
    expect(found({ batch }, members)).toEqual(both);
    expect(found({ wrap: { batch } }, { id: 'wrap.batch[0].ref', status: 'wrap.batch[0].s' })).toEqual(both);
    expect(found([{ ref: 'x', s: 'DELIVRD' }], { id: '$[0].ref', status: '$[0].s' })).toHaveLength(1);
    const around = { id: 'ref', status: 'history[].s' };
    expect(found({ ref: 'z', s: 'ok', history: [{ s: 'DELIVRD' }] }, around)).toEqual([
      ['z', 'DELIVRD', 'delivered'],
    ]);
    expect(found({ ref: 'z', s: 'DELIVRD', history: [] }, around)).toEqual([]);
  });

  it('reads forms and queries as well', () => {
    const flat = { id: 'Ref', status: 'Outcome' };
    expect(found('ref=f-1&outcome=DELIVRD', flat)).toEqual([['f-1', 'DELIVRD', 'delivered']]);
    const shapes = [{ paths: flat }];
    expect(parse({ query: 'ref=q-1&outcome=DELIVRD', body: new Uint8Array() }, shapes).reports).toHaveLength(
      1,
    );
  });

  it('comes before the names of the profile, and the latest before the others', () => {
    const payload = { id: 7, status: 'Sent', data: { msgId: 'right', result: 'DELIVRD', other: 'FAILED' } };
    expect(found(payload)).toEqual([['7', 'Sent', 'pending']]);
    expect(found(payload, shape)).toEqual([['right', 'DELIVRD', 'delivered']]);
    const later = { id: 'data.msgId', status: 'data.other' };
    expect(found(payload, later, shape)).toEqual([['right', 'FAILED', 'undelivered']]);
  });

  it('leaves alone what it does not fit, in the same payload too', () => {
    const fits = { data: { msgId: 'a', result: 'DELIVRD' } };
    expect(found(fits, { id: 'x.id', status: 'x.status' }, shape)).toHaveLength(1);
    // Its event is no word of status where a person pointed at another.
    const elsewhere = { id: 'info.number', status: 'info.result' };
    expect(found({ event: 'sms.delivered', info: { number: 'a' } }, elsewhere)).toEqual([]);
    expect(found({ results: [{ info: { number: 'a', result: 'DELIVRD' } }] }, elsewhere)).toEqual([]);
    const known = { messageid: 'k', description: 'DeliveredToTerminal' };
    expect(found(known, shape)).toEqual(found(known));
    expect(found([known, { data: { msgId: 'a', result: 'DELIVRD' } }], shape)).toEqual([
      ['k', 'DeliveredToTerminal', 'delivered'],
      ['a', 'DELIVRD', 'delivered'],
    ]);
  });

  it('never makes a report of an inbound message: a STOP stays one', () => {
    const stop = {
      event: 'sms.received',
      mobile: '254712345678',
      shortcode: 'DUKA',
      message: 'STOP',
      received_at: '2026-11-20T10:00:00+03:00',
    };
    const wrong = { id: 'shortcode', status: 'message' };
    expect(read(stop, wrong)).toEqual(read(stop));
    expect(read({ event: 'sms.received', shortcode: 'a', message: 'b' }, wrong).reports).toEqual([]);
  });

  it('never throws, whatever the bytes and the paths', () => {
    const path = fc.oneof(fc.string(), fc.constantFrom('a', 'a.b', 'a[].b', '$[0]', 'data.id'));
    const keys = fc.constantFrom('a', 'b', 'data', 'id', 'results');
    const payload = fc.oneof(fc.string(), fc.object({ key: keys, maxDepth: 3 }));
    fc.assert(
      fc.property(payload, path, path, (body, id, status) => {
        expect(Array.isArray(read(body ?? '', { id, status }).reports)).toBe(true);
      }),
    );
  });
});
