import type { ServerResponse } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import { AlertDelivery } from '../../src/campaign/maintenance/deliver-alerts.ts';
import {
  addAlertEndpoint,
  removeAlertEndpoint,
  renewAlertSecret,
} from '../../src/campaign/people/alert-endpoints.ts';
import type { Alert } from '../../src/domain/alert.ts';
import type { AlertTarget } from '../../src/ledger/contracts/alert-endpoints.ts';
import { postAlert } from '../../src/notify/webhook-channel.ts';
import { endpointChannel } from '../../src/runtime/alerts.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { type AlertPost, alertReceiver, signedBy } from '../support/alert-receiver.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { SqlBehind } from '../support/sql-behind.ts';
import { waitFor } from '../support/wait-for.ts';

/* Alerts to several endpoints, each with its own secret, pace and failures. */

const LIMITS = { lowCreditMicro: null, uncertain: 10 };

let story: LedgerStory;
let log: MemoryLog;
beforeEach(async () => {
  story = await LedgerStory.begin();
  log = new MemoryLog();
});

const order = () => ({ ledger: story.ledger, change: { now: story.now, by: 'mary' }, limits: LIMITS });
const add = (url: string) => addAlertEndpoint(order(), { url, description: '', causes: null });

const endpointOf = (id: string) => {
  const post = (target: AlertTarget, alert: Alert) =>
    postAlert({ ...target, pages: null }, { alert, at: Date.now() });
  return endpointChannel({ ledger: story.ledger, post }, id);
};

async function raise(): Promise<void> {
  const sql = new SqlBehind(story.file);
  await sql.run("INSERT INTO alert (cause, about, at) VALUES ('test', ?, ?)", String(story.now), story.now);
  sql.close();
}

async function delivery(): Promise<AlertDelivery> {
  const clock = { now: () => story.now, monotonic: () => story.now, sleep: async () => undefined };
  const reader = await story.reader();
  const channels = async () => (await reader.alertEndpoints()).map(({ id }) => endpointOf(id));
  const describe = async () => ({});
  return new AlertDelivery({ clock, ledger: story.ledger, log }, { ...LIMITS, channels, describe });
}

test('each endpoint gets the alert with its own signature, and one that hangs delays no other one', async () => {
  const held: ServerResponse[] = [];
  const hanging = await alertReceiver((response) => void held.push(response));
  const [one, other] = [await alertReceiver(), await alertReceiver()];
  const slow = await add(hanging.url);
  const [first, second] = [await add(one.url), await add(other.url)];
  const alerts = await delivery();
  await raise();
  await alerts.step();
  await waitFor(() => held.length === 1 && one.posts.length === 1 && other.posts.length === 1, {
    what: 'a post at each',
  });
  expect(one.posts.map((post) => signedBy(first.secret, post))).toMatchObject([{ type: 'tuma.test' }]);
  expect(other.posts.map((post) => signedBy(second.secret, post))).toMatchObject([{ type: 'tuma.test' }]);
  expect(() => signedBy(first.secret, other.posts[0] as AlertPost)).toThrow('signature');
  const reader = await story.reader();
  const successes = async () => (await reader.alertEndpoints()).filter(({ successAt }) => successAt !== null);
  await waitFor(async () => (await successes()).length === 2, { what: 'two successes' });
  // A later alert passes the request that still hangs.
  story.now += 2 * 3_600_000;
  await raise();
  await alerts.step();
  await waitFor(() => one.posts.length === 2 && other.posts.length === 2, { what: 'the later alert' });
  expect(hanging.posts).toHaveLength(1);
  for (const response of held) response.end();
  await alerts.stop();
  expect((await successes()).map(({ id }) => id)).toContain(slow.id);
});

test('a failed delivery is tried again under the same id, and neither log nor ledger names a secret or a path', async () => {
  let status = 503;
  const hook = await alertReceiver((response) => void response.writeHead(status).end('QUERYSECRET'));
  const { id, secret } = await add(hook.url);
  const alerts = await delivery();
  const round = async () => {
    await alerts.step();
    await alerts.settled();
  };
  await raise();
  await round();
  await round();
  expect(hook.posts).toHaveLength(1);
  const reader = await story.reader();
  expect(await reader.alertEndpoints()).toMatchObject([
    { id, successAt: null, failureAt: story.now, failure: 'it answered 503' },
  ]);
  status = 200;
  story.now += 10_000;
  await round();
  expect(hook.posts.map((post) => post.id)).toEqual([hook.posts[0]?.id, hook.posts[0]?.id]);
  expect(await reader.alertEndpoints()).toMatchObject([{ successAt: story.now }]);
  expect(log.lines).toHaveLength(1);
  const told = JSON.stringify([log.lines, await reader.auditTrail({ campaign: null, limit: 9 })]);
  for (const hidden of [secret, secret.slice(6), 'PATHSECRET', 'QUERYSECRET'])
    expect(told).not.toContain(hidden);
});

test('an endpoint that is removed after its alerts were taken gets no request', async () => {
  const gone = await alertReceiver();
  const { id } = await add(gone.url);
  await raise();
  const channel = endpointOf(id);
  const reader = await story.reader();
  const clock = { now: () => story.now, monotonic: () => story.now, sleep: async () => undefined };
  // The facts are read after the alerts were taken and before they are sent.
  const describe = async () => {
    await removeAlertEndpoint(order(), id);
    return {};
  };
  const channels = async () => [channel];
  const alerts = new AlertDelivery({ clock, ledger: story.ledger, log }, { ...LIMITS, channels, describe });
  await alerts.step();
  await alerts.settled();
  expect(gone.posts).toEqual([]);
  expect(await reader.alertEndpoints()).toEqual([]);
});

test('a new secret signs from the next request on', async () => {
  const hook = await alertReceiver();
  const { id, secret: old } = await add(hook.url);
  const alerts = await delivery();
  await raise();
  const { secret } = await renewAlertSecret(order(), id);
  await alerts.step();
  await alerts.settled();
  const [post] = hook.posts as [AlertPost];
  expect(signedBy(secret, post)).toMatchObject({ type: 'tuma.test' });
  expect(() => signedBy(old, post)).toThrow('signature');
});
