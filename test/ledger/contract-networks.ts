import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { ClaimedMessage, Lease, Outcome } from '../../src/ledger/contracts/sending.ts';
import { rejected, sent, uncertain, type World } from './contract-world.ts';

/** A campaign that everybody got, so that the networks are known: odd numbers A, even ones B, from `unknown` on none. */
export async function networkHistory(world: World, count: number, unknown = count + 1): Promise<void> {
  const { campaign, worker, lease, messages } = await world.sending(count, { name: 'before' });
  const outcomes = messages.map((message) => {
    const network = message.seq >= unknown ? null : message.seq % 2 === 1 ? 'A' : 'B';
    return sent(campaign, message, { network });
  });
  await world.record(worker, outcomes);
  await world.ledger.releaseBatch({ ...lease, now: world.now });
  world.now += 1_000;
}

/** What becomes of the network, as a worker that looks every few seconds is told it. */
async function steps(world: World): Promise<string[]> {
  const changed = await world.ledger.watchNetworks(world.now);
  await world.ledger.bringBackHeld(world.now);
  return changed.map(({ network, step }) => `${network} ${step}`);
}

interface Sending {
  campaign: Campaign;
  worker: number;
  lease: Lease;
}

/** A campaign to everybody, after `limit` messages of it were claimed: what goes to B fails, and the rest is sent. */
async function failing(world: World, count: number, limit: number) {
  const campaign = await world.launch(count, { name: 'now', settings: { batchSize: 1_000 } });
  const worker = await world.worker();
  const lease = await world.lease(worker, 86_400_000);
  const sending = { campaign, worker, lease };
  await sendNext(world, sending, { limit });
  return sending;
}

/** Claims, and records what went to B as failed while it is ill. Answers what was claimed. */
async function sendNext(
  world: World,
  { campaign, worker, lease }: Sending,
  { limit = 128, ill = true }: { limit?: number; ill?: boolean } = {},
): Promise<number[]> {
  const { messages } = await world.claim(lease, worker, { limit });
  const verdict = (message: ClaimedMessage): Outcome => {
    const isB = message.seq % 2 === 0;
    return isB && ill ? uncertain(campaign, message) : sent(campaign, message, { network: isB ? 'B' : 'A' });
  };
  await world.record(worker, messages.map(verdict));
  return messages.map(({ seq }) => seq);
}

const odd = (seqs: number[]) => seqs.filter((seq) => seq % 2 === 1);

export function networksContract(world: () => World): void {
  it('five failures in a row hold a network: its messages wait, and the others and the unknown go', async () => {
    await networkHistory(world(), 20, 19);
    const sending = await failing(world(), 20, 8);
    expect(await steps(world())).toEqual([]);
    await sendNext(world(), sending, { limit: 2 });
    expect(await steps(world())).toEqual(['B held']);
    expect(await sendNext(world(), sending)).toEqual([11, 13, 15, 17, 19, 20]);
    expect(await world().message(sending.campaign.n, 12)).toMatchObject({
      state: 'queued',
      reason: 'network held',
    });
    const { networks } = await (await world().reader()).overview(sending.campaign.n);
    const held = { since: world().now, until: world().now + 30_000, probing: false, why: null };
    expect(networks).toEqual([{ network: 'B', cause: 'sending', ...held }]);
  });

  it('failures beside an operation that fails count once, though their transaction runs again', async () => {
    await networkHistory(world(), 20, 19);
    const campaign = await world().launch(20, { name: 'now', settings: { batchSize: 1_000 } });
    const worker = await world().worker();
    const lease = await world().lease(worker, 86_400_000);
    const { messages } = await world().claim(lease, worker, { limit: 8 });
    const verdicts = messages.map((message) =>
      message.seq % 2 === 0 ? uncertain(campaign, message) : sent(campaign, message, { network: 'A' }),
    );
    const unknownCampaign = 9_999;
    const [, failed] = await Promise.allSettled([
      world().record(worker, verdicts),
      world().ledger.setRate(unknownCampaign, { now: world().now, by: 'test', ratePerSecond: 1 }),
    ]);
    expect(failed.status).toBe('rejected');
    expect(await steps(world())).toEqual([]);
    await sendNext(world(), { campaign, worker, lease }, { limit: 2 });
    expect(await steps(world())).toEqual(['B held']);
  });

  it('one message tries it after the wait, which doubles; when that went through all go on', async () => {
    await networkHistory(world(), 40);
    const sending = await failing(world(), 40, 10);
    for (const waitMs of [30_000, 60_000]) {
      await sendNext(world(), sending, { limit: 4 });
      await steps(world());
      world().now += waitMs - 1;
      expect(await steps(world())).toEqual([]);
      world().now += 1;
      expect(await steps(world())).toEqual(['B probing']);
      const tried = await sendNext(world(), sending, { limit: 3, ill: waitMs < 60_000 });
      expect(tried.length - odd(tried).length).toBe(1);
    }
    expect(await steps(world())).toEqual(['B well']);
    const { length } = await sendNext(world(), sending, { ill: false });
    expect(length).toBeGreaterThan(10);
    expect(await world().states(sending.campaign.n)).toEqual({ sent: 40 - 5 - 1, uncertain: 5 + 1 });
  });

  it('while its probe is on its way no other message of it goes, and a probe that was put back goes again', async () => {
    await networkHistory(world(), 20);
    const sending = await failing(world(), 20, 10);
    await sendNext(world(), sending);
    world().now += 30_000;
    await steps(world());
    const { campaign, lease, worker } = sending;
    const [probe] = (await world().claim(lease, worker)).messages;
    await steps(world());
    expect((await world().claim(lease, worker)).messages).toEqual([]);
    const { seq, attempt } = probe as ClaimedMessage;
    const back = { to: 'queued', reason: 'released', notBefore: world().now, countsAsTry: false } as const;
    await world().record(worker, [
      { campaign: campaign.n, seq, attempt, sendMs: null, evidence: null, ...back },
    ]);
    expect(await steps(world())).toEqual([]);
    expect(await sendNext(world(), sending)).toEqual([seq]);
    expect(await steps(world())).toEqual(['B held']);
  });

  it('the campaign pauses at the third try in a row that fails, if nothing else of it went', async () => {
    await networkHistory(world(), 60);
    const sending = await failing(world(), 60, 10);
    await sendNext(world(), sending);
    const seen: string[] = [];
    for (let waitMs = 30_000; waitMs <= 120_000; waitMs *= 2) {
      world().now += waitMs;
      seen.push(...(await steps(world())));
      world().now += 1_000;
      expect(await sendNext(world(), sending)).toHaveLength(1);
      seen.push(...(await steps(world())));
    }
    expect(seen.filter((step) => step !== 'B probing')).toEqual(['B held', 'B held', 'B held', 'B paused']);
    const { state, reason } = await (await world().reader()).overview(sending.campaign.n);
    expect([state, reason]).toEqual(['paused', 'errors']);
    expect(await world().ledger.resume(sending.campaign.n, world().operator)).toBe(true);
    expect(await steps(world())).toEqual([]);
    expect((await sendNext(world(), sending, { ill: false })).length).toBeGreaterThan(10);
  });

  it('a message that went through between failures says that the network is well, unless it left before they did', async () => {
    await networkHistory(world(), 20);
    const campaign = await world().launch(20, { name: 'now', settings: { batchSize: 1_000 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker);
    const toB = messages.filter(({ seq }) => seq % 2 === 0);
    const failed = (message: ClaimedMessage | undefined, sendMs: number) => ({
      ...uncertain(campaign, message as ClaimedMessage),
      sendMs,
    });
    await world().record(
      worker,
      toB.slice(0, 4).map((message) => failed(message, 12)),
    );
    await world().record(worker, [sent(campaign, toB[4] as ClaimedMessage, { network: 'B' })]);
    // These left before the message that went through, and were answered after it.
    await world().record(
      worker,
      toB.slice(5, 10).map((message) => failed(message, 30_000)),
    );
    expect(await steps(world())).toEqual([]);
  });

  it('a refusal of the network counts as a failure of it, and a refusal of the contact does not', async () => {
    for (const [name, reason, expected] of [
      ['contact', 'invalid mobile', []],
      ['network', 'network not allowed', ['B held']],
    ] as const) {
      if (name === 'contact') await networkHistory(world(), 10);
      const { campaign, worker, messages } = await world().sending(10, { name });
      const toB = messages.filter(({ seq }) => seq % 2 === 0);
      await world().record(
        worker,
        toB.map((message) => ({ ...rejected(campaign, message), reason }) as Outcome),
      );
      expect(await steps(world())).toEqual(expected);
    }
  });

  it('while a network goes on failing, a further campaign is held at its first failure', async () => {
    await networkHistory(world(), 20);
    await failing(world(), 20, 10);
    expect(await steps(world())).toEqual(['B held']);
    const { campaign, worker, messages } = await world().sending(4, { name: 'other' });
    await world().record(worker, [uncertain(campaign, messages[1] as ClaimedMessage)]);
    expect(await world().ledger.watchNetworks(world().now)).toMatchObject([
      { id: campaign.id, step: 'held' },
    ]);
  });

  it("the network of a number is that of its own last message, whatever the campaign's", async () => {
    await networkHistory(world(), 12, 12);
    const moved = await world().sending(6, { name: 'after' });
    const toC = moved.messages.map((message) => sent(moved.campaign, message, { network: 'C' }));
    await world().record(moved.worker, toC);
    world().now += 1_000;
    const { campaign, worker, messages } = await world().sending(6, { name: 'now' });
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    expect(await steps(world())).toEqual(['C held']);
  });

  it('what is held neither pays nor takes a slot', async () => {
    await networkHistory(world(), 12);
    const { lease, worker } = await failing(world(), 12, 11);
    const claim = await world().claim(lease, worker, { accountRate: 1, ceilingMicro: 0 });
    expect(claim).toMatchObject({ messages: [], stop: 'empty' });
  });
}
