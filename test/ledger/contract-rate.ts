import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Lease } from '../../src/ledger/contracts/sending.ts';
import { ACCOUNT, type World } from './contract-world.ts';

export function rateContract(world: () => World): void {
  it('slots are a spacing apart, none is more than a second ahead, and the claim says when to come back [I11]', async () => {
    await world().launch(200, { settings: { batchSize: 500 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { now } = world();
    const claim = await world().claim(lease, worker, { accountRate: 50 });
    const slots = claim.messages.map(({ slotAt }) => slotAt - now);
    expect(slots).toHaveLength(49);
    slots.forEach((slot, index) => expect(slot).toBeCloseTo((index * 1_000) / 48, 2));
    expect(claim.stop).toBe('rate');
    expect(claim.retryAt).toBeGreaterThan(now);
    world().now = claim.retryAt ?? 0;
    const next = await world().claim(lease, worker, { accountRate: 50 });
    expect(next.messages.length).toBeGreaterThan(20);
    expect(next.messages[0]?.slotAt).toBeCloseTo(now + 49_000 / 48, 2);
  });

  it('no second holds more dispatches than the rate of the account, or of a campaign, over any claims [I11]', async () => {
    const rates = fc.constantFrom(3, 10, 50, 90);
    const claims = fc.array(
      fc.record({
        lane: fc.nat(2),
        wait: fc.integer({ min: 0, max: 700 }),
        limit: fc.integer({ min: 1, max: 40 }),
        late: fc.integer({ min: 0, max: 3 }),
      }),
      { minLength: 10, maxLength: 25 },
    );
    let round = 0;
    await fc.assert(
      fc.asyncProperty(rates, fc.constantFrom(null, 2, 7, 40), claims, async (accountRate, slow, moves) => {
        round += 1;
        world().now += 3_600_000;
        const [one, two] = [await world().worker(), await world().worker()];
        const name = `rate-${round}`;
        const first = await world().launch(800, { name, settings: { batchSize: 400, ratePerSecond: slow } });
        const second = await world().launch(400, { name: `${name}-b`, settings: { batchSize: 400 } });
        const lanes: { lease: Lease; worker: number }[] = [];
        for (const due of await world().ledger.dueBatches({ now: world().now, perCampaign: 2 })) {
          const worker = lanes.length === 0 ? one : two;
          const lease = await world().ledger.leaseBatch({
            ...due,
            worker,
            now: world().now,
            leaseMs: 600_000,
          });
          if (lease !== null) lanes.push({ lease, worker });
        }
        const slots = new Map<number, number[]>([
          [first.n, []],
          [second.n, []],
        ]);
        for (const { lane, wait, limit, late } of moves) {
          world().now += wait;
          const chosen = lanes[lane] as (typeof lanes)[number];
          const { now } = world();
          const mine = slots.get(chosen.lease.campaign.n) ?? [];
          const { messages } = await world().claim(chosen.lease, chosen.worker, { limit, accountRate });
          const kept = messages.slice(late);
          for (const { slotAt } of kept) {
            expect(slotAt).toBeGreaterThanOrEqual(now);
            expect(slotAt).toBeLessThanOrEqual(now + 1_000);
          }
          mine.push(...kept.map(({ slotAt }) => slotAt));
          const missed = messages.length - kept.length;
          if (missed > 0) {
            const request = {
              campaign: chosen.lease.campaign.n,
              account: ACCOUNT,
              count: missed,
              now,
              accountRate,
            };
            mine.push(...(await world().ledger.takeSlots(request)));
          }
        }
        const all = [...slots.values()].flat();
        expect(mostInOneSecond(all)).toBeLessThanOrEqual(accountRate);
        expect(new Set(all).size).toBe(all.length);
        if (slow !== null) expect(mostInOneSecond(slots.get(first.n) ?? [])).toBeLessThanOrEqual(slow);
        await world().ledger.cancel(first.n, world().operator);
        await world().ledger.cancel(second.n, world().operator);
        for (const worker of [one, two]) await world().ledger.reap(worker, world().now);
      }),
      { numRuns: 8 },
    );
  });

  it("a campaign's rate holds while its account's rate rises, falls and goes, beside another campaign [I11]", async () => {
    const rates = fc.constantFrom(null, 6, 13, 25, 30);
    const moves = fc.array(fc.record({ lane: fc.nat(2), wait: fc.integer({ min: 0, max: 500 }), rates }), {
      minLength: 20,
      maxLength: 40,
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(4, 5, 11, 20), moves, async (own, steps) => {
        round += 1;
        world().now += 3_600_000;
        const worker = await world().worker();
        const name = `turns-${round}`;
        const first = await world().launch(900, { name, settings: { batchSize: 900, ratePerSecond: own } });
        const mine = await world().lease(worker, 600_000);
        const second = await world().launch(900, { name: `${name}-b`, settings: { batchSize: 900 } });
        const theirs = await world().lease(worker, 600_000);
        const slots: number[] = [];
        for (const { lane, wait, rates: accountRate } of steps) {
          world().now += wait;
          const lease = lane === 0 ? theirs : mine;
          const { messages } = await world().claim(lease, worker, { limit: 30, accountRate });
          if (lane !== 0) slots.push(...messages.map(({ slotAt }) => slotAt));
        }
        expect(mostInOneSecond(slots)).toBeLessThanOrEqual(own);
        for (const { n } of [first, second]) await world().ledger.cancel(n, world().operator);
        await world().ledger.reap(worker, world().now);
      }),
      { numRuns: 40 },
    );
  });

  it('a lower rate that a person sets holds from the last slot on, however late that was [I11]', async () => {
    const accountRate = 4.2;
    for (let first = 1; first <= 12; first += 1) {
      world().now += 3_600_000;
      const settings = { batchSize: 20, ratePerSecond: 4 };
      const campaign = await world().launch(20, { name: `late-${first}`, settings });
      const worker = await world().worker();
      const lease = await world().lease(worker, 600_000);
      const slots: number[] = [];
      const claimUntil = async (count: number) => {
        for (; slots.length < count; world().now += 50) {
          const { messages } = await world().claim(lease, worker, { limit: 1, accountRate });
          slots.push(...messages.map(({ slotAt }) => slotAt));
        }
      };
      await claimUntil(first);
      await world().ledger.setRate(campaign.n, { ...world().operator, ratePerSecond: 2 });
      await claimUntil(first + 2);
      const spanMs = (slots[first + 1] ?? 0) - (slots[first - 1] ?? 0);
      expect(spanMs).toBeGreaterThanOrEqual(2_000 / (0.96 * 2) - 0.01);
      await world().ledger.cancel(campaign.n, world().operator);
      await world().ledger.reap(worker, world().now);
    }
  });

  it('a slow campaign leaves the slots that it does not use to the others', async () => {
    const worker = await world().worker();
    await world().launch(100, { name: 'slow', settings: { ratePerSecond: 5, batchSize: 200 } });
    const slow = await world().claim(await world().lease(worker), worker, { accountRate: 50 });
    await world().launch(100, { name: 'quick', settings: { batchSize: 200 } });
    const quick = await world().claim(await world().lease(worker), worker, { accountRate: 50 });
    expect(slow.messages).toHaveLength(5);
    expect(quick.messages).toHaveLength(44);
  });

  it('slots that were not used are lost: an idle account does not save up a burst', async () => {
    await world().launch(200, { settings: { batchSize: 500 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    await world().claim(lease, worker, { accountRate: 50, limit: 1 });
    world().now += 30_000;
    const claim = await world().claim(lease, worker, { accountRate: 50 });
    expect(claim.messages.length).toBeLessThanOrEqual(49);
    expect(claim.messages.every(({ slotAt }) => slotAt >= world().now)).toBe(true);
  });

  it('another rate begins after the slots that were given at the former one', async () => {
    await world().launch(200, { settings: { batchSize: 500 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const first = await world().claim(lease, worker, { accountRate: 50, limit: 10 });
    const second = await world().claim(lease, worker, { accountRate: 20, limit: 5 });
    const last = first.messages.at(-1)?.slotAt ?? 0;
    expect(second.messages[0]?.slotAt).toBeCloseTo(last + 1_000 / 19.2, 2);
  });

  it('a clock that is set back does not stop the sending [S6]', async () => {
    await world().launch(200, { settings: { batchSize: 500, ratePerSecond: 40 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    await world().claim(lease, worker, { accountRate: 50, limit: 10 });
    world().now -= 3_600_000;
    expect((await world().claim(lease, worker, { accountRate: 50 })).messages.length).toBeGreaterThan(20);
  });

  it('a machine that slept through its lease, and asks with its old time, does not begin the rate of a campaign anew [I11]', async () => {
    await world().launch(400, { settings: { batchSize: 200, ratePerSecond: 20 } });
    const [awake, asleep] = [await world().worker(1), await world().worker(2)];
    const leases = {
      awake: await world().lease(awake, 600_000),
      asleep: await world().lease(asleep, 600_000),
    };
    const fellAsleepAt = world().now;
    world().now += 95_000;
    const slots = (await world().claim(leases.awake, awake)).messages.map(({ slotAt }) => slotAt);
    await world().claim(leases.asleep, asleep, { now: fellAsleepAt });
    world().now += 100;
    slots.push(...(await world().claim(leases.awake, awake)).messages.map(({ slotAt }) => slotAt));
    expect(slots.length).toBeGreaterThan(19);
    expect(mostInOneSecond(slots)).toBeLessThanOrEqual(20);
  });

  it('a clock that is set back begins the rate of a campaign anew once, and not at each claim [I11]', async () => {
    await world().launch(200, { settings: { batchSize: 500, ratePerSecond: 20 } });
    const worker = await world().worker();
    const lease = await world().lease(worker, 36_000_000);
    await world().claim(lease, worker);
    world().now -= 3_600_000;
    const slots: number[] = [];
    for (let claims = 0; claims < 5; claims += 1, world().now += 100)
      slots.push(...(await world().claim(lease, worker)).messages.map(({ slotAt }) => slotAt));
    expect(slots.length).toBeGreaterThan(19);
    expect(mostInOneSecond(slots)).toBeLessThanOrEqual(20);
  });

  it('by segment a message of three takes three slots, of the account and of the campaign', async () => {
    await world().launch(100, { settings: { batchSize: 500 }, segments: 3 });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { now } = world();
    const claim = await world().claim(lease, worker, { accountRate: 50, bySegment: true });
    expect(claim.stop).toBe('rate');
    const slots = claim.messages.map(({ slotAt }) => slotAt - now);
    expect(slots).toHaveLength(17);
    slots.forEach((slot, index) => expect(slot).toBeCloseTo((index * 3_000) / 48, 2));
    world().now = claim.retryAt ?? 0;
    const next = await world().claim(lease, worker, { accountRate: 50, bySegment: true });
    expect(next.messages[0]?.slotAt).toBeCloseTo(now + (17 * 3_000) / 48, 2);
    await world().launch(20, { name: 'own', settings: { ratePerSecond: 4 }, segments: 2 });
    const own = await world().claim(await world().lease(worker), worker, { bySegment: true });
    expect(own.messages).toHaveLength(2);
  });

  it('by segment a message longer than what a second holds goes, and the next one waits for all of it', async () => {
    await world().launch(20, { settings: { batchSize: 500 }, segments: 9 });
    const worker = await world().worker();
    const lease = await world().lease(worker, 600_000);
    const sentAt: number[] = [];
    for (let tenth = 0; tenth < 300; tenth += 1) {
      const { messages } = await world().claim(lease, worker, { accountRate: 3, bySegment: true });
      sentAt.push(...messages.map(({ slotAt }) => slotAt));
      world().now += 100;
    }
    expect(sentAt.length).toBeGreaterThanOrEqual(9);
    const gaps = sentAt.slice(1).map((slot, index) => slot - (sentAt[index] ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(3_000);
  });

  it('by segment a long message at a very slow rate is paid for in full, however many minutes that takes [I11]', async () => {
    await world().launch(3, { settings: { batchSize: 5, ratePerSecond: 1 / 60 }, segments: 12 });
    const worker = await world().worker();
    const lease = await world().lease(worker, 36_000_000);
    const claim = () => world().claim(lease, worker, { bySegment: true });
    expect((await claim()).messages).toHaveLength(1);
    for (let minute = 1; minute <= 11; minute += 1) {
      world().now += 60_000;
      expect((await claim()).messages).toEqual([]);
    }
    world().now += 120_000;
    expect((await claim()).messages).toHaveLength(1);
    // The same, but with a clock that was an hour ahead when it went.
    world().now -= 3_600_000;
    expect((await claim()).messages).toHaveLength(1);
  });

  it('what a slow campaign has taken by segment far ahead makes nobody forget the slots of the account [I11]', async () => {
    const worker = await world().worker();
    const settings = { batchSize: 500 };
    const slow = { settings: { ...settings, ratePerSecond: 1 / 60 }, segments: 12 };
    await world().launch(3, { name: 'slow', ...slow });
    const limits = { accountRate: 10, bySegment: true };
    const first = await world().claim(await world().lease(worker), worker, limits);
    expect(first.messages).toHaveLength(1);
    await world().launch(100, { name: 'quick', settings });
    const lease = await world().lease(worker);
    const quick = [
      ...(await world().claim(lease, worker, { ...limits, limit: 5 })).messages,
      ...(await world().claim(lease, worker, limits)).messages,
    ];
    const slots = [...first.messages, ...quick].map(({ slotAt }) => slotAt);
    expect(slots.length).toBeGreaterThan(8);
    expect(mostInOneSecond(slots)).toBeLessThanOrEqual(10);
    expect(new Set(slots).size).toBe(slots.length);
  });

  it('by segment no second holds more segments than the rate and the rest of one message', async () => {
    const moves = fc.array(fc.tuple(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 1, max: 40 })), {
      minLength: 10,
      maxLength: 20,
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(8, 30, 90),
        fc.constantFrom(2, 3, 5),
        moves,
        async (rate, segments, all) => {
          round += 1;
          world().now += 3_600_000;
          const name = `segments-${round}`;
          const campaign = await world().launch(800, { name, settings: { batchSize: 800 }, segments });
          const worker = await world().worker();
          const lease = await world().lease(worker, 600_000);
          const slots: number[] = [];
          for (const [wait, limit] of all) {
            world().now += wait;
            const { messages } = await world().claim(lease, worker, {
              limit,
              accountRate: rate,
              bySegment: true,
            });
            slots.push(...messages.flatMap(({ slotAt }) => Array.from({ length: segments }, () => slotAt)));
          }
          expect(mostInOneSecond(slots)).toBeLessThanOrEqual(rate + segments - 1);
          await world().ledger.cancel(campaign.n, world().operator);
          await world().ledger.reap(worker, world().now);
        },
      ),
      { numRuns: 6 },
    );
  });

  it('says whether slots mean anything: as soon as a campaign gets a rate, they do', async () => {
    const campaign = await world().launch(20);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    expect((await world().claim(lease, worker, { limit: 2 })).rated).toBeUndefined();
    await world().ledger.setRate(campaign.n, { ...world().operator, ratePerSecond: 10 });
    expect((await world().claim(lease, worker, { limit: 2 })).rated).toBe(true);
  });

  it('a campaign whose rate changes goes on at the new one', async () => {
    const campaign = await world().launch(200, { settings: { batchSize: 500, ratePerSecond: 0.05 } });
    const worker = await world().worker();
    const lease = await world().lease(worker, 3_600_000);
    expect((await world().claim(lease, worker)).messages).toHaveLength(1);
    await world().ledger.setRate(campaign.n, { ...world().operator, ratePerSecond: 10 });
    expect((await world().ledger.campaign(campaign.n))?.settings.ratePerSecond).toBe(10);
    expect((await world().claim(lease, worker)).messages).toHaveLength(9);
    await world().ledger.setRate(campaign.n, { ...world().operator, ratePerSecond: null });
    expect((await world().claim(lease, worker)).messages).toHaveLength(128);
  });

  it('no slot is where the window closes', async () => {
    await world().launch(20, { settings: { batchSize: 50, ratePerSecond: 4 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { now } = world();
    await world().claim(lease, worker, { limit: 1 });
    const windowClosesAt = (await world().column('campaign', 'next_slot', 'TRUE')) as number;
    expect(await world().claim(lease, worker, { windowClosesAt })).toMatchObject({ messages: [] });
    world().now += 100;
    await world().claim(lease, worker);
    expect(await world().column('campaign', 'first_claim_at', 'TRUE')).toBe(now);
  });

  it('a rate that is set again and again to the same puts nothing off', async () => {
    const campaign = await world().launch(20, { settings: { batchSize: 50, ratePerSecond: 3 } });
    const worker = await world().worker();
    await world().claim(await world().lease(worker), worker, { accountRate: 7, limit: 1 });
    expect(await world().column('campaign', 'slot_slack', 'TRUE')).toBeGreaterThan(0);
    const setRate = () => world().ledger.setRate(campaign.n, { ...world().operator, ratePerSecond: 3 });
    await setRate();
    const next = await world().column('campaign', 'next_slot', 'TRUE');
    await setRate();
    expect(await world().column('campaign', 'next_slot', 'TRUE')).toBe(next);
  });
}

function mostInOneSecond(times: number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((from) => sorted.filter((time) => time >= from && time < from + 1_000).length),
  );
}
