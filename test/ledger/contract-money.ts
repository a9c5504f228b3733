import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClaimedMessage, Outcome } from '../../src/ledger/contracts/sending.ts';
import { ACCOUNT, KES, PRICE, rejected, requeued, sent, uncertain, type World } from './contract-world.ts';

export function moneyContract(world: () => World): void {
  const totals = () => world().ledger.beginReading(ACCOUNT, world().now);
  const spent = (campaign: number) => world().column('campaign', 'spent', `n = ${campaign}`);

  it('a claim reserves the highest price and never passes the ceiling: if n can be paid, n are taken [M3]', async () => {
    await world().launch(10, { segments: 2 });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const claim = await world().claim(lease, worker, { ceilingMicro: 7 * PRICE });
    expect(claim.messages).toHaveLength(3);
    expect(claim.stop).toBe('balance');
    expect(await totals()).toMatchObject({ spentMicro: 0, reservedMicro: 6 * PRICE, inFlight: 3, claims: 3 });
    expect(await world().claim(lease, worker, { ceilingMicro: 7 * PRICE })).toMatchObject({
      messages: [],
      stop: 'balance',
    });
  });

  it('two campaigns of one account share its ceiling [M3]', async () => {
    const worker = await world().worker();
    await world().launch(10);
    const first = await world().claim(await world().lease(worker), worker, { ceilingMicro: 12 * PRICE });
    await world().launch(10, { name: 'second' });
    const second = await world().claim(await world().lease(worker), worker, { ceilingMicro: 12 * PRICE });
    expect([first.messages.length, second.messages.length, second.stop]).toEqual([10, 2, 'balance']);
  });

  it('a verdict releases what was reserved and counts what was charged', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    const [one, two, three, four] = messages as [
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
    ];
    await world().record(worker, [
      sent(campaign, one, { costMicro: 0.5 * KES }),
      rejected(campaign, two),
      requeued(campaign, three),
      uncertain(campaign, four),
    ]);
    expect(await totals()).toMatchObject({
      spentMicro: 0.5 * KES,
      assumedMicro: 0,
      reservedMicro: PRICE,
      inFlight: 0,
    });
    expect(await spent(campaign.n)).toBe(0.5 * KES + PRICE);
    expect(await world().column('campaign', 'reserved', `n = ${campaign.n}`)).toBe(0);
  });

  it('a cost that is not known is counted at the price until a reading has seen it', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message, { costMicro: null })),
    );
    expect(await totals()).toMatchObject({
      spentMicro: 2 * PRICE,
      assumedMicro: 2 * PRICE,
      reservedMicro: 0,
    });
    expect(await spent(campaign.n)).toBe(2 * PRICE);
    expect((await world().message(campaign.n, 1)).costMicro).toBeNull();
  });

  it('an uncertain message holds its price back until a reading that began after its verdict', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    const before = await totals();
    world().now += 1_000;
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    await world().ledger.recordReading({
      account: ACCOUNT,
      begun: before,
      at: world().now,
      creditMicro: 50 * KES,
    });
    expect((await totals()).reservedMicro).toBe(PRICE);
    const same = await totals();
    await world().ledger.recordReading({
      account: ACCOUNT,
      begun: same,
      at: world().now,
      creditMicro: 50 * KES,
    });
    expect((await totals()).reservedMicro).toBe(PRICE);
    world().now += 1;
    const after = await totals();
    await world().ledger.recordReading({
      account: ACCOUNT,
      begun: after,
      at: world().now,
      creditMicro: 50 * KES,
    });
    expect((await totals()).reservedMicro).toBe(0);
    expect(await spent(campaign.n)).toBe(PRICE);
  });

  it('what a reading releases is no money for a claim that leans on an older reading [I10]', async () => {
    const credit = 10 * PRICE;
    const read = async (creditMicro: number) => {
      const begun = await totals();
      const reading = { account: ACCOUNT, begun, at: world().now, creditMicro };
      const { releasedMicro } = await world().ledger.recordReading(reading);
      return creditMicro + begun.spentMicro + releasedMicro;
    };
    await world().launch(100, { settings: { batchSize: 100 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const older = await read(credit);
    const { messages } = await world().claim(lease, worker, { limit: 4, ceilingMicro: older });
    await world().record(
      worker,
      messages.map((message) => uncertain(lease.campaign, message)),
    );
    world().now += 5;
    // All four were charged, although nobody knows.
    const newer = await read(credit - 4 * PRICE);
    const more = await world().claim(lease, worker, { ceilingMicro: older });
    expect([more.messages.length, more.stop]).toEqual([6, 'balance']);
    expect(await world().claim(lease, worker, { ceilingMicro: newer })).toMatchObject({ stop: 'balance' });
    expect((await totals()).reservedMicro).toBe(6 * PRICE);
  });

  it('a late verdict corrects exactly what the uncertain message was counted at, before and after a reading', async () => {
    const { campaign, worker, messages } = await world().sending(3);
    const [one, two, three] = messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];
    const all = messages.map((message) => uncertain(campaign, message));
    await world().record(worker, all);
    await world().record(worker, [sent(campaign, one, { costMicro: 0.3 * KES })]);
    expect(await totals()).toMatchObject({ spentMicro: 0.3 * KES, reservedMicro: 2 * PRICE });
    world().now += 5;
    await world().ledger.recordReading({
      account: ACCOUNT,
      begun: await totals(),
      at: world().now,
      creditMicro: 0,
    });
    await world().record(worker, [sent(campaign, two, { costMicro: 0.4 * KES })]);
    // What the reading had turned into assumed stays there: only differences since a reading mean anything.
    const assumed = { assumedMicro: 2 * PRICE, spentMicro: 0.7 * KES + 2 * PRICE };
    expect(await totals()).toMatchObject({ ...assumed, reservedMicro: 0 });
    expect(await spent(campaign.n)).toBe(0.7 * KES + PRICE);
    await world().record(worker, [sent(campaign, three, { costMicro: null })]);
    expect(await totals()).toMatchObject({ ...assumed, reservedMicro: 0 });
    expect(await spent(campaign.n)).toBe(0.7 * KES + PRICE);
  });

  it('a budget counts what is sent, what is in flight and what is uncertain, and is never passed', async () => {
    const campaign = await world().launch(10, { budgetMicro: 6 * PRICE });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const first = await world().claim(lease, worker, { limit: 3 });
    const [one, two, three] = first.messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];
    await world().record(worker, [sent(campaign, one), uncertain(campaign, two), rejected(campaign, three)]);
    const second = await world().claim(lease, worker);
    expect([second.messages.length, second.stop]).toEqual([2, 'budget']);
    await world().record(
      worker,
      second.messages.map((message) => sent(campaign, message)),
    );
    for (const left of [1, 1, 0]) {
      const { messages, stop } = await world().claim(lease, worker);
      expect([messages.length, stop]).toEqual([left, 'budget']);
      await world().record(
        worker,
        messages.map((message) => sent(campaign, message)),
      );
    }
    expect(await spent(campaign.n)).toBe(6 * PRICE);
  });

  it('a budget is not passed where a network costs up to twice what is known: what is under way is half of the rest', async () => {
    const campaign = await world().launch(40, { budgetMicro: 32 * PRICE, settings: { batchSize: 50 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    let priceMicro = PRICE;
    for (;;) {
      const { messages, stop, retryAt } = await world().claim(lease, worker, { limit: 128, priceMicro });
      expect(stop).toBe('budget');
      if (messages.length === 0 && retryAt === null) break;
      priceMicro = 2 * PRICE;
      await world().record(
        worker,
        messages.map((message) => sent(campaign, message, { costMicro: priceMicro })),
      );
    }
    expect(await spent(campaign.n)).toBe(32 * PRICE);
  });

  it('while no price is known at most 10 are in flight on the account, and none without credit', async () => {
    const worker = await world().worker();
    const learn = { priceMicro: null };
    const campaign = await world().launch(20, { settings: { batchSize: 50 } });
    const lease = await world().lease(worker);
    expect(await world().claim(lease, worker, { ...learn, ceilingMicro: 0 })).toMatchObject({
      messages: [],
      stop: 'balance',
    });
    const six = await world().claim(lease, worker, { ...learn, limit: 6 });
    expect([six.messages.length, six.stop]).toEqual([6, null]);
    await world().launch(20, { name: 'second' });
    const other = await world().claim(await world().lease(worker), worker, learn);
    expect([other.messages.length, other.stop]).toEqual([4, 'learning']);
    expect(await world().claim(lease, worker, learn)).toMatchObject({ messages: [], stop: 'learning' });
    await world().record(
      worker,
      six.messages.slice(0, 2).map((message) => sent(campaign, message, { costMicro: null })),
    );
    expect((await world().claim(lease, worker, learn)).messages).toHaveLength(2);
  });

  it('a worker that knows no price holds back the one of the launch, so a budget is kept', async () => {
    const campaign = await world().launch(20, { budgetMicro: 7 * PRICE, priceMicro: PRICE });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const claim = await world().claim(lease, worker, { priceMicro: null });
    expect([claim.messages.length, claim.stop]).toEqual([3, 'budget']);
    // These may cost less than is held back for them, also for a claim that gets nothing.
    expect(claim.retryAt).toBeGreaterThan(world().now);
    const next = await world().claim(lease, worker, { priceMicro: null });
    expect([next.messages.length, next.stop, next.retryAt]).toEqual([0, 'budget', claim.retryAt]);
    expect(await world().column('campaign', 'reserved', `n = ${campaign.n}`)).toBe(3 * PRICE);
  });

  it('a launch that was estimated at nothing gives no price: a budget is learned with one message', async () => {
    await world().launch(20, { budgetMicro: PRICE, priceMicro: 0, settings: { batchSize: 50 } });
    const worker = await world().worker();
    const claim = await world().claim(await world().lease(worker), worker, { priceMicro: null });
    expect([claim.messages.length, claim.stop]).toEqual([1, 'learning']);
    await world().launch(20, { name: 'second', priceMicro: 0, settings: { batchSize: 50 } });
    const second = await world().claim(await world().lease(worker), worker, { priceMicro: null });
    expect([second.messages.length, second.stop]).toEqual([9, 'learning']);
  });

  it('where messages cost nothing a budget still has one on the wire: the free ones may come to their end', async () => {
    const campaign = await world().launch(20, { budgetMicro: 2 * PRICE, priceMicro: 0 });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const stops = [];
    for (const costMicro of [0, 0, PRICE, PRICE]) {
      const { messages, stop } = await world().claim(lease, worker, { priceMicro: 0 });
      stops.push([messages.length, stop]);
      await world().record(
        worker,
        messages.map((message) => sent(campaign, message, { costMicro })),
      );
    }
    expect(stops).toEqual([
      [1, 'learning'],
      [1, 'learning'],
      [1, 'learning'],
      [1, 'budget'],
    ]);
    expect(await spent(campaign.n)).toBe(2 * PRICE);
  });

  it('where messages cost nothing a budget waits for its own campaign, and not for others of the account', async () => {
    const worker = await world().worker();
    await world().launch(10, { name: 'busy' });
    const busy = await world().claim(await world().lease(worker), worker, { priceMicro: 0 });
    expect(busy.messages).toHaveLength(10);
    await world().launch(20, { budgetMicro: 2 * PRICE, priceMicro: 0, settings: { batchSize: 10 } });
    const leases = [await world().lease(worker), await world().lease(worker)];
    const taken = [];
    for (const lease of leases)
      taken.push((await world().claim(lease, worker, { priceMicro: 0 })).messages.length);
    expect(taken).toEqual([1, 0]);
  });

  it('beside a message that left before any price was known, a budget pays for no other, whoever learned a price since', async () => {
    const campaign = await world().launch(3, { budgetMicro: 10 * PRICE, segments: 10 });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const first = await world().claim(lease, worker, { priceMicro: null });
    const other = await world().launch(1, { name: 'other', firstMobile: 50 });
    const learned = await world().claim(await world().lease(worker), worker, { priceMicro: null });
    await world().record(
      worker,
      learned.messages.map((message) => sent(other, message)),
    );
    expect(await world().claim(lease, worker)).toMatchObject({ messages: [], stop: 'learning' });
    await world().record(
      worker,
      first.messages.map((message) => sent(campaign, message, { costMicro: 10 * PRICE })),
    );
    expect(await world().claim(lease, worker)).toMatchObject({ messages: [], stop: 'budget', retryAt: null });
  });

  it('a price that another worker has learned is held back by this one, too', async () => {
    const { campaign: first, worker, messages } = await world().sending(1, { segments: 3 });
    await world().record(
      worker,
      messages.map((message) => sent(first, message, { costMicro: 10 * PRICE })),
    );
    const campaign = await world().launch(20, { name: 'second', budgetMicro: 20 * PRICE });
    const other = await world().worker();
    await world().claim(await world().lease(other), other, { priceMicro: PRICE });
    const reserved = await world().column('campaign', 'reserved', `n = ${campaign.n}`);
    expect(reserved).toBe(2 * Math.ceil((10 * PRICE) / 3));
  });

  it('a budget without any price is learned with one message, and stops when it is used up', async () => {
    const campaign = await world().launch(20, { budgetMicro: PRICE });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const learn = { priceMicro: null };
    const first = await world().claim(lease, worker, learn);
    expect([first.messages.length, first.stop]).toEqual([1, 'learning']);
    await world().record(
      worker,
      first.messages.map((message) => sent(campaign, message)),
    );
    const usedUp = { messages: [], stop: 'budget', retryAt: null };
    expect(await world().claim(lease, worker, learn)).toMatchObject(usedUp);
    await world().open.sql('DELETE FROM price');
    expect(await world().claim(lease, worker, learn)).toMatchObject(usedUp);
  });

  it('what another worker holds back under a budget leaves room for those that know the price, and for no learning', async () => {
    await world().launch(20, { budgetMicro: 10 * PRICE, settings: { batchSize: 50 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const claimed = async (priceMicro: number | null) =>
      (await world().claim(lease, worker, { priceMicro, limit: 2 })).messages.length;
    expect([await claimed(PRICE), await claimed(null), await claimed(PRICE)]).toEqual([2, 0, 2]);
  });

  it('prices are learned by network and segments, and the latest counts', async () => {
    const { campaign, worker, messages } = await world().sending(3, { segments: 2 });
    const [one, two, three] = messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];
    await world().record(worker, [sent(campaign, one, { costMicro: 1.6 * KES })]);
    expect(await world().ledger.knownPrices(ACCOUNT)).toEqual([
      { network: '1', segments: 2, costMicro: 1.6 * KES },
    ]);
    await world().record(worker, [
      sent(campaign, two, { costMicro: 1.8 * KES }),
      sent(campaign, three, { costMicro: null }),
    ]);
    expect(await world().ledger.knownPrices(null)).toEqual([
      { network: '1', segments: 2, costMicro: 1.8 * KES },
    ]);
    expect(await world().ledger.knownPrices('C-2')).toEqual([]);
  });

  it('a free message makes no others free that were paid for, in a commit or after it', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    const costs = [0, 0.8 * KES, 0, 0];
    const [one, ...rest] = messages.map((message, at) =>
      sent(campaign, message, { costMicro: costs[at] ?? 0 }),
    );
    const [two, three, four] = rest;
    const known = async () => (await world().ledger.knownPrices(ACCOUNT)).map(({ costMicro }) => costMicro);
    await world().record(worker, [one as never]);
    expect(await known()).toEqual([]);
    await world().record(worker, [two as never, three as never]);
    expect(await known()).toEqual([0.8 * KES]);
    await world().record(worker, [four as never]);
    expect(await known()).toEqual([0.8 * KES]);
  });

  it('ten free messages of an account that has paid for none make nothing its price, and nine may be a gift', async () => {
    const { campaign, worker, messages } = await world().sending(10);
    const free = messages.map((message) => sent(campaign, message, { costMicro: 0 }));
    await world().record(worker, free.slice(1));
    expect(await world().ledger.knownPrices(ACCOUNT)).toEqual([]);
    await world().record(worker, free.slice(0, 1));
    expect(await world().ledger.knownPrices(ACCOUNT)).toEqual([{ network: '1', segments: 1, costMicro: 0 }]);
    // Nor does it replace the price of a launch, as what another account pays does not.
    await world().open.sql("INSERT INTO price VALUES ('C-2', '1', 1, 99000000, 1)");
    const second = await world().launch(1, { name: 'second', priceMicro: PRICE });
    await world().claim(await world().lease(worker), worker, { priceMicro: null });
    expect(await world().column('campaign', 'reserved', `n = ${second.n}`)).toBe(PRICE);
  });

  it('a reading is quiet only when nothing was in flight and nothing was claimed meanwhile', async () => {
    const read = async (begun: Awaited<ReturnType<typeof totals>>) => {
      await world().ledger.recordReading({ account: ACCOUNT, begun, at: world().now, creditMicro: 9 });
      return (await world().open.sql('SELECT quiet FROM reading ORDER BY id DESC LIMIT 1'))[0]?.['quiet'];
    };
    expect(await read(await totals())).toBe(1);
    const begun = await totals();
    const { campaign, worker, messages } = await world().sending(1);
    expect(await read(begun)).toBe(0);
    expect(await read(await totals())).toBe(0);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    expect(await read(begun)).toBe(0);
    expect(await read(await totals())).toBe(1);
  });

  it('the sums hold over any sequence of claims and verdicts', async () => {
    const campaign = await world().launch(60, { settings: { batchSize: 100 }, budgetMicro: 40 * PRICE });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const open = new Map<number, ClaimedMessage>();
    const make = [
      (message: ClaimedMessage) => sent(campaign, message),
      (message: ClaimedMessage) => sent(campaign, message, { costMicro: null }),
      (message: ClaimedMessage) => sent(campaign, message, { costMicro: 3 }),
      (message: ClaimedMessage) => rejected(campaign, message),
      (message: ClaimedMessage) => requeued(campaign, message),
      (message: ClaimedMessage) => uncertain(campaign, message),
    ];
    const step = fc.record({
      claim: fc.integer({ min: 0, max: 6 }),
      price: fc.integer({ min: 1, max: 2 * PRICE }),
      verdicts: fc.array(fc.nat(make.length - 1), { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        for (const { claim, price, verdicts } of steps) {
          if (claim > 0) {
            const { messages } = await world().claim(lease, worker, { limit: claim, priceMicro: price });
            for (const message of messages) open.set(message.seq, message);
          }
          const outcomes: Outcome[] = [...open.values()].flatMap((message, index) => {
            const chosen = make[verdicts[index] ?? -1];
            return chosen === undefined ? [] : [chosen(message)];
          });
          for (const { seq, to } of outcomes) if (to !== 'uncertain') open.delete(seq);
          await world().record(worker, outcomes);
        }
        await world().verify();
      }),
      { numRuns: 12 },
    );
  });
}
