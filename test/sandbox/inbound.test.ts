import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readTruth } from '../../src/sandbox/truth/truth.ts';
import { waitFor } from '../support/wait-for.ts';
import { start, type Started } from './start.ts';
import { webhook } from './webhook.ts';
import { post, send } from './wire.ts';

const SOON = { min: 1, max: 5 };
const DELIVERED = { delivered: 1, undelivered: 0, absent: 0, never: 0 };
const MOBILE = '254712345678';

function write(sandbox: Started, body: object) {
  return post(`${sandbox.url}/sandbox/inbound`, JSON.stringify(body));
}

function bodies(got: { body: string }[]): Record<string, unknown>[] {
  return got.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
}

function inbound(got: { body: string }[]): Record<string, unknown>[] {
  return bodies(got).filter((body) => 'event' in body);
}

function ended(sandbox: Started, count: number): Promise<unknown> {
  return waitFor(
    () => {
      const { pending, taken, givenUp } = sandbox.stats().inbound;
      return pending === 0 && taken + givenUp === count;
    },
    { what: `${count} messages of customers to end` },
  );
}

describe('a customer who is told to write', () => {
  it.each(['sms.received', 'sms.inbound'])('by %s, in the record of API document 2.5', async (event) => {
    const { url, got } = await webhook();
    const sandbox = await start({ webhookUrl: url });
    expect((await write(sandbox, { event, mobile: MOBILE, text: 'Habari', shortcode: '22141' })).status).toBe(
      200,
    );
    await ended(sandbox, 1);
    expect(got).toMatchObject([{ method: 'POST', path: '/webhooks/token', type: 'application/json' }]);
    expect(bodies(got)).toEqual([
      {
        event,
        mobile: MOBILE,
        shortcode: '22141',
        message: 'Habari',
        received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/) as string,
      },
    ]);
    const at = Date.parse(String(bodies(got)[0]?.['received_at']));
    expect(Math.abs(at - Date.now())).toBeLessThan(20_000);
  });

  it('by chat, in the record of API document 2.6, without a file', async () => {
    const { url, got } = await webhook();
    const sandbox = await start({ webhookUrl: url });
    const { body } = await write(sandbox, { event: 'whatsapp.message.received', mobile: MOBILE, text: 'Hi' });
    await ended(sandbox, 1);
    expect(bodies(got)[0]).toEqual({
      event: 'whatsapp.message.received',
      id: body.id,
      message_id: expect.any(String) as string,
      from: MOBILE,
      to: expect.stringMatching(/^\d+@[\w.]+$/) as string,
      sender_jid: `${MOBILE}@s.whatsapp.net`,
      chat_jid: `${MOBILE}@s.whatsapp.net`,
      text: 'Hi',
      media_type: 'text',
      media_url: '',
      file_name: '',
      file_size: 0,
      mime_type: '',
      timestamp: expect.stringMatching(/Z$/) as string,
    });
  });

  it('by chat, with a file that is named in all four fields', async () => {
    const { url, got } = await webhook();
    const sandbox = await start({ webhookUrl: url });
    const event = 'whatsapp.message.received';
    const { body } = await write(sandbox, { event, mobile: MOBILE, media: 'invoice.pdf' });
    await ended(sandbox, 1);
    expect(bodies(got)[0]).toMatchObject({
      media_type: 'document',
      media_url: `/api/v2/messages/whatsapp/${String(body.id)}/media`,
      file_name: 'invoice.pdf',
      mime_type: 'application/pdf',
    });
    expect(bodies(got)[0]?.['file_size']).toBeGreaterThan(10);
  });

  it('sends whatever fields it is told to, so that a receiver can be tried', async () => {
    const { url, got } = await webhook();
    const sandbox = await start({ webhookUrl: url });
    const fields = { media_url: '//evil.example/x', file_name: '../../x' };
    await write(sandbox, { event: 'whatsapp.message.received', mobile: MOBILE, fields });
    await ended(sandbox, 1);
    expect(bodies(got)[0]).toMatchObject(fields);
  });

  it.each([
    [{ mobile: '+254712345678' }, 'mobile: must be international digits'],
    [{ mobile: MOBILE, event: 'sms.sent' }, /^event: /],
    [{ mobile: MOBILE, media: 'photo.jpg' }, 'media: only chat carries files'],
    [
      { mobile: MOBILE, event: 'whatsapp.message.received', media: 'toString' },
      /^media: Invalid option: expected one of "photo.jpg"/,
    ],
    [{ mobile: MOBILE, colour: 'red' }, /colour/],
    ['no object', /body/],
  ])('is refused with words for %j', async (body, words) => {
    const sandbox = await start();
    const reply = await post(`${sandbox.url}/sandbox/inbound`, JSON.stringify(body));
    expect(reply.status).toBe(400);
    expect(reply.body.message).toMatch(words);
    expect(sandbox.stats().inbound.pending).toBe(0);
  });

  it('is tried again with the same record until the webhook takes it, and the truth has it once', async () => {
    const { url, got } = await webhook((index) => (index < 2 ? 503 : 200));
    const sandbox = await start({ webhookUrl: url, reportRetryMs: 5 });
    await write(sandbox, { mobile: MOBILE, text: 'Habari' });
    await ended(sandbox, 1);
    expect(new Set(got.map(({ body }) => body)).size).toBe(1);
    const sha256 = createHash('sha256').update('Habari').digest('hex');
    expect((await readTruth(sandbox.truthFile)).inbound).toMatchObject([
      { name: 'sms.received', mobile: MOBILE, sha256, means: null, result: 'taken', tries: 3, serial: null },
    ]);
  });

  it('is given up after all tries, and waits while there is no webhook', async () => {
    const { url } = await webhook(() => 500);
    const sandbox = await start({ reportTries: 2, reportRetryMs: 5 });
    await write(sandbox, { mobile: MOBILE });
    expect(sandbox.stats().inbound).toEqual({ taken: 0, givenUp: 0, pending: 1 });
    sandbox.setWebhook(url);
    await ended(sandbox, 1);
    expect((await readTruth(sandbox.truthFile)).inbound).toMatchObject([
      { result: 'given_up', tries: 2, httpStatus: 500 },
    ]);
  });
});

describe('customers', () => {
  const MANY = Array.from({ length: 150 }, (_, index) => `254700000${String(index).padStart(3, '0')}`);

  it('answer a share of the delivered messages by all three events, and the truth has each once', async () => {
    const { url, got } = await webhook();
    const sandbox = await start({
      webhookUrl: url,
      reportDelayMs: SOON,
      replyDelayMs: SOON,
      replyRate: 0.5,
      stopRate: 0.3,
      reportMix: { delivered: 0.8, undelivered: 0.2, absent: 0, never: 0 },
    });
    for (const mobile of MANY) await send(sandbox.url, { mobile });
    await waitFor(() => sandbox.stats().inbound.pending + sandbox.stats().reports.pending === 0, {
      what: 'all posts',
    });
    const truth = await readTruth(sandbox.truthFile);
    const events = inbound(got);
    expect(events.length).toBe(truth.inbound.length);
    // The ids of the messages, which decide, begin with the time: so far beside 60 chance never comes.
    expect(events.length).toBeGreaterThan(28);
    expect(events.length).toBeLessThan(92);
    expect(new Set(events.map(({ event }) => event)).size).toBe(3);
    const means = truth.inbound.map((entry) => entry.means);
    expect(means).toContain('stop');
    expect(means).toContain(null);
    const delivered = new Set(truth.reports.filter((r) => r.outcome === 'delivered').map((r) => r.serial));
    for (const { serial } of truth.inbound) expect(delivered).toContain(serial);
    expect(new Set(truth.inbound.map(({ serial }) => serial)).size).toBe(truth.inbound.length);
  });

  it('answer from when they are told to, and not before', async () => {
    const { url, got } = await webhook();
    const sandbox = await start({
      webhookUrl: url,
      reportDelayMs: SOON,
      replyDelayMs: SOON,
      reportMix: DELIVERED,
    });
    await send(sandbox.url, { mobile: '254700000001' });
    expect(sandbox.stats().inbound.pending).toBe(0);
    const set = (rate: unknown) => post(`${sandbox.url}/sandbox/replies`, JSON.stringify({ rate }));
    for (const wrong of [2, -1, '1', null]) expect((await set(wrong)).status).toBe(400);
    expect((await set(1)).status).toBe(200);
    await send(sandbox.url, { mobile: '254700000002' });
    await ended(sandbox, 1);
    expect(inbound(got).map((body) => body['mobile'] ?? body['from'])).toEqual(['254700000002']);
  });

  it('who said STOP get promotional messages no more, until they say START; others are not touched', async () => {
    const { url, got } = await webhook();
    const sandbox = await start({ webhookUrl: url, reportDelayMs: SOON, reportMix: DELIVERED });
    const say = async (text: string, count: number) => {
      await write(sandbox, { mobile: MOBILE, text });
      await ended(sandbox, count);
    };
    const wordOf = async (fields: object) => {
      const { messageid } = (await send(sandbox.url, fields)).body;
      const found = await waitFor(() => bodies(got).find((body) => body['messageid'] === messageid), {
        what: 'the report',
      });
      return found['description'];
    };
    const promo = { mobile: MOBILE, shortcode: 'DUKA' };
    expect(await wordOf(promo)).toBe('DeliveredToTerminal');
    await say(' stop. ', 1);
    const optedOut = /^(SenderName Blacklisted|UserInBlacklist|SubscriberOptedOut)$/;
    expect(await wordOf(promo)).toMatch(optedOut);
    expect(await wordOf({ ...promo, shortcode: 'SHOP' })).toBe('DeliveredToTerminal');
    expect(await wordOf({ ...promo, mobile: '254712345679' })).toBe('DeliveredToTerminal');

    await sandbox.stop();
    const again = await start({
      truthFile: sandbox.truthFile,
      webhookUrl: url,
      reportDelayMs: SOON,
      reportMix: DELIVERED,
    });
    const { messageid } = (await send(again.url, promo)).body;
    const report = await waitFor(() => bodies(got).find((body) => body['messageid'] === messageid), {
      what: 'it',
    });
    expect(report['description']).toMatch(optedOut);
    await write(again, { mobile: MOBILE, text: 'START' });
    await ended(again, 1);
    const { messageid: last } = (await send(again.url, promo)).body;
    const freed = await waitFor(() => bodies(got).find((body) => body['messageid'] === last), { what: 'it' });
    expect(freed['description']).toBe('DeliveredToTerminal');
  });

  it('have opted out from the beginning where the mix says so', async () => {
    const { url, got } = await webhook();
    const reportMix = { delivered: 0, undelivered: 0, absent: 0, optedOut: 1, never: 0 };
    const sandbox = await start({ webhookUrl: url, reportDelayMs: SOON, reportMix });
    for (const mobile of MANY.slice(0, 12)) await send(sandbox.url, { mobile });
    await waitFor(() => sandbox.stats().reports.taken === 12, { what: 'the reports' });
    const words = new Set(bodies(got).map((body) => body['description']));
    expect(words).toContain('SenderName Blacklisted');
    expect([...words].every((word) => /list|Opt/i.test(String(word)))).toBe(true);
  });
});
