import { expect, it, onTestFinished, vi } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { ACCOUNT, JumpClock, PRICE, openEngine } from './engine.ts';
import { ANSWERS, type Scripted, ScriptedProvider } from './scripted-provider.ts';

it('a service that stays unreachable pauses the campaign at the third probe in vain, with every message queued [P1]', async () => {
  const clock = new JumpClock(Date.now());
  const engine = await openEngine(clock);
  const campaign = await engine.launch(40);
  const provider = new ScriptedProvider({ script: () => ANSWERS.notSent });
  const worker = await engine.start(provider, { concurrency: 4, claimLimit: 8 });
  const { health } = worker.sending;
  await waitFor(() => health.breakerState === 'open', { what: 'the breaker to open' });
  provider.balanceAnswer = () => ANSWERS.deadline;
  await waitFor(() => worker.sending.dispatcher.quiet, { what: 'what was on its way' });
  const tried = provider.times.length;
  const waits: number[] = [];
  await waitFor(
    async () => {
      const waitMs = health.waitMs();
      // Closed again, it rests a few seconds more before the pause.
      if (health.breakerState === 'open' && waitMs > 0) {
        waits.push(Math.ceil(waitMs / 10_000) * 10_000);
        clock.jumpTo(clock.now() + waitMs);
        await waitFor(() => health.breakerState === 'closed' || health.waitMs() > 0, { what: 'a probe' });
      }
      return (await engine.reader.overview(campaign.n)).state === 'paused';
    },
    { what: 'the campaign to be paused' },
  );
  const { messages, reason } = await engine.reader.overview(campaign.n);
  expect([reason, messages.queued]).toEqual(['errors', 40]);
  expect(waits).toEqual([30_000, 60_000, 120_000]);
  // Five open the breaker, beside those that were on their way; a probe is a balance call, and no message.
  expect(tried).toBeLessThanOrEqual(5 + 4);
  expect(provider.times).toHaveLength(tried);
});

it('a message refused for credit that others spent goes back, and the campaign waits for the top-up by itself [M2]', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(60);
  let spent = false;
  const provider = new ScriptedProvider({
    creditMicro: 100 * PRICE,
    script: () => {
      // After the claim that counted on it, and before the answer.
      if (!spent && provider.acceptedCount === 19) {
        spent = true;
        provider.creditMicro = 0;
      }
      return 'accept';
    },
  });
  await engine.start(provider, { concurrency: 4, claimLimit: 8 });
  const { reason, pauseSaid } = await engine.until(campaign, 'paused');
  expect([reason, pauseSaid, provider.acceptedCount]).toEqual(['balance', 'Low credits', 19]);
  // Those that were on the wire, and no other: the first one pauses.
  expect(provider.creditRefusals).toBeGreaterThan(0);
  expect(provider.creditRefusals).toBeLessThanOrEqual(4);
  const { balanceCalls } = provider;
  await waitFor(() => provider.balanceCalls >= balanceCalls + 3, { what: 'three looks at the credit' });
  const { state, messages } = await engine.reader.overview(campaign.n);
  expect(state).toBe('paused');
  expect(messages).toMatchObject({ sent: 19, queued: 41, rejected: 0, uncertain: 0 });
  provider.creditMicro = 100 * PRICE;
  const ended = await engine.until(campaign, 'finished');
  expect(ended.messages).toMatchObject({ sent: 60, rejected: 0 });
  expect([provider.acceptedCount, provider.doubles]).toEqual([60, 0]);
  expect(await engine.reader.violations(null)).toEqual([]);
});

it('a top-up before the first look ends the pause of a refused credit, though it was more at an earlier one', async () => {
  const engine = await openEngine();
  let spent = false;
  const provider = new ScriptedProvider({
    creditMicro: 0,
    script: () => {
      // Another program spends all of it, after the claim that counted on it.
      if (!spent && provider.acceptedCount === 3) {
        spent = true;
        provider.creditMicro = 0;
      }
      return 'accept';
    },
  });
  const earlier = await engine.launch(3);
  await engine.start(provider, { watchPausesMs: 2_000 });
  await engine.until(earlier, 'paused');
  provider.creditMicro = 1_000 * PRICE;
  await engine.until(earlier, 'finished');
  const campaign = await engine.launch(5);
  await waitFor(() => provider.creditRefusals > 0, { what: 'a refusal' });
  provider.creditMicro = 500 * PRICE;
  expect((await engine.until(campaign, 'finished')).messages.sent).toBe(5);
});

const REFUSED = { outcome: 'refused', refusal: 'credit', retryHelps: true, httpStatus: 200 } as const;
const NO_CREDIT = { ...REFUSED, code: '1004', words: 'Low credits', raw: null };

it('a refusal that is answered after the top-up, or that was wrong, does not hold the campaign', async () => {
  const engine = await openEngine();
  const [first, late, tried] = Array.from({ length: 3 }, () => Promise.withResolvers<Scripted>());
  let asked = 0;
  const answers = new Map([
    [5, first?.promise],
    [6, late?.promise],
    [7, tried?.promise],
  ]);
  const provider: ScriptedProvider = new ScriptedProvider({
    creditMicro: 500 * PRICE,
    script: () => answers.get((asked += 1)) ?? 'accept',
  });
  const campaign = await engine.launch(20, { batchSize: 4 });
  await engine.start(provider, { concurrency: 2, claimLimit: 4, watchPausesMs: 300 });
  await waitFor(() => provider.inFlight === 2 && provider.times.length === 6, { what: 'two requests' });
  first?.resolve(NO_CREDIT);
  // The try is under way when the other answer of before comes: the first one has stopped all that was claimed.
  await waitFor(() => provider.times.length === 7, { what: 'a try' });
  late?.resolve(NO_CREDIT);
  await waitFor(() => provider.times.length > 7, { what: 'sending to go on' });
  tried?.resolve('accept');
  expect((await engine.until(campaign, 'finished')).messages.sent).toBe(20);
});

it('a credit that is refused when it is tried is not tried again before it rises', async () => {
  const engine = await openEngine();
  const provider: ScriptedProvider = new ScriptedProvider({
    creditMicro: 500 * PRICE,
    script: (_request, count) => (count > 4 && provider.creditMicro <= 500 * PRICE ? NO_CREDIT : 'accept'),
  });
  const campaign = await engine.launch(20);
  await engine.start(provider, { concurrency: 1, claimLimit: 4, watchPausesMs: 100 });
  await waitFor(() => provider.times.length === 6, { what: 'one try' });
  await engine.until(campaign, 'paused');
  const { balanceCalls } = provider;
  await waitFor(() => provider.balanceCalls >= balanceCalls + 5, { what: 'five looks at the credit' });
  expect(provider.times).toHaveLength(6);
  provider.creditMicro = 600 * PRICE;
  expect((await engine.until(campaign, 'finished')).messages.sent).toBe(20);
});

it('a balance call that is refused for credit pauses for the balance, not for the credentials, until it can be read [M1 M2]', async () => {
  const engine = await openEngine();
  const provider = new ScriptedProvider({ creditMicro: 500 * PRICE });
  const earlier = await engine.launch(3);
  const worker = await engine.start(provider, { watchPausesMs: 100 });
  await engine.until(earlier, 'finished');
  worker.sending.credit.tooLittle(ACCOUNT, 600 * PRICE);
  provider.balanceAnswer = () => NO_CREDIT;
  const campaign = await engine.launch(5);
  const { reason, pauseSaid } = await engine.until(campaign, 'paused');
  expect([reason, pauseSaid]).toEqual(['balance', NO_CREDIT.words]);
  provider.balanceAnswer = null;
  expect((await engine.until(campaign, 'finished')).messages.sent).toBe(5);
});

it('a job that is handed out a second time, during the first or after it, sends nothing [R5 R8]', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(100, { batchSize: 100 });
  const [due] = await engine.ledger.dueBatches({ now: Date.now(), perCampaign: 16 });
  if (due === undefined) throw new Error('no batch is due');
  const again = { batch: due.batch, epoch: due.epoch, kind: 'promotional', delayMs: 0 } as const;
  const leases: boolean[] = [];
  const ledger = { ...engine.ledger };
  engine.ledger.leaseBatch = async (asked) => {
    const lease = await ledger.leaseBatch(asked);
    if (asked.epoch === due.epoch) leases.push(lease !== null);
    return lease;
  };
  const answering = Promise.withResolvers<'accept'>();
  const provider = new ScriptedProvider({ script: () => answering.promise });
  const worker = await engine.start(provider, { concurrency: 4, claimLimit: 8 });
  await waitFor(() => provider.inFlight === 4, { what: 'four requests on the wire' });
  await engine.queue.add([again]);
  await waitFor(() => leases.length === 2, { what: 'the job a second time' });
  expect([provider.times.length, worker.sending.dispatcher.sendingCount]).toEqual([4, 8]);
  answering.resolve('accept');
  await engine.until(campaign, 'finished');
  await engine.queue.add([again]);
  await waitFor(() => leases.length === 3, { what: 'the job a third time' });
  await waitFor(async () => (await engine.queue.size()) === 0, { what: 'the job to end' });
  expect(leases).toEqual([true, false, false]);
  expect([provider.times.length, provider.acceptedCount, provider.doubles]).toEqual([100, 100, 0]);
});

it('a worker asks whether the campaigns of its waiting messages still run, and puts them back when they do not', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(40, { ratePerSecond: 2 });
  const provider = new ScriptedProvider();
  const halted = vi.spyOn(engine.ledger, 'haltedCampaigns');
  onTestFinished(() => halted.mockRestore());
  const put = vi.spyOn(engine.ledger, 'recordOutcomes');
  onTestFinished(() => put.mockRestore());
  await engine.start(provider);
  await waitFor(() => halted.mock.calls.length > 0, { what: 'the first look' });
  expect(halted.mock.calls[0]).toEqual([[campaign.n]]);
  // The campaign runs on, so its messages are claimed again.
  halted.mockResolvedValueOnce([campaign.n]);
  const released = () =>
    put.mock.calls.flatMap(([{ outcomes }]) => outcomes).filter(({ to }) => to === 'queued');
  await waitFor(() => released().length > 0, { what: 'messages that go back' });
  expect(released()[0]).toMatchObject({ reason: 'released', countsAsTry: false });
});
