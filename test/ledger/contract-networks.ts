import { expect, it } from 'vitest';
import { sent, type World } from './contract-world.ts';

/** A campaign that everybody got, so that the networks are known: odd numbers A, even ones B, from `unknown` on none. */
async function history(world: World, count: number, unknown = count + 1): Promise<void> {
  const { campaign, worker, lease, messages } = await world.sending(count, { name: 'before' });
  const outcomes = messages.map((message) => {
    const network = message.seq >= unknown ? null : message.seq % 2 === 1 ? 'A' : 'B';
    return sent(campaign, message, { network });
  });
  await world.record(worker, outcomes);
  await world.ledger.releaseBatch({ ...lease, now: world.now });
}

export function networksContract(world: () => World): void {
  it("the network of a number is that of its own last message, whatever the campaign's", async () => {
    await history(world(), 4, 4);
    expect(await world().ledger.networkOf('254700000001')).toBe('A');
    expect(await world().ledger.networkOf('254700000002')).toBe('B');
    expect(await world().ledger.networkOf('254700000004')).toBeNull();
    expect(await world().ledger.networkOf('254799999999')).toBeNull();
    world().now += 1_000;
    const { campaign, worker, messages } = await world().sending(1, { name: 'after' });
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message, { network: 'C' })),
    );
    expect(await world().ledger.networkOf('254700000001')).toBe('C');
  });

  it('a claim leaves messages to a held network queued until then, and takes the others and the unknown', async () => {
    await history(world(), 10, 9);
    const campaign = await world().launch(10, { name: 'now' });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const until = world().now + 30_000;
    const holds = [{ network: 'B', until, probe: false }];
    const claim = await world().claim(lease, worker, { holds });
    expect(claim.messages.map(({ seq, network }) => [seq, network])).toEqual([
      [1, 'A'],
      [3, 'A'],
      [5, 'A'],
      [7, 'A'],
      [9, null],
      [10, null],
    ]);
    expect(claim).toMatchObject({ stop: 'empty', retryAt: until });
    expect(await world().message(campaign.n, 2)).toMatchObject({ state: 'queued', reason: 'network held' });
    const release = await world().ledger.releaseBatch({ ...lease, now: world().now });
    expect(release).toMatchObject({ settled: false, dueAt: until });
  });

  it('one message is the probe, and when the hold is over all go as if nothing had been', async () => {
    await history(world(), 8);
    const campaign = await world().launch(8, { name: 'now' });
    const worker = await world().worker();
    const lease = await world().lease(worker, 600_000);
    const until = world().now + 10_000;
    const claim = await world().claim(lease, worker, { holds: [{ network: 'B', until, probe: true }] });
    expect(claim.probes).toEqual(['B']);
    expect(claim.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 5, 7]);
    const again = await world().claim(lease, worker, { holds: [{ network: 'B', until, probe: true }] });
    expect([again.messages, again.probes]).toEqual([[], undefined]);
    world().now = until;
    expect((await world().claim(lease, worker)).messages.map(({ seq }) => seq)).toEqual([4, 6, 8]);
    expect(await world().message(campaign.n, 4)).toMatchObject({ state: 'sending', reason: null });
  });

  it('what is held neither pays nor takes a slot', async () => {
    await history(world(), 6);
    await world().launch(6, { name: 'now' });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const holds = ['A', 'B'].map((network) => ({ network, until: world().now + 30_000, probe: false }));
    const claim = await world().claim(lease, worker, { holds, accountRate: 1, ceilingMicro: 0 });
    expect(claim).toMatchObject({ messages: [], stop: 'empty' });
  });
}
