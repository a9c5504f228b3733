import { expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { fastClock, openEngine } from './engine.ts';
import { ANSWERS, ScriptedProvider } from './scripted-provider.ts';

/** The most that came within a span, in milliseconds. */
function mostWithin(times: readonly number[], spanMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + spanMs).length));
}

it('a rate that a campaign gets while it runs without one holds from the next claim on [I11]', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(6_000, { batchSize: 5_000 });
  const provider = new ScriptedProvider({
    script: async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return 'accept' as const;
    },
  });
  await engine.start(provider, { concurrency: 8, claimLimit: 32 });
  await waitFor(() => provider.times.length > 100, { what: 'some messages' });
  await engine.ledger.setRate(campaign.n, { now: engine.clock.now(), by: 'operator', ratePerSecond: 20 });
  const from = Date.now();
  await waitFor(() => Date.now() > from + 1_450, { what: 'a second at the new rate' });
  const seconds = (Date.now() - from) / 1_000;
  const since = provider.times.filter((at) => at >= from);
  // What was claimed before may still go, however long a busy machine takes for it.
  expect(since.length).toBeLessThanOrEqual(32 + Math.ceil(20 * seconds) + 1);
  expect(since.length).toBeGreaterThan(5);
  await engine.ledger.cancel(campaign.n, { now: engine.clock.now(), by: 'operator' });
});

it('by segment the account never has more segments in a second than its rate and the rest of one message [I11]', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(25, { segments: 3 });
  const provider = new ScriptedProvider();
  await engine.start(provider, { accountRate: 30, rateBySegment: true });
  await engine.until(campaign, 'finished');
  expect(mostWithin(provider.times, 1_000) * 3).toBeLessThanOrEqual(30 + 2);
  expect((provider.times.at(-1) ?? 0) - (provider.times[0] ?? 0)).toBeGreaterThan(2_200);
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
  const recovering = rates.slice(rates.indexOf(Math.min(...rates)));
  expect(recovering).toEqual(recovering.toSorted((one, other) => one - other));
  await engine.ledger.cancel(campaign.n, { now: clock.now(), by: 'operator' });
});
