import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { AlertDelivery } from '../../src/campaign/maintenance/deliver-alerts.ts';
import { ALERT_CAUSES } from '../../src/domain/alert.ts';
import { mailChannel } from '../../src/notify/mail-channel.ts';
import { webhookChannel } from '../../src/notify/webhook-channel.ts';
import { describeAlert } from '../../src/runtime/alerts.ts';
import type { WebhookRecord } from '../../src/ledger/contracts/ledger.ts';
import type { NewReply } from '../../src/ledger/contracts/replies.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { openMailbox } from '../support/mailbox.ts';

/* Every cause of an alert, from its event in the ledger to a real webhook and a real mail server. */

const KES = 1_000_000;
const HOUR_MS = 3_600_000;
/** More than the minute for which the dead process holds what it had taken. */
const NEXT_TRY_MS = 70_000;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const LIMITS = { lowCreditMicro: 100 * KES, uncertain: 2 };

const DOUBTFUL_REPLY: NewReply = {
  channel: 'sms',
  identity: 'r1',
  recordId: null,
  mobile: '254700000001',
  addressee: 'DUKA',
  text: 'stopp',
  at: null,
  detail: {},
  wish: 'maybe_stop',
};

/** A webhook comes, and a worker has read this in it. */
async function post(
  { ledger, now }: LedgerStory,
  read: Pick<WebhookRecord, 'kind' | 'reports' | 'replies'>,
): Promise<void> {
  const about = { method: 'POST', contentType: 'text/plain', query: '', ip: '127.0.0.1' };
  await ledger.storeWebhook({ ...about, receivedAt: now, body: Buffer.from(read.kind) });
  for (const { webhook } of await ledger.newWebhooks(9))
    await ledger.recordReports([{ ...read, webhook, now }]);
}

/** One ledger in which each cause happens once. */
async function everythingHappens(): Promise<LedgerStory> {
  const story = await LedgerStory.begin();
  const canary = { first: 1, waitMs: 60_000, delivered: 0.5 };
  const tried = await story.launch({
    id: 'c-1',
    name: 'canary',
    settings: { canary, batchSize: 1 },
    messages: 2,
  });
  await story.claim();
  await story.record(tried, { 1: { to: 'sent' } });
  await story.ledger.watchCanaries(story.now);
  story.now += 60_000;
  await story.ledger.watchCanaries(story.now);
  const n = await story.launch({ id: 'bf-1', name: 'black-friday', messages: 4 });
  await story.claim();
  const words = { content: 'funds', words: 'Insufficient funds' };
  const question = { httpStatus: 402, code: null, question: words, raw: '{}' };
  await story.record(n, {
    1: { to: 'sent' },
    2: { to: 'uncertain' },
    3: { to: 'uncertain', evidence: question },
    4: { to: 'sent' },
  });
  await story.report(`m${n}-1`, null);
  await post(story, { kind: 'not_understood', reports: [], replies: [] });
  await post(story, { kind: 'reply', reports: [], replies: [DOUBTFUL_REPLY] });
  const short = await story.launch({ id: 's-1', name: 'short' });
  await story.ledger.pause(short, { now: story.now, by: 'worker', reason: 'balance', words: 'Low credits' });
  await story.readBalance(90 * KES);
  const silent = await story.launch({ id: 'q-1', name: 'silent', messages: 2 });
  story.now += HOUR_MS;
  await story.claim();
  await story.record(silent, { 1: { to: 'sent' }, 2: { to: 'queued' } });
  story.now += 2 * HOUR_MS;
  const outage = { since: story.now - 60_000, nextTryAt: story.now + 1_000 };
  await story.ledger.heartbeat(story.worker, story.now, outage);
  await askForApproval(story);
  return story;
}

async function askForApproval({ ledger, now }: LedgerStory): Promise<void> {
  const made = { id: 'p1', by: 'asha', now };
  await ledger.createPreparation({ ...made, identities: ['asha'], job: '{}' });
  const planning = { ...made, revision: 1, process: 'x', plan: '{"planning":"done"}' };
  await ledger.beginPlanning({ ...planning, dead: null });
  await ledger.recordPlan(planning);
  await ledger.askApproval({ ...made, revision: 1 });
  for (const on of [true, false]) await ledger.setApproval({ by: 'mary', now, on });
}

test('each cause arrives once by webhook and once by mail, although the first process died before the delivery', async () => {
  const story = await everythingHappens();
  const hooks: { type: string; data: unknown }[] = [];
  const checker = new Webhook(SECRET);
  const server = createServer((request, response) => {
    void request.toArray().then((parts) => {
      hooks.push(
        checker.verify(parts.join(''), request.headers as Record<string, string>) as (typeof hooks)[0],
      );
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const box = await openMailbox();
  onTestFinished(async () => {
    server.close();
    await box.close();
  });
  const { ledger } = story;
  await ledger.raiseAlerts({ now: story.now, ...LIMITS });
  for (const channel of ['webhook', 'mail']) await ledger.takeAlerts({ now: story.now, channel });
  story.now += NEXT_TRY_MS;
  const clock = { now: () => story.now, monotonic: () => story.now, sleep: async () => undefined };
  const reader = await story.reader();
  const { port } = server.address() as AddressInfo;
  const options = {
    ...LIMITS,
    channels: async () => [
      webhookChannel({ url: `http://127.0.0.1:${port}/`, secret: SECRET, pages: null }, Date.now),
      mailChannel({ smtpUrl: `smtp://${box.url}`, to: ['ops@example.org'], pages: null }),
    ],
    describe: (alert: Parameters<typeof describeAlert>[2]) =>
      describeAlert(
        reader,
        { lowCreditMicro: LIMITS.lowCreditMicro, currency: 'KES', zone: 'Africa/Nairobi' },
        alert,
      ),
  };
  const log = new MemoryLog();
  const delivery = new AlertDelivery({ clock, ledger, log }, options);
  for (let look = 0; look < ALERT_CAUSES.length; look += 1) {
    await delivery.step();
    await delivery.settled();
  }
  const causes = ALERT_CAUSES.filter((cause) => cause !== 'test').toSorted();
  expect(hooks.map(({ type }) => type.replace('tuma.', '')).toSorted()).toEqual(causes);
  expect(log.lines).toEqual([]);
  const subjects = box.mails.map((mail) => /^Subject: \[Tuma\] (.*)$/m.exec(mail)?.[1]?.trim() ?? '');
  expect(subjects.toSorted()).toEqual([
    'A campaign waits for approval',
    'A reply may be a STOP',
    'A webhook was not understood',
    'A word of delivery reports is unknown',
    'An answer of the provider is unknown',
    'Low credit: KES 90.00',
    'The messaging service does not answer',
    'Who may approve has changed',
    'black-friday is finished',
    'black-friday: 2 messages uncertain',
    'canary: the canary failed',
    'short is paused: balance',
    'silent: no delivery report found its message for an hour',
  ]);
  expect(box.mails.join('')).toContain('Low credits');
});
