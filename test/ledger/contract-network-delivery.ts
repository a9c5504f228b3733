import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { ClaimedMessage, Lease } from '../../src/ledger/contracts/sending.ts';
import { rejected, sent, type World } from './contract-world.ts';

const MINUTE = 60_000;
const FAILED = { word: 'AbsentSubscriber', delivery: 'undelivered', reason: 'AbsentSubscriber' } as const;

const DELIVERED = { word: 'DeliveredToTerminal', delivery: 'delivered' } as const;

/** Even numbers are at B, odd ones at A. */
const networkOf = (seq: number) => (seq % 2 === 0 ? 'B' : 'A');

/** Everybody had a message before, so that it is known where each number is. */
async function history(world: World, count: number): Promise<void> {
  const campaign = await world.launch(count, { name: 'before', settings: { batchSize: 1_000 } });
  const worker = await world.worker();
  const lease = await world.lease(worker);
  const { messages } = await world.claim(lease, worker, { limit: count });
  await accept(world, { campaign, worker, messages });
  await world.ledger.releaseBatch({ ...lease, now: world.now });
  world.now += 1_000;
}

async function accept(
  world: World,
  { campaign, worker, messages }: { campaign: Campaign; worker: number; messages: ClaimedMessage[] },
): Promise<void> {
  const outcomes = messages.map((message) => sent(campaign, message, { network: networkOf(message.seq) }));
  await world.record(worker, outcomes);
}

async function report(world: World, campaign: Campaign, seqs: number[], failed: boolean): Promise<void> {
  const said = failed ? FAILED : DELIVERED;
  await world.post({ reports: seqs.map((seq) => ({ messageId: `id-${campaign.n}-${seq}`, ...said })) });
}

/** A campaign of 300 of which 64 of each network are sent: what was for A is delivered, what was for B is not. */
async function collapsed(world: World, { name = 'now', known = true, batchSize = 1_000 } = {}) {
  if (known) await history(world, 300);
  const campaign = await world.launch(300, { name, settings: { batchSize } });
  const worker = await world.worker();
  const lease = await world.lease(worker, 86_400_000);
  const { messages } = await world.claim(lease, worker);
  await accept(world, { campaign, worker, messages });
  world.now += MINUTE;
  const seqs = messages.map(({ seq }) => seq);
  const [ill, well] = [
    seqs.filter((seq) => networkOf(seq) === 'B'),
    seqs.filter((seq) => networkOf(seq) === 'A'),
  ];
  await report(world, campaign, well, false);
  await report(world, campaign, ill, true);
  const next = async (limit = 128) => {
    const claim = await world.claim(lease, worker, { limit });
    await accept(world, { campaign, worker, messages: claim.messages });
    return claim.messages.map(({ seq }) => seq);
  };
  return { campaign, worker, lease, next };
}

const steps = async (world: World) => {
  const changed = await world.ledger.watchNetworks(world.now);
  await world.ledger.bringBackHeld(world.now);
  return changed.map(({ network, step }) => `${network} ${step}`);
};

export function networkDeliveryContract(world: () => World): void {
  it('a network that delivers nothing of a campaign is held: its messages wait, the others go on', async () => {
    const { campaign, next } = await collapsed(world());
    const found = await world().ledger.watchNetworks(world().now);
    const why = '64 of 64 were not delivered, most of them AbsentSubscriber; at the others 0 %';
    expect(found).toEqual([{ id: campaign.id, network: 'B', step: 'held', why }]);
    expect(await next(20)).toEqual(Array.from({ length: 20 }, (_, index) => 129 + 2 * index));
    expect(await world().message(campaign.n, 130)).toMatchObject({ state: 'queued', reason: 'network held' });
    expect(await steps(world())).toEqual([]);
    const overview = await (await world().reader()).overview(campaign.n);
    const until = world().now + 5 * MINUTE;
    expect(overview.networks).toEqual([
      { network: 'B', cause: 'delivery', probing: false, since: world().now, until, why },
    ]);
  });

  it('ten messages try it after the wait; when half of them arrive all go on', async () => {
    const { campaign, next } = await collapsed(world());
    await steps(world());
    world().now += 5 * MINUTE - 1;
    expect(await steps(world())).toEqual([]);
    world().now += 1;
    expect(await steps(world())).toEqual(['B probing']);
    const tried = (await next(200)).filter((seq) => networkOf(seq) === 'B');
    expect(tried).toHaveLength(10);
    expect((await next()).filter((seq) => networkOf(seq) === 'B')).toEqual([]);
    await report(world(), campaign, tried.slice(0, 4), false);
    expect(await steps(world())).toEqual([]);
    await report(world(), campaign, tried.slice(4, 5), false);
    expect(await steps(world())).toEqual(['B well']);
    world().now += MINUTE;
    expect(await next(200)).toHaveLength(76);
    // What was not delivered before it was held says nothing any more.
    expect(await steps(world())).toEqual([]);
  });

  it('when they do not arrive it is held twice as long, and the campaign pauses at the third try with nothing else', async () => {
    const { campaign, next } = await collapsed(world());
    await steps(world());
    await next(200); // what is left for A
    let [wait, last] = [5, ''];
    for (let tries = 0; last !== 'B paused'; tries += 1) {
      expect(tries).toBeLessThan(3);
      world().now += wait * MINUTE;
      expect(await steps(world())).toEqual(['B probing']);
      world().now += MINUTE;
      const tried = await next();
      expect(tried).toHaveLength(10);
      await report(world(), campaign, tried.slice(0, 6), true);
      last = (await steps(world()))[0] ?? '';
      wait *= 2;
    }
    expect(wait).toBe(5 * 2 ** 3);
    const overview = await (await world().reader()).overview(campaign.n);
    expect(overview).toMatchObject({ state: 'paused', reason: 'errors', networks: [{ network: 'B' }] });
    world().now += 2 * MINUTE;
    expect(await world().ledger.resume(campaign.n, world().operator)).toBe(true);
    expect(await steps(world())).toEqual([]);
    expect((await next(200)).length).toBeGreaterThan(40);
    expect(await steps(world())).toEqual([]);
  });

  it('of probes any report decides after ten minutes, and silence an hour after they left', async () => {
    const { campaign, next } = await collapsed(world());
    await steps(world());
    world().now += 5 * MINUTE;
    await steps(world());
    // Its time begins with the messages, not before.
    world().now += 70 * MINUTE;
    expect(await steps(world())).toEqual([]);
    const tried = (await next(200)).filter((seq) => networkOf(seq) === 'B');
    world().now += 60 * MINUTE - 1;
    expect(await steps(world())).toEqual([]);
    world().now += 1;
    expect(await steps(world())).toEqual(['B held']);
    await report(world(), campaign, tried.slice(0, 4), false);
    expect(await steps(world())).toEqual([]);
    await report(world(), campaign, tried.slice(4, 5), false);
    expect(await steps(world())).toEqual(['B well']);
  });

  it('one late report of a probe decides', async () => {
    const { campaign, next } = await collapsed(world());
    await steps(world());
    world().now += 5 * MINUTE;
    await steps(world());
    const tried = (await next(200)).filter((seq) => networkOf(seq) === 'B');
    await report(world(), campaign, tried.slice(0, 1), true);
    world().now += 10 * MINUTE - 1;
    expect(await steps(world())).toEqual([]);
    world().now += 1;
    expect(await steps(world())).toEqual(['B held']);
  });

  it('what does not leave takes no place among those that try', async () => {
    const { campaign, worker, lease, next } = await collapsed(world());
    await steps(world());
    await next(86); // what is left for A
    world().now += 5 * MINUTE;
    await steps(world());
    const unpaid = await world().claim(lease, worker, { ceilingMicro: 0 });
    expect(unpaid).toMatchObject({ messages: [], stop: 'balance' });
    const { messages } = await world().claim(lease, worker);
    expect(messages).toHaveLength(10);
    await world().record(
      worker,
      messages.slice(0, 3).map((message) => rejected(campaign, message)),
    );
    await accept(world(), { campaign, worker, messages: messages.slice(3) });
    expect(await steps(world())).toEqual([]);
    expect(await next()).toHaveLength(3);
    world().now += MINUTE;
    await steps(world());
    expect(await next()).toHaveLength(0);
  });

  it('a hold leaves its messages alone until ten try it, and all come when it is well', async () => {
    await history(world(), 300);
    const { campaign, worker, lease } = await collapsed(world(), { known: false, batchSize: 100 });
    await steps(world());
    const due = async () => (await world().ledger.dueBatches({ now: world().now, perCampaign: 10 })).length;
    const release = (held: Lease) => world().ledger.releaseBatch({ ...held, now: world().now });
    const sendAll = async () => {
      let gone: number[] = [];
      while ((await due()) > 0) {
        const next = await world().lease(worker);
        const { messages } = await world().claim(next, worker);
        await accept(world(), { campaign, worker, messages });
        await release(next);
        gone = [...gone, ...messages.map(({ seq }) => seq)];
      }
      return gone;
    };
    await release(lease);
    expect((await sendAll()).filter((seq) => networkOf(seq) === 'B')).toEqual([]);
    world().now += 5 * MINUTE - 1;
    await steps(world());
    expect(await due()).toBe(0);
    const waiting = () => world().column('message', 'not_before', `campaign = ${campaign.n} AND seq = 250`);
    const until = await waiting();
    world().now += 1;
    expect(await steps(world())).toEqual(['B probing']);
    expect(await due()).toBe(1);
    const back = `campaign = ${campaign.n} AND reason = 'network held' AND not_before <= ${world().now}`;
    expect(await world().column('message', 'count(*)', back)).toBe(10);
    const tried = await sendAll();
    expect(tried).toHaveLength(10);
    await steps(world());
    expect([await due(), await waiting()]).toEqual([0, until]);
    await report(world(), campaign, tried.slice(0, 5), false);
    expect(await steps(world())).toEqual(['B well']);
    expect(await sendAll()).toHaveLength(150 - 50 - 10);
    expect(await world().states(campaign.n)).toEqual({ sent: 300 });
  });

  it('a person who resumes the running campaign lets the network go on, and it is not judged again', async () => {
    const { campaign, next } = await collapsed(world());
    await steps(world());
    await next(20);
    expect(await world().ledger.resume(campaign.n, { ...world().operator, reasons: ['errors'] })).toBe(false);
    expect(await world().ledger.resume(campaign.n, world().operator)).toBe(true);
    expect(await world().ledger.resume(campaign.n, world().operator)).toBe(false);
    expect(await steps(world())).toEqual([]);
    const gone = await next(200);
    expect(gone.filter((seq) => networkOf(seq) === 'B').length).toBeGreaterThan(30);
    await report(
      world(),
      campaign,
      gone.filter((seq) => networkOf(seq) === 'B'),
      true,
    );
    expect(await steps(world())).toEqual([]);
  });

  it('where nobody knows which numbers are at the network the campaign pauses instead of sending on', async () => {
    const { campaign, next } = await collapsed(world(), { known: false });
    expect(await steps(world())).toEqual(['B held']);
    world().now += MINUTE;
    const gone = await next(80);
    expect(gone).toHaveLength(80);
    const [ill, well] = [
      gone.filter((seq) => networkOf(seq) === 'B'),
      gone.filter((seq) => networkOf(seq) === 'A'),
    ];
    await report(world(), campaign, well, false);
    await report(world(), campaign, ill.slice(0, 19), true);
    expect(await steps(world())).toEqual([]);
    await report(world(), campaign, ill.slice(19), true);
    expect(await steps(world())).toEqual(['B paused']);
    const overview = await (await world().reader()).overview(campaign.n);
    expect(overview).toMatchObject({ state: 'paused', reason: 'errors' });
  });

  it('another campaign is not held for it, and a paused or settled one is not judged', async () => {
    const { campaign } = await collapsed(world());
    await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    expect(await steps(world())).toEqual([]);
    await world().ledger.resume(campaign.n, world().operator);
    expect(await steps(world())).toEqual(['B held']);
    await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    const { messages } = await world().sending(10, { name: 'other' });
    expect(messages).toHaveLength(10);
  });

  it('what becomes of one network changes nothing for another, nor for the same one in another campaign', async () => {
    const beside = await collapsed(world(), { name: 'beside' });
    await world().ledger.pause(beside.campaign.n, { ...world().operator, reason: 'operator' });
    await world().ledger.releaseBatch({ ...beside.lease, now: world().now });
    const { campaign, next } = await collapsed(world(), { known: false });
    expect(await steps(world())).toEqual(['B held']);
    const hold = async (n: number, network: string, state: string, probes: number[]) =>
      world().open.sql(
        `INSERT INTO network_hold (campaign, network, state, why, since, until, wait_ms, counted_from, probes)
         VALUES (?, ?, ?, 'failing', ?, ?, 300000, 1, ?)`,
        [n, network, state, world().now, world().now + 60 * MINUTE, JSON.stringify(probes)],
      );
    await hold(campaign.n, 'A', 'held', [1, 3, 5]);
    // Of the other one enough were delivered, but while it is paused nothing moves on.
    await hold(beside.campaign.n, 'B', 'probing', [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    await hold(beside.campaign.n, 'C', 'well', []);
    await world().open.sql("INSERT INTO network_held VALUES (?, 'B', 130), (?, 'A', 130)", [
      beside.campaign.n,
      campaign.n,
    ]);
    await world().open.sql(
      "UPDATE message SET reason = 'network held', not_before = ? WHERE campaign = ? AND seq = 130",
      [world().now + 60 * MINUTE, beside.campaign.n],
    );
    const others = async () => [
      await world().open.sql("SELECT * FROM network_hold WHERE campaign <> ? OR network <> 'B'", [
        campaign.n,
      ]),
      await world().open.sql(
        "SELECT * FROM network_held WHERE seq = 130 AND (campaign <> ? OR network <> 'B')",
        [campaign.n],
      ),
      await world().column('message', 'not_before', `campaign = ${beside.campaign.n} AND seq = 130`),
    ];
    // Both are held: all that wait are kept to be brought back.
    expect(await next(1)).toEqual([]);
    const before = await others();
    world().now += 5 * MINUTE;
    expect(await steps(world())).toEqual(['B probing']);
    for (const [delivered, last] of [
      [4, 'B held'],
      [5, 'B well'],
    ] as const) {
      const tried = await next(200);
      expect(tried).toHaveLength(10);
      await report(world(), campaign, tried.slice(0, delivered), false);
      if (last === 'B held') expect(await steps(world())).toEqual([]);
      await report(world(), campaign, tried.slice(delivered), true);
      expect(await steps(world())).toEqual([last]);
      expect(await others()).toEqual(before);
      world().now += 10 * MINUTE;
      if (last === 'B held') expect(await steps(world())).toEqual(['B probing']);
    }
    // The first ends the pause, which was for another reason.
    for (const _ of ['running', 'overridden'])
      expect(await world().ledger.resume(beside.campaign.n, world().operator)).toBe(true);
    const states = 'SELECT campaign, network, state FROM network_hold ORDER BY campaign, network';
    expect(await world().open.sql(states)).toEqual([
      { campaign: beside.campaign.n, network: 'B', state: 'overridden' },
      { campaign: beside.campaign.n, network: 'C', state: 'well' },
      { campaign: campaign.n, network: 'A', state: 'held' },
      { campaign: campaign.n, network: 'B', state: 'well' },
    ]);
  });

  it('while the others go on a campaign does not pause, however often the network is tried', async () => {
    const { campaign, next } = await collapsed(world());
    await steps(world());
    for (const wait of [5, 10, 20, 40]) {
      world().now += MINUTE;
      expect((await next(2)).map(networkOf)).toEqual(['A', 'A']);
      world().now += wait * MINUTE;
      expect(await steps(world())).toEqual(['B probing']);
      const tried = (await next(12)).filter((seq) => networkOf(seq) === 'B');
      await report(world(), campaign, tried, true);
      expect(await steps(world())).toEqual(['B held']);
    }
  });
}
