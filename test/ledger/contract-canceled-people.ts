import { describe, expect, it } from 'vitest';
import { rejected, requeued, sent, uncertain, type World } from './contract-world.ts';
import { DAY, reminderWorld } from './reminder-world.ts';

const NUMBER = '254700000001';
const BY_HAND = 'canceled canceled by hand';

/** `cancel --mobile`: the order outlives every way on which a message of that person could be queued again. */
export function canceledPeopleContract(world: () => World): void {
  const { dateOf, reminder, launch, upload, correct, rowsOf, refuse, refused } = reminderWorld(world);
  const cancel = (campaign: { n: number }, person: object) =>
    world().ledger.cancelPerson(campaign.n, { ...world().operator, ...person });
  const sound = async () => expect(await (await world().reader()).violations(null)).toEqual([]);

  async function claimAll() {
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker);
    return { worker, lease, messages };
  }

  describe('a person who is canceled', () => {
    it('gets none of the waiting messages, and the others get theirs', async () => {
      const campaign = await launch([
        { who: 1, day: 0 },
        { who: 1, day: 2 },
        { who: 2, day: 0 },
      ]);
      expect(await cancel(campaign, { mobile: NUMBER })).toMatchObject({ people: 1, messages: 2, queued: 2 });
      expect(await cancel(campaign, { mobile: NUMBER })).toMatchObject({ messages: 2, queued: 0 });
      expect((await claimAll()).messages.map(({ mobile }) => mobile)).toEqual(['254700000002']);
      const orders = await world().open.sql("SELECT detail FROM audit WHERE verb = 'cancel_person'");
      expect(orders).toHaveLength(1);
      await sound();
    });

    it('stays canceled when the last message was theirs: the campaign is finished', async () => {
      const campaign = await launch([{ who: 1, day: 1 }]);
      await cancel(campaign, { line: 2 });
      expect(await world().ledger.latestNamed('rent')).toMatchObject({ settled: true });
    });

    it('is canceled when the message in flight comes back unsent', async () => {
      const campaign = await launch([{ who: 1, day: 0 }]);
      const { worker, lease, messages } = await claimAll();
      expect(await cancel(campaign, { mobile: NUMBER })).toMatchObject({ queued: 0, sending: 1 });
      await world().record(
        worker,
        messages.map((message) => requeued(campaign, message, world().now)),
      );
      expect(await rowsOf(campaign)).toEqual([`1  ${dateOf(0)} ${BY_HAND}`]);
      await world().ledger.releaseBatch({ ...lease, now: world().now });
      expect(await world().ledger.dueBatches({ now: world().now + DAY, perCampaign: 9 })).toEqual([]);
      await sound();
    });

    it('is found by any of several numbers, and gets nothing at the one that was written to', async () => {
      const campaign = await launch([
        { who: 1, others: [7], day: 0 },
        { who: 2, day: 0 },
      ]);
      const { worker, messages } = await claimAll();
      expect(await cancel(campaign, { mobile: '254700000007' })).toMatchObject({ people: 1, sending: 1 });
      await world().record(
        worker,
        messages.map((message) => requeued(campaign, message, world().now)),
      );
      expect((await rowsOf(campaign)).map((row) => row.includes(BY_HAND))).toEqual([true, false]);
      await sound();
    });

    it('is not retried', async () => {
      const campaign = await refused([
        { who: 1, day: 0 },
        { who: 2, day: 0 },
      ]);
      expect(await cancel(campaign, { mobile: NUMBER })).toMatchObject({ messages: 1, queued: 0 });
      expect(await world().ledger.retry(campaign.n, world().operator)).toBe(1);
      expect((await claimAll()).messages.map(({ mobile }) => mobile)).toEqual(['254700000002']);
    });

    it('is not sent to again after resolve --not-sent, and what a late answer says counts', async () => {
      const campaign = await launch([
        { who: 1, day: 0 },
        { who: 1, day: 0, key: 'b' },
      ]);
      const { worker, lease, messages } = await claimAll();
      await world().record(
        worker,
        messages.map((message) => uncertain(campaign, message)),
      );
      await world().ledger.releaseBatch({ ...lease, now: world().now });
      expect(await cancel(campaign, { mobile: NUMBER })).toMatchObject({ uncertain: 2 });
      await world().record(worker, [sent(campaign, messages[1] as never)]);
      const change = { ...world().operator, before: world().now + 1, decision: 'not_sent' as const };
      await world().ledger.resolve(campaign.n, change);
      expect(await rowsOf(campaign)).toEqual([`1  ${dateOf(0)} ${BY_HAND}`, `1 b ${dateOf(0)} sent`]);
      expect(await world().ledger.dueBatches({ now: world().now + DAY, perCampaign: 9 })).toEqual([]);
      await sound();
    });

    it('is not brought back by corrected contacts, and not added under another date', async () => {
      const campaign = await launch([
        { who: 1, day: 1 },
        { who: 2, day: 1 },
      ]);
      await cancel(campaign, { mobile: NUMBER });
      const rows = [
        { who: 1, day: 1 },
        { who: 1, day: 4 },
        { who: 2, day: 1 },
      ];
      const compared = await world().ledger.compareReminders(campaign.n, rows.map(reminder), world().now);
      expect(compared.map(({ goes, staysCanceled = false }) => [goes, staysCanceled])).toEqual([
        [false, true],
        [false, true],
        [true, false],
      ]);
      await correct(campaign, rows);
      expect(await rowsOf(campaign)).toEqual([
        `1  ${dateOf(1)} ${BY_HAND}`,
        `2  ${dateOf(1)} queued`,
        `1  ${dateOf(4)} ${BY_HAND}`,
      ]);
      await sound();
    });

    it('whose reminder is left out, moved and moved back stays canceled', async () => {
      const campaign = await launch(
        [
          { who: 1, day: 1, key: 'a' },
          { who: 2, day: 9, key: 'z' },
        ],
        { keyed: true },
      );
      await correct(
        campaign,
        [
          { who: 1, day: 2, key: 'a' },
          { who: 2, day: 9, key: 'z' },
        ],
        { keyed: true },
      );
      await cancel(campaign, { mobile: NUMBER, occurrence: dateOf(2) });
      for (const day of [1, 5]) {
        const rows = [
          { who: 1, day, key: 'a' },
          { who: 2, day: 9, key: 'z' },
        ];
        await correct(campaign, rows, { keyed: true });
      }
      await correct(campaign, [{ who: 2, day: 9, key: 'z' }], { keyed: true });
      await correct(
        campaign,
        [
          { who: 1, day: 1, key: 'a' },
          { who: 2, day: 9, key: 'z' },
        ],
        { keyed: true },
      );
      const mine = (await rowsOf(campaign)).filter((row) => row.startsWith('1 '));
      expect(mine).toHaveLength(3);
      for (const row of mine) expect(row).toContain(' canceled ');
      await sound();
    });

    it('whose reminder was refused or is uncertain gets it under no other date', async () => {
      const rows = [
        { who: 1, day: 0, key: 'a' },
        { who: 2, day: 9, key: 'z' },
      ];
      const moved = rows.map((row) => (row.who === 1 ? { ...row, day: 3 } : row));
      for (const verdict of [refuse, uncertain]) {
        const campaign = await launch(rows, { keyed: true });
        const { worker, lease, messages } = await claimAll();
        await world().record(
          worker,
          messages.map((message) => verdict(campaign, message)),
        );
        await world().ledger.releaseBatch({ ...lease, now: world().now });
        await cancel(campaign, { key: 'a', occurrence: dateOf(0) });
        await correct(campaign, moved, { keyed: true });
        const change = { ...world().operator, before: world().now + 1, decision: 'not_sent' as const };
        await world().ledger.resolve(campaign.n, change);
        await world().ledger.retry(campaign.n, world().operator);
        const queued = (await rowsOf(campaign)).filter((row) => row.endsWith('queued'));
        expect(queued).toEqual([`2 z ${dateOf(9)} queued`]);
        await sound();
        await world().ledger.cancel(campaign.n, world().operator);
      }
    });

    it('is canceled also by an order that comes between an upload and its laying', async () => {
      const campaign = await launch([
        { who: 1, day: 1 },
        { who: 2, day: 1 },
      ]);
      expect(await upload(campaign, [{ who: 1, day: 3 }])).toBe(true);
      await cancel(campaign, { mobile: NUMBER });
      const other = await world().open.another();
      expect(await other.applyUploads(world().now)).toBe(true);
      await other.close();
      expect((await rowsOf(campaign)).filter((row) => row.includes('queued'))).toEqual([]);
      await sound();
    });

    it('by key is canceled under every number, of one date only where it is named', async () => {
      const campaign = await launch([
        { who: 1, day: 1, key: 'a (-2d)' },
        { who: 1, day: 1, key: 'b' },
        { who: 2, day: 2, key: 'b' },
      ]);
      expect(await cancel(campaign, { key: 'a' })).toMatchObject({ messages: 0 });
      expect(await cancel(campaign, { key: 'b', occurrence: dateOf(1) })).toMatchObject({ queued: 1 });
      await correct(campaign, [
        { who: 1, day: 1, key: 'a (-2d)' },
        { who: 3, day: 1, key: 'b' },
        { who: 2, day: 2, key: 'b' },
      ]);
      expect(await rowsOf(campaign)).toEqual([
        `1 a (-2d) ${dateOf(1)} queued`,
        `1 b ${dateOf(1)} ${BY_HAND}`,
        `2 b ${dateOf(2)} queued`,
        `3 b ${dateOf(1)} ${BY_HAND}`,
      ]);
    });

    it('by the key of a series is no other key that begins with it', async () => {
      const campaign = await launch(
        [
          { who: 1, day: 3, key: 'INV (-2d)' },
          { who: 2, day: 3, key: 'INV (copy) (-2d)' },
        ],
        { keyed: true, series: ['-2d', '0d'] },
      );
      expect(await cancel(campaign, { key: 'INV' })).toMatchObject({ messages: 1 });
    });

    it('is nobody in another campaign, and a purge forgets the number', async () => {
      const campaign = await launch([{ who: 1, day: 1 }]);
      await cancel(campaign, { mobile: NUMBER });
      const next = await launch([{ who: 1, day: 1 }]);
      expect(await world().states(next.n)).toEqual({ queued: 1 });
      await world().ledger.purgeCampaign(campaign.n, world().operator);
      expect(await world().open.sql('SELECT * FROM canceled_person')).toEqual([]);
      const told = await world().open.sql('SELECT detail FROM audit WHERE campaign = ?', [campaign.n]);
      expect(JSON.stringify(told)).not.toContain(NUMBER);
    });

    it('is in no later firing of a recurring job, and in no retry of one', async () => {
      const every = { cron: '0 9 * * *' };
      const at = world().now + DAY;
      const schedule = await world().launch(3, { name: 'weekly', settings: { every }, startAt: at });
      const [{ mobile } = { mobile: '' }] = await world().open.sql(
        'SELECT mobile FROM message WHERE campaign = ? AND seq = 2',
        [schedule.n],
      );
      expect(await cancel(schedule, { mobile })).toMatchObject({ queued: 1 });
      expect(await cancel(schedule, { mobile })).toMatchObject({ queued: 0 });
      expect(await world().states(schedule.n)).toEqual({ queued: 3 });
      world().now = at;
      const fired = await world().ledger.fire({
        schedule: schedule.n,
        nextAt: at,
        fireAt: at,
        missed: [],
        followingAt: at + DAY,
        id: 'without-one',
        name: 'weekly 1',
        now: at,
      });
      expect(await world().states(fired?.n ?? 0)).toEqual({ canceled: 1, queued: 2 });
      const { worker, messages } = await claimAll();
      expect(messages.map((message) => message.mobile)).not.toContain(mobile);
      await world().record(
        worker,
        messages.map((message) => rejected(fired as never, message, true)),
      );
      expect(await cancel(fired as never, { mobile: messages[0]?.mobile })).toMatchObject({ messages: 1 });
      expect(await world().ledger.retry(fired?.n ?? 0, world().operator)).toBe(1);
      await sound();
    });

    it('is refused where each firing reads its contacts anew', async () => {
      const every = { cron: '0 9 * * *', reread: { job: 'j', contacts: 'c', countries: ['KE'] } };
      const startAt = world().now + DAY;
      const schedule = await world().launch(1, { name: 'anew', settings: { every }, startAt });
      await expect(cancel(schedule, { line: 2 })).rejects.toMatchObject({ code: 'state_forbids' });
    });
  });
}
