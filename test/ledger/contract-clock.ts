import { expect, it } from 'vitest';
import { ACCOUNT, PRICE, requeued, sent, uncertain, type World } from './contract-world.ts';
import { reminderWorld } from './reminder-world.ts';

const HOUR_MS = 3_600_000;
const TEN_YEARS_MS = 10 * 365 * 24 * HOUR_MS;
/** So far ahead a clock may have been. */
const AHEAD = [
  ['three hours', 3 * HOUR_MS],
  ['ten years', TEN_YEARS_MS],
] as const;

export function clockContract(world: () => World): void {
  it.each(AHEAD)(
    'what a clock that was %s ahead made wait is due at once when it is set back, and nothing else is [S6]',
    async (_, aheadMs) => {
      const later = world().now + aheadMs + 17 * HOUR_MS;
      await world().launch(5, { name: 'tomorrow', settings: { batchSize: 5 } });
      await world().open.sql('UPDATE message SET not_before = ?', [later]);
      await world().open.sql('UPDATE batch SET due_at = ?', [later]);
      const right = world().now;
      world().now += aheadMs;
      const { campaign, worker, lease, messages } = await world().sending(20, { name: 'now' });
      const outcomes = messages
        .slice(0, 10)
        .map((message) => requeued(campaign, message, world().now + 30_000));
      await world().record(worker, outcomes);
      await world().ledger.releaseBatch({ ...lease, now: world().now });
      await world().ledger.heartbeat(worker, world().now);
      world().now = right + 10_000;
      expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).toEqual([]);
      await world().ledger.clockSetBack(() => world().now);
      const due = await world().ledger.dueBatches({ now: world().now, perCampaign: 9 });
      expect(due.map(({ batch }) => batch)).toEqual([lease.batch]);
      const again = await world().lease(worker);
      expect((await world().claim(again, worker)).messages).toHaveLength(10);
      expect(await world().column('batch', 'due_at', 'campaign = 1')).toBe(later);
    },
  );

  it('a clock that was ahead while no worker ran is noticed by what was launched then [S6]', async () => {
    const right = world().now;
    world().now += HOUR_MS;
    await world().launch(2);
    world().now = right + 10_000;
    expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).toEqual([]);
    await world().ledger.clockSetBack(() => world().now);
    expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).toHaveLength(1);
  });

  it.each(AHEAD)(
    'a worker that died with its clock %s ahead looks dead when the clock is right [S6]',
    async (_, aheadMs) => {
      const right = world().now;
      world().now += aheadMs;
      const { worker, lease } = await world().sending(3);
      await world().ledger.heartbeat(worker, world().now);
      world().now = right;
      await world().ledger.clockSetBack(() => right);
      const [seen] = await world().ledger.otherWorkers(null);
      expect(seen?.heartbeatAt).toBe(right);
      world().now = right + 61_000;
      expect(await world().claim(lease, worker)).toMatchObject({ stop: 'lost' });
    },
  );

  it('a recurring job that a clock ten days ahead fired goes on by the right one, and what it fired does not fire again [S6]', async () => {
    const right = Date.parse('2026-11-02T07:00Z');
    const at = (day: number) => right + day * 24 * HOUR_MS - HOUR_MS;
    const job = { name: 'daily', settings: { every: { cron: '0 9 * * *' } }, startAt: at(1) };
    world().now = right;
    const { n: schedule } = await world().launch(1, job);
    world().now = right + 10 * 24 * HOUR_MS;
    const worker = await world().worker();
    const fire = async (fireAt: number, nextAt: number, missed: number[] = []) => {
      const names = { id: `daily-${world().now}`, name: `daily ${fireAt}` };
      const given = { schedule, nextAt, fireAt, missed, followingAt: fireAt + 24 * HOUR_MS, ...names };
      return world().ledger.fire({ ...given, now: world().now });
    };
    const missed = Array.from({ length: 9 }, (_, index) => at(index + 1));
    expect(await fire(at(10), at(1), missed)).not.toBeNull();
    world().now = right + 60_000;
    await world().ledger.clockSetBack(() => world().now);
    expect((await world().ledger.otherWorkers(null))[0]).toMatchObject({ worker, heartbeatAt: world().now });
    const reader = await world().reader();
    expect(await reader.agenda(schedule)).toMatchObject({ schedule: { nextAt: at(1), fired: 1, missed: 0 } });
    world().now = at(2);
    expect(await fire(at(2), at(1), [at(1)])).not.toBeNull();
    // The worker was away meanwhile.
    world().now = at(10);
    expect(await fire(at(10), at(3), missed.slice(2))).toBeNull();
    const after = { nextAt: at(11), fired: 2, missed: 8 };
    expect(await reader.agenda(schedule)).toMatchObject({ schedule: after });
  });

  it('what became uncertain by a clock ten years ahead can be decided when it is right, and a reading frees what is held for it [S6]', async () => {
    const right = world().now;
    world().now += TEN_YEARS_MS;
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    world().now = right + 60_000;
    await world().ledger.clockSetBack(() => world().now);
    world().now += 600_000;
    const begun = await world().ledger.beginReading(ACCOUNT, world().now);
    const reading = { account: ACCOUNT, begun, at: world().now, creditMicro: PRICE };
    expect(await world().ledger.recordReading(reading)).toMatchObject({ releasedMicro: PRICE });
    const decision = { ...world().operator, decision: 'not_sent', before: world().now } as const;
    expect(await world().ledger.resolve(campaign.n, decision)).toEqual({ resolved: 1, tooYoung: 0 });
  });

  it('who was sent to by a clock ten years ahead is kept by a frequency cap for its span, and not for ten years [S6]', async () => {
    const spanMs = 7 * 24 * HOUR_MS;
    const guard = { sameTextMs: null, most: 1, perMs: spanMs };
    const claimed = async (name: string) => {
      await world().launch(1, { name, kind: 'promotional', settings: { guard } });
      const worker = await world().worker();
      return (await world().claim(await world().lease(worker), worker)).messages.length;
    };
    const right = world().now;
    world().now += TEN_YEARS_MS;
    expect(await claimed('ahead')).toBe(1);
    world().now = right + 60_000;
    await world().ledger.clockSetBack(() => world().now);
    world().now += spanMs - 2 * HOUR_MS;
    expect(await claimed('within')).toBe(0);
    world().now += 4 * HOUR_MS;
    expect(await claimed('after')).toBe(1);
  });

  it('a canary that began by a clock ten years ahead waits for its reports from when it is set right [S6]', async () => {
    const right = world().now;
    world().now += TEN_YEARS_MS;
    const canary = { first: 2, waitMs: 600_000, delivered: 0.8 };
    const campaign = await world().launch(4, { settings: { canary, batchSize: 2 } });
    const worker = await world().worker();
    const { messages } = await world().claim(await world().lease(worker), worker);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    const judged = async () => (await world().ledger.watchCanaries(world().now)).map(({ step }) => step);
    world().now = right + 60_000;
    expect(await judged()).toEqual(['waiting']);
    await world().ledger.clockSetBack(() => world().now);
    world().now += canary.waitMs - 1;
    expect(await judged()).toEqual([]);
    world().now += 1;
    expect(await judged()).toEqual(['failed']);
  });

  it('what was held for a network by a clock ten years ahead goes when it is right [S6]', async () => {
    const { campaign, worker, lease, messages } = await world().sending(12, { name: 'earlier' });
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message, { network: 'B' })),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    const right = world().now;
    world().now += TEN_YEARS_MS;
    const now = await world().launch(12, { settings: { batchSize: 1_000 } });
    const held = await world().lease(worker);
    const failed = (await world().claim(held, worker, { limit: 5 })).messages;
    await world().record(
      worker,
      failed.map((message) => uncertain(now, message)),
    );
    expect((await world().claim(held, worker)).messages).toEqual([]);
    await world().ledger.releaseBatch({ ...held, now: world().now });
    world().now = right + 10_000;
    await world().ledger.clockSetBack(() => world().now);
    await world().ledger.watchNetworks(world().now);
    await world().ledger.bringBackHeld(world().now);
    const tried = await world().claim(await world().lease(worker), worker);
    expect(tried.messages).toHaveLength(1);
  });

  it('what was written by the right clock stays as it is [S6]', async () => {
    const { campaign, worker, messages } = await world().sending(4, { name: 'earlier' });
    const [one, two, three, four] = messages as [never, never, never, never];
    await world().record(worker, [
      sent(campaign, one),
      uncertain(campaign, two),
      requeued(campaign, three, world().now + 500_000),
      sent(campaign, four),
    ]);
    await world().open.sql(
      'INSERT INTO canary (campaign, messages, wait_ms, delivered) VALUES (?, 4, 1, 0.5)',
      [campaign.n],
    );
    const never = await world().launch(1, { name: 'never claimed', startAt: world().now + TEN_YEARS_MS });
    const written = async () => [
      await world().open.sql('SELECT settled_at, not_before FROM message WHERE campaign = ?', [campaign.n]),
      await world().open.sql('SELECT created_at, activated_at, last_claim_at FROM campaign WHERE n <= ?', [
        never.n,
      ]),
      await world().open.sql('SELECT heartbeat_at FROM worker WHERE id = ?', [worker]),
      await world().open.sql('SELECT lease_until FROM batch WHERE campaign = ?', [campaign.n]),
    ];
    const before = await written();
    world().now += 20_000;
    const right = world().now;
    world().now += TEN_YEARS_MS;
    await world().sending(1, { name: 'ahead' });
    world().now = right + 20_000;
    await world().ledger.clockSetBack(() => world().now);
    expect(await written()).toEqual(before);
  });

  it('what a clock that was a minute and a half ahead launched counts as launched before what is sent next [S6]', async () => {
    const right = world().now;
    world().now += 90_000;
    const { n } = await world().launch(2);
    world().now = right;
    await world().ledger.clockSetBack(() => right);
    for (const column of ['created_at', 'activated_at'])
      expect(Number(await world().column('campaign', column, `n = ${n}`))).toBeLessThan(right);
  });

  it('a reminder is not launched over one that another campaign sent between the rollback and its discovery [S6 B4]', async () => {
    const { launch, stage } = reminderWorld(world);
    const right = world().now;
    const rows = Array.from({ length: 20 }, (_, who) => ({ who, day: 0 }));
    const campaign = await launch(rows);
    const worker = await world().worker();
    const sendBatch = async () => {
      const lease = await world().lease(worker);
      const { messages } = await world().claim(lease, worker);
      expect(messages).toHaveLength(10);
      const outcomes = messages.map((message) => sent(campaign, message));
      await world().record(worker, outcomes);
      await world().ledger.releaseBatch({ ...lease, now: world().now });
    };
    world().now = right + 110_000;
    await sendBatch();
    await world().ledger.heartbeat(worker, right + 150_000);
    world().now = right + 1_000;
    const draft = await stage(rows);
    await world().ledger.arrangeReminders(draft.n, world().now);
    world().now = right + 2_000;
    await sendBatch();
    world().now = right + 5_000;
    await world().ledger.clockSetBack(() => world().now);
    world().now = right + 6_000;
    await expect(world().activate(draft, 20)).rejects.toMatchObject({ code: 'campaign_changed' });
  });

  it('a correction of seconds changes nothing [S6]', async () => {
    const { campaign, worker, lease, messages } = await world().sending(2);
    const waiting = world().now + 700_000;
    await world().record(
      worker,
      messages.map((message) => requeued(campaign, message, waiting)),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    await world().ledger.heartbeat(worker, world().now);
    await world().ledger.clockSetBack(() => world().now - 5_000);
    expect(await world().column('batch', 'due_at', `id = ${lease.batch}`)).toBe(waiting);
  });

  it('a worker that only lived by a clock that was ahead is noticed by that alone [S6]', async () => {
    const worker = await world().worker();
    await world().ledger.heartbeat(worker, world().now + 3 * HOUR_MS);
    await world().ledger.clockSetBack(() => world().now);
    expect(await world().ledger.otherWorkers(null)).toMatchObject([{ heartbeatAt: world().now }]);
  });

  it('a process that was frozen while it asked takes nobody who lived on for ahead [S6]', async () => {
    const frozenAt = world().now;
    world().now += 120_000;
    const { worker, lease } = await world().sending(2);
    const [before] = await world().ledger.otherWorkers(null);
    const leaseUntil = await world().column('batch', 'lease_until', `id = ${lease.batch}`);
    const readings = [frozenAt];
    await world().ledger.clockSetBack(() => readings.shift() ?? world().now);
    expect(readings).toEqual([]);
    expect(await world().ledger.otherWorkers(null)).toEqual([before]);
    expect(await world().column('batch', 'lease_until', `id = ${lease.batch}`)).toBe(leaseUntil);
    expect(await world().ledger.heartbeat(worker, world().now)).toBe(true);
  });

  it('a batch that rests is not due before, whatever waits in it', async () => {
    await world().launch(3);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const restUntil = world().now + 5_000;
    const release = await world().ledger.releaseBatch({ ...lease, now: world().now, restUntil });
    expect(release).toMatchObject({ settled: false, dueAt: restUntil });
    expect(await world().ledger.dueBatches({ now: restUntil - 1, perCampaign: 9 })).toEqual([]);
    expect(await world().ledger.dueBatches({ now: restUntil, perCampaign: 9 })).toHaveLength(1);
  });
}
