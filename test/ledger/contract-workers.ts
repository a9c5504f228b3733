import { expect, it } from 'vitest';
import type { ClaimedMessage, Outcome } from '../../src/ledger/contracts/sending.ts';
import { PRICE, rejected, sent, type World } from './contract-world.ts';

export function workerContract(world: () => World): void {
  it('the reaper makes uncertain what a dead worker left sending, and never anything queued again [A3]', async () => {
    const { campaign, worker, messages } = await world().sending(5);
    await world().record(worker, [sent(campaign, messages[0] as ClaimedMessage)]);
    expect(await world().ledger.reap(worker, world().now)).toBe(4);
    expect(await world().states(campaign.n)).toEqual({ sent: 1, uncertain: 4 });
    expect(await world().ledger.beginReading('C-100', world().now)).toMatchObject({
      inFlight: 0,
      reservedMicro: 4 * PRICE,
    });
    expect(await world().column('campaign', 'spent', `n = ${campaign.n}`)).toBe(5 * PRICE);
    expect(await world().ledger.reap(worker, world().now)).toBe(0);
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: true });
  });

  it('the reaper records what a dead worker noted: verdicts with their money, and what never left back in the queue [A19]', async () => {
    const { campaign, worker, messages } = await world().sending(5);
    const [first, second, third, fourth] = messages as [ClaimedMessage, ...ClaimedMessage[]];
    const of = (message: ClaimedMessage | undefined) => ({
      campaign: campaign.n,
      seq: message?.seq ?? 0,
      attempt: message?.attempt ?? 0,
      sendMs: null,
      evidence: null,
    });
    await world().record(worker, [sent(campaign, first)]);
    expect(await world().ledger.otherWorkers(null)).toMatchObject([{ worker, recorded: 1 }]);
    const still = await world().ledger.stillSending(worker);
    expect(still.map(({ seq }) => seq)).toEqual(messages.slice(1).map(({ seq }) => seq));
    const back = { to: 'queued', notBefore: world().now, countsAsTry: false } as const;
    const outcomes: Outcome[] = [
      sent(campaign, second as ClaimedMessage),
      rejected(campaign, third as ClaimedMessage),
      { ...of(fourth), ...back, reason: 'taken back, never sent' },
      // Recorded before the worker died: its note says it once more.
      sent(campaign, first),
    ];
    const record = { worker, by: 'reaper' as const, now: world().now, pauses: [] };
    const results = await world().ledger.recordOutcomes({ ...record, outcomes });
    expect(results).toEqual(['recorded', 'recorded', 'recorded', 'stale']);
    expect(await world().ledger.reap(worker, world().now)).toBe(1);
    expect(await world().states(campaign.n)).toEqual({ sent: 2, rejected: 1, queued: 1, uncertain: 1 });
    expect(await world().column('worker', 'recorded', `id = ${worker}`)).toBe(1);
    expect(await world().column('campaign', 'taken_back', `n = ${campaign.n}`)).toBe(1);
    expect(await world().ledger.beginReading('C-100', world().now)).toMatchObject({
      inFlight: 0,
      reservedMicro: PRICE,
    });
    const reader = await world().open.reader();
    expect(await reader.violations(null)).toEqual([]);
    expect(await reader.overview(campaign.n)).toMatchObject({ takenBack: 1 });
    const other = await world().worker(2);
    const again = await world().claim(await world().lease(other), other);
    expect(again.messages.map(({ seq }) => seq)).toEqual([fourth?.seq]);
  });

  it('the reaper decides nothing that is uncertain already, and puts back nothing that another worker claimed [A19]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [first, second] = messages as [ClaimedMessage, ClaimedMessage];
    await world().ledger.reap(worker, world().now);
    const back = { sendMs: null, evidence: null, to: 'queued', reason: 'taken back, never sent' } as const;
    const outcomes: Outcome[] = [
      sent(campaign, first),
      { campaign: campaign.n, seq: second.seq, attempt: 1, ...back, notBefore: 0, countsAsTry: false },
    ];
    const record = { worker, by: 'reaper' as const, now: world().now, pauses: [] };
    expect(await world().ledger.recordOutcomes({ ...record, outcomes })).toEqual(['stale', 'stale']);
    expect(await world().states(campaign.n)).toEqual({ uncertain: 2 });
  });

  it('a pause that a dead worker had noted is carried out, and what it took back of a canceled campaign is canceled [A19]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [first, second] = messages as [ClaimedMessage, ClaimedMessage];
    const back = { sendMs: null, evidence: null, to: 'queued', notBefore: 0, countsAsTry: false } as const;
    const of = ({ seq, attempt }: ClaimedMessage) => ({ campaign: campaign.n, seq, attempt });
    const record = { worker, by: 'reaper', now: world().now } as const;
    await world().ledger.recordOutcomes({
      ...record,
      outcomes: [{ ...of(first), ...back, reason: 'credit refused' }],
      pauses: [{ campaign: campaign.n, reason: 'balance' }],
    });
    expect(await world().ledger.campaign(campaign.n)).toMatchObject({ state: 'paused', reason: 'balance' });
    await world().ledger.cancel(campaign.n, world().operator);
    const outcomes: Outcome[] = [{ ...of(second), ...back, reason: 'taken back, never sent' }];
    await world().ledger.recordOutcomes({ ...record, outcomes, pauses: [] });
    expect(await world().states(campaign.n)).toEqual({ canceled: 2 });
  });

  it('the reaper leaves the messages of living workers alone [A13]', async () => {
    const campaign = await world().launch(20);
    const [dead, living] = [await world().worker(1), await world().worker(2)];
    const first = await world().lease(dead);
    await world().claim(first, dead, { limit: 3 });
    const second = await world().lease(living);
    await world().claim(second, living, { limit: 4 });
    expect(await world().ledger.reap(dead, world().now)).toBe(3);
    expect(await world().states(campaign.n)).toEqual({ uncertain: 3, sending: 4, queued: 13 });
    const again = await world().lease(living);
    expect(again).toMatchObject({ batch: first.batch, epoch: first.epoch + 1 });
  });

  it('of a batch that two workers have messages of, only those of the dead one become uncertain [A13]', async () => {
    const campaign = await world().launch(10);
    const [dead, living] = [await world().worker(1), await world().worker(2)];
    const lease = await world().lease(dead);
    await world().claim(lease, dead, { limit: 3 });
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    await world().claim(await world().lease(living), living, { limit: 4 });
    expect(await world().ledger.reap(dead, world().now)).toBe(3);
    expect(await world().states(campaign.n)).toEqual({ uncertain: 3, sending: 4, queued: 3 });
  });

  it('what a dead worker had in flight of a batch is found, though it gave that back, and another one since [A13]', async () => {
    const campaign = await world().launch(20);
    const dead = await world().worker();
    const first = await world().lease(dead);
    await world().claim(first, dead, { limit: 3 });
    const second = await world().lease(dead);
    for (const lease of [first, second]) await world().ledger.releaseBatch({ ...lease, now: world().now });
    expect(await world().ledger.reap(dead, world().now)).toBe(3);
    expect(await world().states(campaign.n)).toEqual({ uncertain: 3, queued: 17 });
  });

  it('a worker that was reaped can neither claim, nor lease, nor prove that it lives [A15]', async () => {
    await world().launch(20);
    const zombie = await world().worker();
    const lease = await world().lease(zombie);
    await world().claim(lease, zombie, { limit: 1 });
    await world().ledger.reap(zombie, world().now);
    expect(await world().ledger.heartbeat(zombie, world().now)).toBe(false);
    expect(await world().claim(lease, zombie)).toMatchObject({ messages: [], stop: 'lost' });
    await expect(world().lease(zombie)).rejects.toThrow('could not be leased');
  });

  it('a clock that is set back by an hour holds up neither what waits for another try nor the end of a dead worker [S6]', async () => {
    const { campaign, worker, lease, messages } = await world().sending(2);
    const [first, second] = messages as [ClaimedMessage, ClaimedMessage];
    const back = {
      to: 'queued',
      reason: 'no connection',
      countsAsTry: false,
      sendMs: 1,
      evidence: null,
    } as const;
    const notBefore = world().now + 30_000;
    await world().record(worker, [
      { ...back, notBefore, campaign: campaign.n, seq: first.seq, attempt: first.attempt },
    ]);
    await world().record(worker, [sent(campaign, second)]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    await world().worker(2);
    world().now -= 3_600_000;
    await world().ledger.clockSetBack(() => world().now);
    expect(await world().ledger.heartbeat(worker, world().now)).toBe(true);
    const again = await world().lease(worker);
    expect(again.batch).toBe(lease.batch);
    expect((await world().claim(again, worker)).messages.map(({ seq }) => seq)).toEqual([first.seq]);
    const [other] = await world().ledger.otherWorkers(worker);
    expect(other?.heartbeatAt).toBe(world().now);
  });

  it('a clock that is set back wakes nothing whose moment is a date [S6]', async () => {
    await world().worker();
    const campaign = await world().launch(1);
    await world().open.sql('UPDATE message SET not_before = ? WHERE campaign = ?', [
      world().now + 60_000,
      campaign.n,
    ]);
    world().now -= 3_600_000;
    await world().ledger.clockSetBack(() => world().now);
    expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).toEqual([]);
  });

  it('a heartbeat prolongs every lease of its worker', async () => {
    await world().launch(20);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    world().now += 50_000;
    expect(await world().ledger.heartbeat(worker, world().now)).toBe(true);
    world().now += 50_000;
    expect((await world().claim(lease, worker)).messages).toHaveLength(10);
  });

  it('a worker that retires gives its batches back at once; what it left sending is still found by the reaper', async () => {
    const campaign = await world().launch(20);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker, { limit: 2 });
    await world().record(worker, [sent(campaign, messages[0] as ClaimedMessage)]);
    await world().ledger.retireWorker(worker, world().now);
    expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).toHaveLength(2);
    expect(await world().ledger.otherWorkers(null)).toMatchObject([
      { worker, pid: 1, bootId: 'boot', startTicks: '7' },
    ]);
    expect(await world().ledger.reap(worker, world().now)).toBe(1);
    expect(await world().ledger.otherWorkers(null)).toEqual([]);
  });

  it('others are the workers that have not ended, without the one that asks', async () => {
    const [one, two, three] = [await world().worker(1), await world().worker(2), await world().worker(3)];
    await world().ledger.retireWorker(two, world().now);
    expect((await world().ledger.otherWorkers(one)).map(({ worker }) => worker)).toEqual([three]);
    expect((await world().ledger.otherWorkers(null)).map(({ worker }) => worker)).toEqual([one, three]);
  });

  it('the batch of a dead worker that had nothing left settles with the reaper', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: false });
    await world().ledger.reap(worker, world().now);
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: true });
  });

  it('a release by a lease that was lost changes nothing', async () => {
    await world().launch(5);
    const [one, two] = [await world().worker(1), await world().worker(2)];
    const lost = await world().lease(one);
    await world().ledger.reap(one, world().now);
    const lease = await world().lease(two);
    const release = await world().ledger.releaseBatch({ ...lost, now: world().now });
    expect(release).toMatchObject({ settled: false, epoch: lease.epoch });
    expect((await world().claim(lease, two)).messages).toHaveLength(5);
  });

  it('a release by a worker that never got its lease ends not that of another one at this epoch', async () => {
    await world().launch(5);
    const [one, two] = [await world().worker(1), await world().worker(2)];
    const lease = await world().lease(two);
    const release = await world().ledger.releaseBatch({ ...lease, worker: one, now: world().now });
    expect(release).toMatchObject({ settled: false, epoch: lease.epoch });
    expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).toEqual([]);
    expect((await world().claim(lease, two)).messages).toHaveLength(5);
    expect(await (await world().open.reader()).violations(null)).toEqual([]);
  });
}
