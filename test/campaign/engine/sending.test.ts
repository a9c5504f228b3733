import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { PRICE, fastClock, mostInOneSecond, openEngine, watchSlots } from './engine.ts';
import { ANSWERS, ScriptedProvider } from './scripted-provider.ts';

describe('a worker', () => {
  it('sends every message once and finishes', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(1_234);
    const provider = new ScriptedProvider();
    await engine.start(provider);
    const { messages } = await engine.until(campaign, 'finished');
    expect(messages.sent).toBe(1_234);
    expect([provider.acceptedCount, provider.doubles]).toEqual([1_234, 0]);
    expect(await engine.reader.violations(null)).toEqual([]);
  });

  it('never has more requests in flight than its concurrency, nor claims more than its limit', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(400);
    const provider = new ScriptedProvider();
    const worker = await engine.start(provider, { concurrency: 5, claimLimit: 16 });
    let mostHeld = 0;
    await waitFor(
      async () => {
        const { messages, state } = await engine.reader.overview(campaign.n);
        mostHeld = Math.max(mostHeld, messages.sending, worker.sending.dispatcher.sendingCount);
        return state === 'finished';
      },
      { what: 'the campaign to finish' },
    );
    expect(provider.mostInFlight).toBe(5);
    expect(mostHeld).toBeLessThanOrEqual(16);
  });

  it('is not held up by answers that hang', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(500);
    const hanging = Promise.withResolvers<void>();
    const provider = new ScriptedProvider({
      script: async ({ mobile }) => {
        if (mobile.endsWith('50')) await hanging.promise;
        return 'accept' as const;
      },
    });
    await engine.start(provider);
    await waitFor(() => provider.acceptedCount === 495, {
      what: 'all but the hanging five',
    });
    hanging.resolve();
    const { messages } = await engine.until(campaign, 'finished');
    expect(messages.sent).toBe(500);
  });

  it('stopped in order leaves nothing sending and nothing uncertain [S1]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(2_000);
    const provider = new ScriptedProvider();
    const worker = await engine.start(provider);
    await waitFor(() => provider.acceptedCount > 200, { what: 'some messages' });
    await worker.stop();
    const { messages } = await engine.reader.overview(campaign.n);
    expect([messages.sending, messages.uncertain]).toEqual([0, 0]);
    expect(messages.sent).toBe(provider.acceptedCount);
    expect(messages.queued).toBe(2_000 - messages.sent);
  });

  it('a pause stops the claiming, and resuming sends the rest once [B8]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(1_000);
    const paused = Promise.withResolvers<void>();
    let asked = 0;
    const provider = new ScriptedProvider({
      script: async () => {
        asked += 1;
        if (asked > 100) await paused.promise;
        return 'accept' as const;
      },
    });
    const worker = await engine.start(provider, { concurrency: 16, claimLimit: 64 });
    // Behind the hundredth alone do answers wait: whatever is held before it may be answered before the pause is written.
    await waitFor(() => provider.acceptedCount === 100 && provider.inFlight === 16, {
      what: 'all requests to wait for their answers',
    });
    await waitFor(() => worker.sending.dispatcher.sendingCount > 16, {
      what: 'more to be claimed than is in flight',
    });
    await engine.ledger.pause(campaign.n, { now: Date.now(), by: 'operator', reason: 'operator' });
    const atPause = provider.acceptedCount;
    paused.resolve();
    await waitFor(async () => (await engine.reader.overview(campaign.n)).messages.sending === 0, {
      what: 'what was on the wire',
    });
    expect(provider.acceptedCount - atPause).toBeGreaterThanOrEqual(16);
    expect(provider.acceptedCount - atPause).toBeLessThanOrEqual(64);
    await engine.ledger.resume(campaign.n, { now: Date.now(), by: 'operator' });
    await engine.until(campaign, 'finished');
    expect([provider.acceptedCount, provider.doubles]).toEqual([1_000, 0]);
  });

  it('finds nothing to do in the jobs of a campaign that the ledger holds paused, or does not know [B9]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(100, { batchSize: 50 });
    const due = await engine.ledger.dueBatches({ now: Date.now(), perCampaign: 16 });
    await engine.ledger.pause(campaign.n, { now: Date.now(), by: 'operator', reason: 'operator' });
    const provider = new ScriptedProvider();
    await engine.start(provider);
    const known = due.map(({ batch, epoch }) => ({ batch, epoch, kind: 'promotional', delayMs: 0 }) as const);
    const foreign = { batch: 987_654, epoch: 1, kind: 'transactional', delayMs: 0 } as const;
    await engine.queue.add([...known, foreign]);
    await waitFor(async () => (await engine.queue.size()) === 0, {
      what: 'the jobs to end',
    });
    expect(due).toHaveLength(2);
    expect(provider.times).toEqual([]);
    expect((await engine.reader.overview(campaign.n)).messages.queued).toBe(100);
    await engine.ledger.resume(campaign.n, { now: Date.now(), by: 'operator' });
    await engine.until(campaign, 'finished');
    expect([provider.acceptedCount, provider.doubles]).toEqual([100, 0]);
  });

  it('goes on after the queue was flushed again and again [R3]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(1_000, { batchSize: 50 });
    const provider = new ScriptedProvider();
    await engine.start(provider, { concurrency: 4, claimLimit: 8 });
    const flusher = setInterval(() => engine.queue.flush(), 50);
    await engine.until(campaign, 'finished').finally(() => clearInterval(flusher));
    expect([provider.acceptedCount, provider.doubles]).toEqual([1_000, 0]);
  });

  it('keeps to the rate of the account with two workers [I11]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(150);
    const slots = watchSlots(engine);
    const startedAt = new Map<string, number>();
    const provider = new ScriptedProvider({
      script: ({ mobile }) => (startedAt.set(mobile, engine.clock.now()), 'accept'),
    });
    await engine.start(provider, { accountRate: 50 });
    await engine.start(provider, { accountRate: 50 });
    await engine.until(campaign, 'finished');
    // By the slots of both: a busy machine may be late for one, and then hurries.
    expect(mostInOneSecond(slots.map(({ slotAt }) => slotAt))).toBeLessThanOrEqual(50);
    const early = slots.filter(
      ({ mobile, slotAt }) => (startedAt.get(mobile) ?? Infinity) < Math.floor(slotAt),
    );
    expect([startedAt.size, early]).toEqual([150, []]);
  });
});

describe('trouble at the provider', () => {
  it('refused credentials pause at the first sight, and everything comes back [P9]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(300);
    const provider = new ScriptedProvider({ script: () => ANSWERS.credentials });
    await engine.start(provider);
    const { messages, reason } = await engine.until(campaign, 'paused');
    expect(reason).toBe('credentials');
    await waitFor(async () => (await engine.reader.overview(campaign.n)).messages.queued === 300, {
      what: 'all messages to be queued again',
    });
    expect(messages.rejected + messages.uncertain).toBe(0);
  });

  it('a refused sender pauses after three, and sends with another one [P9b]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(50);
    const provider = new ScriptedProvider({
      script: ({ shortcode }) => (shortcode === 'DUKA' ? ANSWERS.sender : 'accept'),
    });
    await engine.start(provider, { concurrency: 2, claimLimit: 4 });
    expect((await engine.until(campaign, 'paused')).reason).toBe('sender');
    await engine.ledger.resume(campaign.n, { now: Date.now(), by: 'operator', sender: 'KIOSK' });
    await engine.until(campaign, 'finished');
    expect(provider.acceptedCount).toBe(50);
  });

  it('throttled messages are tried again and then given up, never sent twice [P10]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(40);
    const tries = new Map<string, number>();
    const provider = new ScriptedProvider({
      script: ({ mobile }) => {
        tries.set(mobile, (tries.get(mobile) ?? 0) + 1);
        if (mobile.endsWith('7')) return ANSWERS.throttled;
        return mobile.endsWith('3') && tries.get(mobile) === 1 ? ANSWERS.throttled : 'accept';
      },
    });
    await engine.start(provider);
    const { messages } = await engine.until(campaign, 'finished');
    expect([messages.sent, messages.rejected]).toEqual([36, 4]);
    expect(Math.max(...tries.values())).toBe(3);
    expect(provider.doubles).toBe(0);
  });

  it('an outage costs at most five and those in flight, and sending goes on when it is over [P3]', async () => {
    const engine = await openEngine(fastClock(20));
    const campaign = await engine.launch(600);
    let down = true;
    const provider = new ScriptedProvider({ script: () => (down ? ANSWERS.deadline : 'accept') });
    const { sending } = await engine.start(provider, { concurrency: 8, claimLimit: 32 });
    const balance = provider.balance.bind(provider);
    provider.balance = () => {
      // The outage is over when the breaker looks for the first time whether it is.
      if (sending.health.breakerState !== 'closed') down = false;
      return balance();
    };
    const { messages } = await engine.until(campaign, 'finished');
    expect(messages.uncertain).toBeLessThanOrEqual(5 + 8);
    expect(messages.sent).toBe(600 - messages.uncertain);
    expect(provider.doubles).toBe(0);
  });

  it('unreachable is never uncertain: every message is sent when the service is back [P1]', async () => {
    const engine = await openEngine(fastClock(20));
    const campaign = await engine.launch(200);
    let down = true;
    const provider = new ScriptedProvider({ script: () => (down ? ANSWERS.notSent : 'accept') });
    await engine.start(provider);
    await waitFor(() => provider.times.length >= 5, { what: 'five attempts' });
    down = false;
    const { messages } = await engine.until(campaign, 'finished');
    expect([messages.sent, messages.uncertain]).toEqual([200, 0]);
  });

  it('of a service that is slow for all no more is claimed than can go in time, and everything is sent once [P18]', async () => {
    const clock = fastClock(50);
    const engine = await openEngine(clock);
    const campaign = await engine.launch(120);
    const provider = new ScriptedProvider({
      script: async () => {
        await clock.sleep(5_000);
        return 'accept' as const;
      },
    });
    const worker = await engine.start(provider, { concurrency: 8, claimLimit: 128 });
    let mostHeldLater = 0;
    await waitFor(
      async () => {
        const { state } = await engine.reader.overview(campaign.n);
        if (provider.acceptedCount >= 60)
          mostHeldLater = Math.max(mostHeldLater, worker.sending.dispatcher.sendingCount);
        return state === 'finished';
      },
      { what: 'the campaign to finish' },
    );
    expect([provider.acceptedCount, provider.doubles, provider.mostInFlight]).toEqual([120, 0, 8]);
    // The first claim cannot know it, and most of it comes back unsent. Later no more is claimed than can go.
    expect(mostHeldLater).toBeGreaterThan(0);
    expect(mostHeldLater).toBeLessThanOrEqual(3 * 8);
    expect(await engine.reader.violations(null)).toEqual([]);
  });
});

describe('money', () => {
  it('two workers share one balance without one refusal, pause, and go on after a top-up [M2 M3]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(1_000);
    const provider = new ScriptedProvider({ creditMicro: 137 * PRICE + 5 });
    await engine.start(provider);
    await engine.start(provider);
    expect((await engine.until(campaign, 'paused')).reason).toBe('balance');
    expect([provider.acceptedCount, provider.creditRefusals]).toEqual([137, 0]);
    provider.creditMicro += 900 * PRICE;
    await engine.until(campaign, 'finished');
    expect([provider.acceptedCount, provider.doubles, provider.creditRefusals]).toEqual([1_000, 0, 0]);
    expect(await engine.reader.violations(null)).toEqual([]);
  });

  it.each([
    ['known', undefined],
    ['free', { prices: [0] }],
    ['not known', { prices: null }],
  ])(
    'on a credit below zero nothing is sent and the campaign pauses, where the price is %s',
    async (_, options) => {
      const engine = await openEngine();
      const campaign = await engine.launch(20);
      const provider = new ScriptedProvider({ creditMicro: -12.4 * PRICE });
      await engine.start(provider, options);
      const paused = await engine.until(campaign, 'paused');
      expect([paused.reason, provider.times.length]).toEqual(['balance', 0]);
      expect(paused.messages).toMatchObject({ queued: 20, sent: 0, uncertain: 0 });
      provider.creditMicro = 100 * PRICE;
      await engine.until(campaign, 'finished');
      expect([provider.acceptedCount, provider.doubles, provider.creditRefusals]).toEqual([20, 0, 0]);
    },
  );

  it('what others spend or pay in meanwhile counts from the next reading on [M4]', async () => {
    const engine = await openEngine();
    const provider = new ScriptedProvider({ creditMicro: 600 * PRICE });
    let othersSpend = () => {
      provider.creditMicro = 0;
      othersSpend = () => undefined;
    };
    const balance = provider.balance.bind(provider);
    provider.balance = async () => {
      if (provider.acceptedCount >= 50) othersSpend();
      return balance();
    };
    await engine.start(provider, { concurrency: 8, claimLimit: 16 });
    const campaign = await engine.launch(500, { batchSize: 25 });
    const paused = await engine.until(campaign, 'paused');
    expect(paused.reason).toBe('balance');
    expect(provider.acceptedCount).toBeLessThan(500);
    // A refusal for credit is only for what was on its way when the others spent.
    expect(provider.creditRefusals).toBeLessThanOrEqual(16);
    expect(paused.messages).toMatchObject({ sent: provider.acceptedCount, uncertain: 0, rejected: 0 });
    provider.creditMicro = 1_000 * PRICE;
    await engine.until(campaign, 'finished');
    expect([provider.acceptedCount, provider.doubles]).toEqual([500, 0]);
    expect(await engine.reader.violations(null)).toEqual([]);
  });

  it('a budget is never passed, by two workers either', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(500, { budgetMicro: 99 * PRICE });
    const provider = new ScriptedProvider();
    await engine.start(provider);
    await engine.start(provider);
    expect((await engine.until(campaign, 'paused')).reason).toBe('budget');
    expect(provider.acceptedCount).toBe(99);
  });

  it('a budget that is raised goes on to the new one and no further, by two workers, with raises while they send', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(300, { budgetMicro: 20 * PRICE });
    const provider = new ScriptedProvider();
    await engine.start(provider);
    await engine.start(provider);
    const raise = (messages: number) =>
      engine.ledger.resume(campaign.n, { now: 0, by: 'test', budgetMicro: messages * PRICE });
    expect((await engine.until(campaign, 'paused')).reason).toBe('budget');
    expect(provider.acceptedCount).toBe(20);
    await raise(60);
    // Some of these come while a worker is about to pause for the budget before: it must not stay paused then.
    for (let budget = 61; budget <= 100; budget += 1) await raise(budget);
    await waitFor(() => provider.acceptedCount === 100, { what: 'all that the new budget pays' });
    expect((await engine.until(campaign, 'paused')).reason).toBe('budget');
    expect(provider.acceptedCount).toBe(100);
    await raise(300);
    await engine.until(campaign, 'finished');
    expect(provider.acceptedCount).toBe(300);
    expect(await engine.reader.violations(null)).toEqual([]);
  });

  it('sends ten alone to learn the price when none is known', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(100);
    const first = Promise.withResolvers<void>();
    const provider = new ScriptedProvider({
      script: async () => {
        await first.promise;
        return 'accept' as const;
      },
    });
    await engine.start(provider, { prices: null });
    await waitFor(() => provider.inFlight === 10, { what: 'ten in flight' });
    await engine.clock.sleep(300);
    expect(provider.mostInFlight).toBe(10);
    first.resolve();
    await engine.until(campaign, 'finished');
    expect(provider.acceptedCount).toBe(100);
    expect(await engine.ledger.knownPrices(null)).toEqual([{ network: '1', segments: 1, costMicro: PRICE }]);
  });

  it('does not start on a balance that cannot be read, and pauses after five [M1]', async () => {
    const engine = await openEngine(fastClock(20));
    const campaign = await engine.launch(50);
    const provider = new ScriptedProvider();
    provider.balanceAnswer = () => ({
      outcome: 'unknown',
      httpStatus: 200,
      code: null,
      words: 'NaN',
      raw: null,
    });
    await engine.start(provider);
    expect((await engine.until(campaign, 'paused')).reason).toBe('errors');
    expect([provider.times.length, provider.balanceCalls]).toEqual([0, 5]);
  });
});
