import { expect, test } from 'vitest';
import { pauseCampaign } from '../../../src/campaign/operator/orders.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import type { MessageRow } from '../../../src/ledger/contracts/reader.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ACCOUNT, type Engine, fastClock, JumpClock, openEngine } from './engine.ts';
import { ANSWERS, type Scripted, ScriptedProvider } from './scripted-provider.ts';

/* The canary on the real ledger: what is sent before the gate, and what opens it. */

const RULE = { first: 10, waitMs: 600_000, delivered: 0.8 };
const BUDGET = 100_000_000;

async function messagesOf({ reader }: Engine, campaign: Campaign): Promise<MessageRow[]> {
  return reader.messages({ campaign: campaign.n, afterSeq: 0, limit: 1_000, states: null });
}

let reports = 0;

/** Delivery reports of some messages, stored and joined as the collector and its loop do. */
async function report(
  { ledger, clock }: Engine,
  messages: MessageRow[],
  said: { word: string; delivery: 'delivered' | 'undelivered' },
): Promise<void> {
  const now = clock.now();
  for (const { messageId } of messages) {
    reports += 1;
    const body = new TextEncoder().encode(`${reports}`);
    const shape = { method: 'POST', contentType: 'application/json', query: '', ip: '127.0.0.1' };
    await ledger.storeWebhook({ receivedAt: now, body, ...shape });
    const [raw] = await ledger.newWebhooks(1);
    const { word, delivery } = said;
    const reason = delivery === 'undelivered' ? word : null;
    const about = {
      messageId: messageId ?? '',
      word,
      delivery,
      reason,
      mobile: null,
      network: null,
      at: null,
    };
    await ledger.recordReports([{ webhook: raw?.webhook ?? 0, kind: 'report', reports: [about], now }]);
  }
}

const DELIVERED = { word: 'DeliveredToTerminal', delivery: 'delivered' } as const;
const ABSENT = { word: 'AbsentSubscriber', delivery: 'undelivered' } as const;

async function paused(engine: Engine, campaign: Campaign) {
  const overview = await engine.until(campaign, 'paused');
  expect(overview.reason).toBe('canary');
  return overview;
}

async function verdict(engine: Engine, campaign: Campaign, wanted: string): Promise<void> {
  const look = async () => (await engine.reader.overview(campaign.n)).canary?.verdict === wanted;
  await waitFor(look, { what: `the canary to be ${wanted}` });
}

test('only the first messages go; the rest goes by itself when enough of them were delivered', async () => {
  const engine = await openEngine(new JumpClock(Date.now()));
  const provider = new ScriptedProvider();
  const campaign = await engine.launch(130, { canary: RULE });
  await engine.start(provider);
  const waiting = await paused(engine, campaign);
  expect(waiting.messages).toMatchObject({ sent: 10, queued: 120 });
  expect(waiting.canary).toMatchObject({
    verdict: 'waiting',
    counts: { messages: 10, sent: 10, delivered: 0 },
  });

  const first = (await messagesOf(engine, campaign)).filter(({ state }) => state === 'sent');
  await report(engine, first.slice(0, 7), DELIVERED);
  expect(provider.acceptedCount).toBe(10);
  await report(engine, first.slice(7, 8), DELIVERED);
  const done = await engine.until(campaign, 'finished');
  expect(done.messages.sent).toBe(130);
  expect(done.canary?.verdict).toBe('passed');
  expect(provider.doubles).toBe(0);
  expect(await engine.reader.violations(null)).toEqual([]);
});

test('too few delivered holds the rest for a person, who may override it', async () => {
  const engine = await openEngine(new JumpClock(Date.now()));
  const provider = new ScriptedProvider();
  const campaign = await engine.launch(40, { canary: RULE, budgetMicro: BUDGET });
  await engine.start(provider);
  await paused(engine, campaign);
  const first = await messagesOf(engine, campaign);
  await report(engine, first.slice(0, 3), ABSENT);
  await verdict(engine, campaign, 'failed');
  // What comes late does not undo it.
  await report(engine, first.slice(3, 10), DELIVERED);
  expect((await engine.reader.overview(campaign.n)).canary).toMatchObject({
    verdict: 'failed',
    why: 'too few of the first messages were delivered',
  });
  expect(provider.acceptedCount).toBe(10);

  const operator = { now: engine.clock.now(), by: 'operator' };
  // A budget says nothing of the canary.
  expect(await engine.ledger.resume(campaign.n, { ...operator, budgetMicro: BUDGET + 1 })).toBe(true);
  expect(await paused(engine, campaign)).toMatchObject({ budgetMicro: BUDGET + 1 });
  await engine.ledger.resume(campaign.n, operator);
  const done = await engine.until(campaign, 'finished');
  expect(done.canary?.verdict).toBe('overridden');
  expect(provider.acceptedCount).toBe(40);
});

test('a message of the canary that is put back while the others are waited for goes, and the canary is judged', async () => {
  const engine = await openEngine(new JumpClock(Date.now()));
  const answers: Scripted[] = [ANSWERS.deadline];
  const provider = new ScriptedProvider({ script: () => answers.pop() ?? 'accept' });
  const campaign = await engine.launch(50, { canary: RULE });
  await engine.start(provider);
  await paused(engine, campaign);
  expect(provider.acceptedCount).toBe(9);
  const now = engine.clock.now();
  const resolution = { now, by: 'operator', decision: 'not_sent', before: now } as const;
  expect(await engine.ledger.resolve(campaign.n, resolution)).toMatchObject({ resolved: 1 });
  await waitFor(() => provider.acceptedCount === 10, { what: 'the one that was put back' });
  expect((await paused(engine, campaign)).canary).toMatchObject({ verdict: 'waiting' });
  await report(engine, (await messagesOf(engine, campaign)).slice(0, 8), DELIVERED);
  const done = await engine.until(campaign, 'finished');
  expect([done.canary?.verdict, provider.acceptedCount]).toEqual(['passed', 50]);
});

test('a pause by the operator, and going on from it, leaves the canary to its reports', async () => {
  const engine = await openEngine(new JumpClock(Date.now()));
  const provider = new ScriptedProvider();
  const campaign = await engine.launch(40, { canary: RULE });
  await engine.start(provider);
  await paused(engine, campaign);
  const order = async () => ({
    ...(await engine.reader.overview(campaign.n)),
    ledger: engine.ledger,
    now: engine.clock.now(),
    by: 'operator',
  });
  expect(await pauseCampaign(await order())).toBe(true);
  expect(await order()).toMatchObject({ state: 'paused', reason: 'operator' });
  await engine.ledger.resume(campaign.n, { now: engine.clock.now(), by: 'operator' });
  expect((await paused(engine, campaign)).canary).toMatchObject({ verdict: 'waiting' });
  expect(provider.acceptedCount).toBe(10);
  await report(engine, (await messagesOf(engine, campaign)).slice(0, 3), ABSENT);
  await verdict(engine, campaign, 'failed');
  // It waits for a person now, and the reason says for what.
  expect(await pauseCampaign(await order())).toBe(false);
  expect(await order()).toMatchObject({ state: 'paused', reason: 'canary' });
  expect(provider.acceptedCount).toBe(10);
});

test('without any report it is held when the wait is over, and not before', async () => {
  const engine = await openEngine(fastClock(2_000));
  const campaign = await engine.launch(30, { canary: { ...RULE, waitMs: 1_200_000 } });
  await engine.start(new ScriptedProvider());
  const { canary } = await paused(engine, campaign);
  const until = canary?.until ?? 0;
  await verdict(engine, campaign, 'failed');
  expect(engine.clock.now()).toBeGreaterThanOrEqual(until);
  expect(until).toBeGreaterThan(0);
  expect((await engine.reader.overview(campaign.n)).canary?.why).toBe('no delivery report came');
});

test('the gate is of the ledger: while it is shut no other batch is offered or leased, by whomever', async () => {
  const engine = await openEngine();
  const { ledger, clock } = engine;
  const campaign = await engine.launch(230, { canary: RULE });
  const due = await ledger.dueBatches({ now: clock.now(), perCampaign: 16 });
  expect(due).toHaveLength(1);
  const self = { bootId: 'b', pidNamespace: 'n', pid: 1, startTicks: '1', roles: 'worker' };
  const worker = await ledger.registerWorker(self, clock.now());
  const lease = (batch: number) =>
    ledger.leaseBatch({ batch, epoch: 0, worker, now: clock.now(), leaseMs: 60_000 });
  const first = due[0]?.batch ?? 0;
  expect(await lease(first + 1)).toBeNull();
  expect(await lease(first)).toMatchObject({ campaign: { n: campaign.n }, firstSeq: 1, lastSeq: 10 });
  // A person who resumes a campaign that is paused for something else has not decided about the canary.
  await ledger.pause(campaign.n, { now: clock.now(), by: 'operator', reason: 'operator' });
  await ledger.resume(campaign.n, { now: clock.now(), by: 'operator' });
  expect(await lease(first + 1)).toBeNull();
});

test('a campaign that is no larger than its canary is sent as it is', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(10, { canary: RULE });
  await engine.start(new ScriptedProvider());
  const done = await engine.until(campaign, 'finished');
  expect(done.canary).toBeNull();
});

test('the first messages are spread over the whole file, so that they reach every network', async () => {
  const engine = await openEngine();
  const networks = new ScriptedProvider();
  const send = networks.send.bind(networks);
  // The last tenth of the numbers belongs to another network.
  networks.send = async (request) => {
    const answer = await send(request);
    const network = Number(request.mobile) % 1_000 >= 90 ? '2' : '1';
    return answer.outcome === 'accepted' ? { ...answer, network } : answer;
  };
  const campaign = await engine.launch(100, { canary: RULE });
  await engine.start(networks);
  await paused(engine, campaign);
  const messages = await messagesOf(engine, campaign);
  const sent = messages.filter(({ state }) => state === 'sent');
  expect(
    sent
      .map(({ network }) => network)
      .join('')
      .replaceAll('1', ''),
  ).toBe('2');
  expect(sent).toHaveLength(10);
  // They changed places; nobody came twice, and nobody was lost.
  expect(new Set(messages.map(({ mobile }) => mobile)).size).toBe(100);
  expect(await engine.reader.violations(null)).toEqual([]);
  expect(campaign.account).toBe(ACCOUNT);
});
