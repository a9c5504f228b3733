import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { Lease } from '../../src/ledger/contracts/sending.ts';
import { PRICE, rejected, requeued, sent, type World } from './contract-world.ts';
import { reminderWorld } from './reminder-world.ts';

export function claimContract(world: () => World): void {
  it('a claim takes queued messages in order and makes them sending, each with its next attempt', async () => {
    const campaign = await world().launch(10);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const claim = await world().claim(lease, worker, { limit: 4 });
    expect(claim).toMatchObject({ stop: null, retryAt: null });
    expect(claim.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(claim.messages[0]).toEqual({
      seq: 1,
      mobile: '254700000001',
      fields: ['254700000001', 'Name 1'],
      segments: 1,
      attempt: 1,
      tries: 0,
      slotAt: world().now,
    });
    const rest = await world().claim(lease, worker, { fromSeq: 5 });
    expect(rest.messages.map(({ seq }) => seq)).toEqual([5, 6, 7, 8, 9, 10]);
    expect(rest.stop).toBe('empty');
    expect(await world().states(campaign.n)).toEqual({ sending: 10 });
  });

  it('what is not due yet stays between those that go', async () => {
    const campaign = await world().launch(3);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker, { limit: 2 });
    const outcomes = messages.map((message, index) => requeued(campaign, message, index * 2 * world().now));
    await world().record(worker, outcomes);
    expect((await world().claim(lease, worker)).messages.map(({ seq }) => seq)).toEqual([1, 3]);
  });

  it('nothing is claimed twice: the look goes round the whole batch and then says empty [A1]', async () => {
    await world().launch(10);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const middle = await world().claim(lease, worker, { limit: 3, fromSeq: 6 });
    expect(middle.messages.map(({ seq }) => seq)).toEqual([6, 7, 8]);
    const round = await world().claim(lease, worker, { fromSeq: 9 });
    expect(round.messages.map(({ seq }) => seq)).toEqual([9, 10, 1, 2, 3, 4, 5]);
    expect(await world().claim(lease, worker, { fromSeq: 11 })).toEqual({
      messages: [],
      stop: 'empty',
      retryAt: null,
    });
  });

  it('a claim takes nothing of the batches beside its own, wherever its look begins', async () => {
    await world().launch(30);
    const worker = await world().worker();
    await world().lease(worker);
    const lease = await world().lease(worker);
    const seqs = async (fromSeq: number) =>
      (await world().claim(lease, worker, { fromSeq, limit: 5 })).messages.map(({ seq }) => seq);
    expect([await seqs(1), await seqs(30)]).toEqual([
      [11, 12, 13, 14, 15],
      [16, 17, 18, 19, 20],
    ]);
    expect(await seqs(30)).toEqual([]);
  });

  it('a claim needs the lease: its worker, its epoch, its time, and a running campaign', async () => {
    const campaign = await world().launch(10);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const lost = { messages: [], stop: 'lost', retryAt: null };
    expect(await world().claim({ ...lease, epoch: lease.epoch - 1 }, worker)).toEqual(lost);
    expect(await world().claim(lease, worker + 1)).toEqual(lost);
    expect(await world().claim(lease, worker, { now: world().now + 60_000 })).toEqual(lost);
    await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    expect(await world().claim(lease, worker)).toEqual(lost);
    expect(await world().states(campaign.n)).toEqual({ queued: 10 });
  });

  it('a batch is leased by one worker at a time, and each lease has a higher epoch', async () => {
    await world().launch(5);
    const [one, two] = [await world().worker(1), await world().worker(2)];
    const [due] = await world().ledger.dueBatches({ now: world().now, perCampaign: 9 });
    const ask = { batch: due?.batch ?? 0, epoch: due?.epoch ?? 0, now: world().now, leaseMs: 60_000 };
    const results = await Promise.all(
      [one, two].map((worker) => world().ledger.leaseBatch({ ...ask, worker })),
    );
    expect(results.filter((lease) => lease !== null)).toHaveLength(1);
    const lease = results.find((found) => found !== null);
    expect(await world().ledger.leaseBatch({ ...ask, epoch: lease?.epoch ?? 0, worker: two })).toBeNull();
    const release = await world().ledger.releaseBatch({
      ...(lease as Lease),
      now: world().now,
    });
    expect(release).toEqual({ settled: false, epoch: lease?.epoch, dueAt: world().now });
    expect(await world().ledger.leaseBatch({ ...ask, worker: two })).toBeNull();
    expect(await world().ledger.leaseBatch({ ...ask, epoch: lease?.epoch ?? 0, worker: two })).toMatchObject({
      epoch: (lease?.epoch ?? 0) + 1,
    });
  });

  it('a batch that is given back is due again when the first of its messages is, whichever that is', async () => {
    const campaign = await world().launch(20);
    const worker = await world().worker();
    const { now } = world();
    const dueAfter = async (waits: Record<number, number>) => {
      const lease = await world().lease(worker);
      const { messages } = await world().claim(lease, worker);
      const back = messages.map((message) =>
        message.seq in waits
          ? requeued(campaign, message, now + (waits[message.seq] ?? 0))
          : sent(campaign, message),
      );
      await world().record(worker, back);
      const release = await world().ledger.releaseBatch({ ...lease, now: world().now });
      return release.settled ? null : release.dueAt - now;
    };
    expect(await dueAfter({ 1: 60_000, 10: 30_000 })).toBe(30_000);
    expect(await dueAfter({ 11: 90_000 })).toBe(90_000);
    world().now += 30_000;
    expect(await dueAfter({})).toBe(60_000);
  });

  it('messages that must wait are left until they are due', async () => {
    const { campaign, worker, lease, messages } = await world().sending(3);
    const { now } = world();
    await world().record(
      worker,
      messages.map((message) => requeued(campaign, message, now + 1_000 * message.seq)),
    );
    expect(await world().claim(lease, worker)).toEqual({ messages: [], stop: 'empty', retryAt: null });
    world().now = now + 2_000;
    const claim = await world().claim(lease, worker);
    expect(claim.messages.map(({ seq, attempt, tries }) => [seq, attempt, tries])).toEqual([
      [1, 2, 1],
      [2, 2, 1],
    ]);
    const attempts = await world().open.sql('SELECT seq, number, outcome, reason FROM attempt ORDER BY seq');
    expect(attempts[0]).toEqual({ seq: 1, number: 1, outcome: 'queued', reason: 'throttled' });
  });

  it('nothing is claimed when the window has closed, and no slot lies after its end', async () => {
    const campaign = await world().launch(10);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { now } = world();
    expect(await world().claim(lease, worker, { windowClosesAt: now })).toEqual({
      messages: [],
      stop: 'window',
      retryAt: null,
    });
    const claim = await world().claim(lease, worker, { windowClosesAt: now + 100, accountRate: 50 });
    // Not the window yet: who watches pauses would see it open, and wake the campaign at once.
    expect([claim.stop, claim.retryAt]).toEqual(['rate', now + 100]);
    expect(claim.messages.length).toBeGreaterThan(0);
    expect(claim.messages.every(({ slotAt }) => slotAt < now + 100)).toBe(true);
    expect(await world().states(campaign.n)).toEqual({
      sending: claim.messages.length,
      queued: 10 - claim.messages.length,
    });
  });

  it('a number that opted out before the claim is skipped in a promotional campaign, and in no other [S9]', async () => {
    await world().ledger.addOptOuts(
      [
        { mobile: '254700000002', source: 'reply' },
        { mobile: '254700000002', source: 'operator' },
      ],
      1,
    );
    const promotional = await world().launch(3, { kind: 'promotional' });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const claim = await world().claim(lease, worker, { limit: 2 });
    expect(claim.messages.map(({ seq }) => seq)).toEqual([1, 3]);
    expect(claim.stop).toBeNull();
    expect(await world().message(promotional.n, 2)).toMatchObject({ state: 'skipped', reason: 'opted out' });
    const mobiles = ['254700000001', '254700000002'];
    expect(await world().ledger.suppressed({ mobiles, sender: 'DUKA' })).toEqual(
      new Map([['254700000002', 'opted out']]),
    );
    await world().launch(3, { name: 'notice' });
    const notice = await world().lease(worker);
    expect((await world().claim(notice, worker)).messages).toHaveLength(3);
  });

  it('a batch of which everything was skipped settles with its release', async () => {
    await world().ledger.addOptOuts([{ mobile: '254700000001', source: 'reply' }], 1);
    await world().launch(1, { kind: 'promotional' });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    expect(await world().claim(lease, worker)).toMatchObject({ messages: [], stop: 'empty', retryAt: null });
    expect(await world().ledger.releaseBatch({ ...lease, now: world().now })).toEqual({ settled: true });
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: true });
  });

  it('two processes that claim from one campaign never get the same message', async () => {
    const campaign = await world().launch(200);
    const other = await world().open.another();
    const claimed: string[] = [];
    const run = async (ledger: typeof other, worker: number) => {
      for (;;) {
        const due = await ledger.dueBatches({ now: world().now, perCampaign: 3 });
        if (due.length === 0) return;
        for (const batch of due) {
          const lease = await ledger.leaseBatch({ ...batch, worker, now: world().now, leaseMs: 60_000 });
          if (lease === null) continue;
          const request = {
            batch: lease.batch,
            epoch: lease.epoch,
            worker,
            limit: 4,
            fromSeq: 1,
            now: world().now,
            windowClosesAt: null,
            ceilingMicro: 1e15,
            priceMicro: PRICE,
            claimNumber: 1,
            accountRate: null,
          };
          for (
            let claim = await ledger.claim(request);
            claim.messages.length > 0;
            claim = await ledger.claim(request)
          ) {
            claimed.push(...claim.messages.map(({ seq, attempt }) => `${seq}/${attempt}`));
            const outcomes = claim.messages.map((message) => sent(campaign, message));
            await ledger.recordOutcomes({ worker, now: world().now, outcomes, pauses: [] });
          }
          await ledger.releaseBatch({ ...lease, now: world().now });
        }
      }
    };
    await Promise.all([run(world().ledger, await world().worker(1)), run(other, await world().worker(2))]);
    await other.close();
    expect(claimed).toHaveLength(200);
    expect(new Set(claimed).size).toBe(200);
    expect(await world().states(campaign.n)).toEqual({ sent: 200 });
  });

  it.each([
    ['the same text', 'hash_job', { sameTextMs: 3_600_000, most: null, perMs: 1 }],
    // A corrected template says the same to most.
    ['the same text', 'hash_template', { sameTextMs: 3_600_000, most: null, perMs: 1 }],
    ['a message', 'hash_job', { sameTextMs: null, most: 1, perMs: 3_600_000 }],
  ])(
    'whom another job sent %s within the span is skipped, and not whom it sent it before, nor who was refused [B4]',
    async (_, differs, guard) => {
      const plan = { kind: 'promotional', settings: { batchSize: 10 } } as const;
      const first = await world().launch(3, { ...plan, name: 'earlier' });
      const worker = await world().worker();
      const earlier = await world().lease(worker, 10_800_000);
      await world().launch(3, { ...plan, settings: { batchSize: 10, guard } });
      // Files that differ in one alone are not the same files.
      await world().open.sql(`UPDATE campaign SET hash_contacts = 'c', ${differs} = name`);
      await world().open.sql('UPDATE message SET text_hash = 7');
      await world().claim(earlier, worker, { limit: 1 });
      world().now += 7_200_000;
      const [, third] = (await world().claim(earlier, worker, { limit: 2 })).messages;
      await world().record(worker, [rejected(first, third as never)]);
      const { messages } = await world().claim(await world().lease(worker), worker);
      expect(messages.map(({ seq }) => seq)).toEqual([1, 3]);
    },
  );

  /** Two workers send a batch of a campaign each. One falls asleep before its claim, and claims when the other has. */
  async function claimAfterSleep(campaign: Campaign, meanwhile: () => Promise<void> = async () => undefined) {
    const [awake, asleep] = [await world().worker(1), await world().worker(2)];
    const leases = { awake: await world().lease(awake), asleep: await world().lease(asleep) };
    expect([leases.awake, leases.asleep].map((lease) => lease.campaign.n)).toEqual([campaign.n, campaign.n]);
    const fellAsleepAt = world().now;
    world().now += 20_000;
    await meanwhile();
    world().now += 20_000;
    for (const [worker, lease, now] of [
      [awake, leases.awake, world().now],
      [asleep, leases.asleep, fellAsleepAt],
    ] as const) {
      const { messages } = await world().claim(lease, worker, { now });
      expect(messages).toHaveLength(10);
      const outcomes = messages.map((message) => sent(campaign, message));
      await world().record(worker, outcomes);
      expect(await world().ledger.releaseBatch({ ...lease, now: world().now })).toEqual({ settled: true });
    }
  }

  it('a claim with the old time of a machine that slept hides from no guard what others sent meanwhile [B4]', async () => {
    await claimAfterSleep(await world().launch(20, { name: 'earlier', kind: 'promotional' }));
    const guard = { sameTextMs: null, most: 1, perMs: 30_000 };
    await world().launch(10, { kind: 'promotional', settings: { guard } });
    world().now += 1_000;
    const worker = await world().worker();
    expect((await world().claim(await world().lease(worker), worker)).messages).toEqual([]);
  });

  it('nor from the launch of a reminder that was planned meanwhile [B4]', async () => {
    const { launch, stage } = reminderWorld(world);
    const rows = Array.from({ length: 20 }, (_, who) => ({ who, day: 0 }));
    let draft = null as Campaign | null;
    await claimAfterSleep(await launch(rows), async () => {
      draft = await stage(rows);
      await world().ledger.arrangeReminders(draft.n, world().now);
    });
    await expect(world().activate(draft as never, 20)).rejects.toMatchObject({ code: 'campaign_changed' });
  });
}
