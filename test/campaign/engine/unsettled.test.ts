import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LEASE_MS } from '../../../src/domain/protocol-times.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openEngine, PRICE } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

it('a budget that is used up asks for the balance now and then while another process has messages under way', async () => {
  const engine = await openEngine();
  const { ledger, clock } = engine;
  await engine.launch(1);
  const identity = { bootId: 'boot', pidNamespace: 'ns', pid: 1, startTicks: '1', roles: 'worker' };
  const other = await ledger.registerWorker(identity, clock.now());
  const [due] = await ledger.dueBatches({ now: clock.now(), perCampaign: 1 });
  if (due === undefined) throw new Error('no batch is due');
  const now = clock.now();
  const lease = await ledger.leaseBatch({ ...due, worker: other, now, leaseMs: LEASE_MS });
  const { batch = 0, epoch = 0 } = lease ?? {};
  const money = { ceilingMicro: PRICE, priceMicro: PRICE };
  const request = { batch, epoch, worker: other, now, limit: 1, fromSeq: 1, windowClosesAt: null };
  expect((await ledger.claim({ ...request, ...money, accountRate: null })).messages).toHaveLength(1);

  const campaign = await engine.launch(40, { batchSize: 10, budgetMicro: 2 * PRICE });
  const provider = new ScriptedProvider();
  await engine.start(provider);
  await waitFor(() => provider.acceptedCount === 2, { what: 'all that the budget pays' });
  const before = provider.balanceCalls;
  // Nothing is to happen: there is no condition to wait for.
  await wait(900);
  expect(provider.balanceCalls - before).toBeLessThan(10);
  expect((await engine.reader.overview(campaign.n)).state).toBe('running');
  await ledger.reap(other, clock.now());
  expect((await engine.until(campaign, 'paused')).reason).toBe('budget');
  expect(provider.acceptedCount).toBe(2);
});
