import { expect, it } from 'vitest';
import { LEASE_MS } from '../../../src/domain/protocol-times.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Engine, openEngine, PRICE } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

/** Between two looks of a batch. */
const LOOK_MS = 200;

/** Another process that has claimed the first message that is due, and says nothing more. Answers its worker's number. */
async function holdOne({ ledger, clock }: Engine): Promise<number> {
  const identity = { bootId: 'boot', pidNamespace: 'ns', pid: 1, startTicks: '1', roles: 'worker' };
  const other = await ledger.registerWorker(identity, clock.now());
  const [due] = await ledger.dueBatches({ now: clock.now(), perCampaign: 1 });
  if (due === undefined) throw new Error('no batch is due');
  const now = clock.now();
  const lease = await ledger.leaseBatch({ ...due, worker: other, now, leaseMs: LEASE_MS });
  const { batch = 0, epoch = 0 } = lease ?? {};
  const money = { ceilingMicro: PRICE, priceMicro: PRICE };
  const request = { batch, epoch, worker: other, now, limit: 1, fromSeq: 1, windowClosesAt: null };
  expect(
    (await ledger.claim({ ...request, ...money, claimNumber: 1, accountRate: null })).messages,
  ).toHaveLength(1);
  return other;
}

it('credit that is used up is asked for now and then while another process has messages under way', async () => {
  const engine = await openEngine();
  await engine.launch(1);
  const other = await holdOne(engine);
  const campaign = await engine.launch(40, { batchSize: 10 });
  const provider = new ScriptedProvider({ creditMicro: 3 * PRICE });
  await engine.start(provider);
  await waitFor(() => provider.acceptedCount === 2, { what: 'all that the credit pays' });
  // Every 200 ms at most, however long a busy machine takes for three looks.
  const [before, from] = [provider.balanceCalls, performance.now()];
  await waitFor(() => provider.balanceCalls >= before + 3, { what: 'three looks at the credit' });
  expect(provider.balanceCalls - before).toBeLessThanOrEqual(2 + (performance.now() - from) / LOOK_MS);
  expect((await engine.reader.overview(campaign.n)).state).toBe('running');
  await engine.ledger.reap(other, engine.clock.now());
  expect((await engine.until(campaign, 'paused')).reason).toBe('balance');
  // What the other one held back was not charged, as the service says.
  expect(provider.acceptedCount).toBe(3);
});

it('a budget is not called used up while another process has messages of the campaign under way', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(40, { batchSize: 10, budgetMicro: 5 * PRICE });
  const other = await holdOne(engine);
  const provider = new ScriptedProvider();
  const claims = countClaims(engine);
  await engine.start(provider);
  await waitFor(() => provider.acceptedCount === 2, { what: 'all that the budget lets go beside it' });
  // Four batches at most are looked at together, each every 200 ms.
  const [before, from] = [claims(), performance.now()];
  await waitFor(() => claims() >= before + 8, { what: 'looks at the budget' });
  expect(claims() - before).toBeLessThanOrEqual(4 * (2 + (performance.now() - from) / LOOK_MS));
  expect((await engine.reader.overview(campaign.n)).state).toBe('running');
  await engine.ledger.reap(other, engine.clock.now());
  expect((await engine.until(campaign, 'paused')).reason).toBe('budget');
  expect(provider.acceptedCount).toBe(4);
});

it('a budget that is used up pauses its campaign though another one goes on sending', async () => {
  const engine = await openEngine();
  const hung = Promise.withResolvers<'accept'>();
  const provider = new ScriptedProvider({ script: (_, count) => (count > 1 ? hung.promise : 'accept') });
  await engine.start(provider);
  // What a message costs is known then.
  await engine.until(await engine.launch(1), 'finished');
  const other = await engine.launch(6);
  await waitFor(() => provider.inFlight === 6, { what: 'messages that get no answer' });
  const campaign = await engine.launch(1, { budgetMicro: PRICE / 2 });
  expect((await engine.until(campaign, 'paused')).reason).toBe('budget');
  expect(provider.inFlight).toBe(6);
  hung.resolve('accept');
  await engine.until(other, 'finished');
});

function countClaims({ ledger }: Engine): () => number {
  const claim = ledger.claim.bind(ledger);
  let count = 0;
  ledger.claim = (request) => {
    count += 1;
    return claim(request);
  };
  return () => count;
}
