import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { type AlertEvent, collectAlerts } from '../../src/domain/alert.ts';
import { mailChannel } from '../../src/notify/mail-channel.ts';
import { signedHeaders, webhookChannel } from '../../src/notify/webhook-channel.ts';
import { openMailbox } from '../support/mailbox.ts';

const SECRET = `whsec_${Buffer.from('a key of thirty-two bytes, or so').toString('base64')}`;
const PAUSED: AlertEvent = {
  id: 7,
  cause: 'paused',
  at: Date.UTC(2026, 10, 25, 20),
  campaign: { id: '3a8j2yv3', name: 'black-friday' },
  facts: { reason: 'balance', words: 'Insufficient units' },
};
const ALERT = collectAlerts([PAUSED]);

/** A receiver that answers with `status`. Answers its address, and what it got. */
async function receiver(status: number) {
  const got: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      got.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(status, { location: '/elsewhere' }).end('no');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got };
}

test('another implementation of Standard Webhooks takes the signature, and refuses a changed body', async () => {
  const { url, got } = await receiver(204);
  await webhookChannel({ url, secret: SECRET, pages: null }, Date.now).send(ALERT);
  const [post] = got;
  const checker = new Webhook(SECRET);
  expect(checker.verify(post?.body ?? '', post?.headers ?? {})).toMatchObject({
    type: 'tuma.paused',
    timestamp: '2026-11-25T20:00:00.000Z',
    data: { campaign: { id: '3a8j2yv3' }, reason: 'balance', next: 'tuma status 3a8j2yv3' },
  });
  expect(() => checker.verify(`${post?.body} `, post?.headers ?? {})).toThrow('No matching signature');
});

test('12 pauses are one alert: its subject counts them, its text names ten, its data has all', async () => {
  const pauses = Array.from({ length: 12 }, (_, at): AlertEvent => {
    return { ...PAUSED, id: at + 7, campaign: { id: `c${at + 1}`, name: `shop-${at + 1}` } };
  });
  const { url, got } = await receiver(204);
  await webhookChannel({ url, secret: SECRET, pages: null }, Date.now).send(collectAlerts(pauses));
  const { data } = JSON.parse(got[0]?.body ?? '') as { data: { text: string; events: unknown[] } };
  expect(got[0]?.headers['webhook-id']).toBe('alert_7-18-12');
  expect(data).toMatchObject({
    campaign: null,
    subject: 'shop-1 is paused: balance, and 11 other campaigns',
    next: 'tuma status',
    events: { 0: { campaign: { id: 'c1' }, reason: 'balance' }, length: 12 },
  });
  expect(data.text.split('\n')).toHaveLength(11);
  expect(data.text).toMatch(/^shop-10 is paused: balance\. .*\nAnd 2 more\.$/m);
});

test('unknown answers of hours in which nobody could be reached are one alert with their sum', () => {
  const event = (id: number, count: number): AlertEvent => {
    return {
      id,
      cause: 'unknown_answer',
      at: id,
      campaign: null,
      facts: { count, waiting: count, words: 'x' },
    };
  };
  const collected = collectAlerts([event(1, 34), event(2, 3)]);
  expect(collected).toMatchObject({ id: '1-2-2', at: 2, facts: { count: 37, waiting: 3 }, events: [] });
});

test('a signature that is ten minutes old is refused by the receiver', () => {
  const body = '{}';
  const headers = signedHeaders({
    id: 'alert_1',
    at: Date.now() - 600_000,
    body,
    secret: SECRET,
  });
  expect(() => new Webhook(SECRET).verify(body, headers)).toThrow('too old');
});

test.each([500, 404, 302])(
  'an answer of %i is no delivery, and a redirect is not followed',
  async (status) => {
    const { url, got } = await receiver(status);
    await expect(webhookChannel({ url, secret: SECRET, pages: null }, Date.now).send(ALERT)).rejects.toThrow(
      `${status}`,
    );
    expect(got).toHaveLength(1);
  },
);

async function mailbox(options: Parameters<typeof openMailbox>[0] = {}) {
  const box = await openMailbox(options);
  onTestFinished(() => box.close());
  return box;
}

test('an alert arrives as a mail with its subject, its words and the next command', async () => {
  const { url, mails } = await mailbox();
  await mailChannel({
    smtpUrl: `smtp://${url}`,
    to: ['ops@example.org', 'boss@example.org'],
    pages: null,
  }).send(ALERT);
  expect(mails).toHaveLength(1);
  expect(mails[0]).toContain('Subject: [Tuma] black-friday is paused: balance');
  expect(mails[0]).toContain('To: ops@example.org, boss@example.org');
  expect(mails[0]).toContain('Insufficient units');
  expect(mails[0]).toContain('Next: tuma status 3a8j2yv3');
});

test('where people reach the pages, the webhook and the mail name the page beside the command', async () => {
  const pages = 'https://sms.example.org/';
  const page = 'https://sms.example.org/campaigns/3a8j2yv3';
  const { url, got } = await receiver(204);
  await webhookChannel({ url, secret: SECRET, pages }, Date.now).send(ALERT);
  const { data } = JSON.parse(got[0]?.body ?? '') as { data: object };
  expect(data).toMatchObject({ next: 'tuma status 3a8j2yv3', page });
  const box = await mailbox();
  await mailChannel({ smtpUrl: `smtp://${box.url}`, to: ['ops@example.org'], pages }).send(ALERT);
  expect(box.mails[0]).toContain(`Next: tuma status 3a8j2yv3\r\nPage: ${page}\r\n`);
});

test('a line break in a campaign name adds no header to the mail', async () => {
  const { url, mails } = await mailbox();
  const alert = { ...ALERT, campaign: { id: 'x', name: 'sale\r\nBcc: all@example.org' } };
  await mailChannel({ smtpUrl: `smtp://${url}`, to: ['ops@example.org'], pages: null }).send(alert);
  const [head] = mails[0]?.split('\r\n\r\n') ?? [];
  expect(head).toContain('Subject: [Tuma] sale');
  expect(head).not.toMatch(/^Bcc:/m);
});

test('a refused login is an error without the password', async () => {
  const { url } = await mailbox({ user: 'right' });
  const channel = mailChannel({
    smtpUrl: `smtp://wrong:CANARY@${url}`,
    to: ['ops@example.org'],
    pages: null,
  });
  const error = await channel.send(ALERT).then(
    () => null,
    (problem: unknown) => String(problem),
  );
  expect(error).toContain('EAUTH');
  expect(error).not.toContain('CANARY');
});

test('a server that is not there is an error that says so', async () => {
  const channel = mailChannel({ smtpUrl: 'smtp://127.0.0.1:1', to: ['ops@example.org'], pages: null });
  await expect(channel.send(ALERT)).rejects.toThrow('ECONNREFUSED');
});
