import { expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { fastClock, mostInOneSecond, openEngine, watchSlots } from './engine.ts';
import { ANSWERS, ScriptedProvider } from './scripted-provider.ts';

it('a rate that a campaign gets while it runs without one holds from the next claim on [I11]', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(6_000, { batchSize: 5_000 });
  const limited = Promise.withResolvers<void>();
  const provider = new ScriptedProvider({
    script: (_, count) => (count <= 100 ? 'accept' : limited.promise.then(() => 'accept')),
  });
  await engine.start(provider, { concurrency: 8, claimLimit: 32 });
  await waitFor(() => provider.inFlight === 8 && provider.acceptedCount === 100, { what: 'some messages' });
  await engine.ledger.setRate(campaign.n, { now: engine.clock.now(), by: 'operator', ratePerSecond: 20 });
  const slots = watchSlots(engine);
  limited.resolve();
  await waitFor(() => slots.length >= 25, { what: 'more than a second at the new rate' });
  expect(mostInOneSecond(slots.map(({ slotAt }) => slotAt))).toBeLessThanOrEqual(20);
  await engine.ledger.cancel(campaign.n, { now: engine.clock.now(), by: 'operator' });
});

it('by segment the account never has more segments in a second than its rate and the rest of one message [I11]', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(25, { segments: 3 });
  const slots = watchSlots(engine);
  await engine.start(new ScriptedProvider(), { accountRate: 30, rateBySegment: true });
  await engine.until(campaign, 'finished');
  // A message that missed its slot, as on a busy machine, takes another one.
  expect(slots.length).toBeGreaterThanOrEqual(25);
  expect(mostInOneSecond(slots.map(({ slotAt }) => slotAt)) * 3).toBeLessThanOrEqual(30 + 2);
});

it('the claims take fewer slots while the service throttles, and all of the rate again when it has recovered [P10]', async () => {
  const clock = fastClock(20);
  const engine = await openEngine(clock);
  const campaign = await engine.launch(4_000, { retry: { attempts: 20, firstMs: 1_000, mostMs: 5_000 } });
  const rates: number[] = [];
  const claim = engine.ledger.claim.bind(engine.ledger);
  engine.ledger.claim = (request) => {
    rates.push(request.accountRate ?? Infinity);
    return claim(request);
  };
  let throttles = true;
  const provider = new ScriptedProvider({
    script: (_, count) => (throttles && count % 5 === 0 ? ANSWERS.throttled : 'accept'),
  });
  await engine.start(provider, { accountRate: 100 });
  await waitFor(() => Math.min(...rates) <= 50, { what: 'the rate to be halved' });
  expect(rates[0]).toBe(100);
  throttles = false;
  await waitFor(() => rates.at(-1) === 100, { what: 'all of the rate again' });
  await engine.ledger.cancel(campaign.n, { now: clock.now(), by: 'operator' });
});
