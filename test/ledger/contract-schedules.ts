import { describe, expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import { ACCOUNT, rejected, sent, type World } from './contract-world.ts';
import { DAY, reminderWorld } from './reminder-world.ts';

let ids = 0;

/** Reminders, corrected uploads and recurring jobs: whatever has a due time is a row of the ledger. */
export function scheduleContract(world: () => World): void {
  const { dateOf, reminder, stage, launch, upload, correct, rowsOf, refused } = reminderWorld(world);

  describe('reminders', () => {
    it('are due in order of their moments, one moment a batch, whatever the order of the file', async () => {
      await launch([
        { who: 1, day: 3 },
        { who: 2, day: 1 },
        { who: 3, day: 2 },
        { who: 4, day: 1 },
      ]);
      const due = async () => (await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).length;
      expect(await due()).toBe(0);
      world().now += DAY;
      expect(await due()).toBe(1);
      const worker = await world().worker();
      const lease = await world().lease(worker);
      const claim = await world().claim(lease, worker);
      expect(claim.messages.map(({ mobile }) => mobile)).toEqual(['254700000002', '254700000004']);
    });

    it('that wait are counted by their moments in a span, of open campaigns', async () => {
      const begun = world().now;
      const { n } = await launch([
        { who: 1, day: 1 },
        { who: 2, day: 1 },
        { who: 3, day: 2 },
        { who: 4, day: 9 },
      ]);
      const reader = await world().reader();
      const due = async (limit = 99) =>
        (await reader.remindersDue({ from: begun, to: begun + 5 * DAY, limit })).map(
          ({ campaign, at, messages }) => [campaign, at - begun, messages],
        );
      expect(await due()).toEqual([
        [n, DAY, 2],
        [n, 2 * DAY, 1],
      ]);
      expect(await due(1)).toHaveLength(1);
      await world().ledger.cancelPerson(n, { ...world().operator, mobile: '254700000001' });
      expect(await due(1)).toEqual([[n, DAY, 1]]);
      await world().ledger.cancel(n, world().operator);
      expect(await due()).toEqual([]);
    });

    it('are skipped when their day is over, and never sent late', async () => {
      const campaign = await launch([
        { who: 1, day: 1 },
        { who: 2, day: 2 },
        { who: 3, day: 1 },
      ]);
      await world().open.sql(
        "UPDATE message SET state = 'skipped', actor = 'claimer', reason = 'same text', settled_at = 1 WHERE mobile LIKE '%3'",
      );
      world().now += 1.6 * DAY;
      const worker = await world().worker();
      const lease = await world().lease(worker);
      expect((await world().claim(lease, worker)).messages).toEqual([]);
      await world().ledger.releaseBatch({ ...lease, now: world().now });
      expect(await rowsOf(campaign)).toEqual([
        expect.stringMatching(/^1 .* skipped moment past$/),
        expect.stringMatching(/^3 .* skipped same text$/),
        expect.stringMatching(/^2 .* queued$/),
      ]);
    });

    it('of more than one step are all laid', async () => {
      const campaign = await launch(Array.from({ length: 2_001 }, (_, who) => ({ who, day: 1 })));
      expect(await world().states(campaign.n)).toEqual({ queued: 2_001 });
    });

    it('that are skipped at once settle: nothing is left of a campaign of only such', async () => {
      const campaign = await launch([{ who: 1, day: -1, skip: 'moment past' }]);
      expect(await world().ledger.latestNamed('rent')).toMatchObject({
        campaign: { n: campaign.n },
        settled: true,
      });
    });

    it('of the same person are duplicates by date, and with a key by the key', async () => {
      const plain = await stage([
        { who: 0, day: 1 },
        { who: 1, day: 0 },
        { who: 1, day: 1 },
      ]);
      const again = [
        { who: 1, day: 1 },
        { who: 1, day: 2 },
      ].map((row, index) => reminder(row, index + 7));
      expect(await world().ledger.stageReminders(plain.n, again)).toEqual([{ line: 9, keptLine: 4 }]);
      const keyed = await stage(
        ['0', 'a'].map((key) => ({ who: 1, day: 1, key })),
        { keyed: true },
      );
      const other = [
        { who: 1, day: 2, key: 'a' },
        { who: 1, day: 2, key: 'b' },
      ];
      expect(await world().ledger.stageReminders(keyed.n, other.map(reminder))).toEqual([
        { line: 2, keptLine: 3 },
      ]);
    });

    it('of a discarded draft are gone', async () => {
      const draft = await stage([{ who: 1, day: 1 }]);
      await world().ledger.discardDraft(draft.n);
      expect(await world().open.sql('SELECT * FROM staged')).toEqual([]);
      expect(await world().ledger.campaign(draft.n)).toBeNull();
    });
  });

  describe('a corrected upload', () => {
    it('without a key: new, unchanged and canceled; a new date is a reminder of its own', async () => {
      const campaign = await launch([
        { who: 1, day: 1 },
        { who: 2, day: 1 },
        { who: 3, day: 1 },
      ]);
      await correct(campaign, [
        { who: 1, day: 1 },
        { who: 2, day: 5 },
        { who: 4, day: 2 },
      ]);
      expect(await rowsOf(campaign)).toEqual([
        `1  ${dateOf(1)} queued`,
        `2  ${dateOf(1)} canceled no longer in the contacts`,
        `3  ${dateOf(1)} canceled no longer in the contacts`,
        `4  ${dateOf(2)} queued`,
        `2  ${dateOf(5)} queued`,
      ]);
      expect(await (await world().reader()).uploads(campaign.n)).toEqual({
        read: 6,
        planned: 5,
        unchanged: 1,
        duplicate: 0,
        invalid: 0,
        suppressed: 0,
      });
    });

    it('what an earlier campaign of the job sent is skipped, not what it only planned', async () => {
      const earlier = await launch([
        { who: 1, day: 0, key: 'a' },
        { who: 2, day: 0, key: 'a' },
        { who: 3, day: 0, key: 'a' },
      ]);
      const worker = await world().worker();
      const lease = await world().lease(worker);
      const { messages } = await world().claim(lease, worker, { limit: 2 });
      const [one, two] = messages;
      await world().record(worker, [sent(earlier, one as never), rejected(earlier, two as never, false)]);
      await world().ledger.releaseBatch({ ...lease, now: world().now });
      await world().ledger.cancel(earlier.n, world().operator);
      const identity = (who: number, day: number, key = 'a') => {
        return { mobile: String(254_700_000_000 + who), key, occurrence: dateOf(day) };
      };
      const rows = [identity(1, 0), identity(1, 4), identity(1, 0, 'b'), identity(2, 0), identity(3, 0)];
      const ask = (name: string, keyed: boolean) =>
        world().ledger.remindedBefore({ name, keyed, rows, now: world().now });
      expect(await ask('rent', false)).toEqual([true, false, false, false, false]);
      expect(await ask('rent', true)).toEqual([true, true, false, false, false]);
      expect(await ask('other', true)).toEqual([false, false, false, false, false]);

      const campaign = await launch([{ who: 9, day: 3, key: 'a' }]);
      const corrected = [
        { who: 9, day: 3, key: 'a' },
        { who: 1, day: 0, key: 'a' },
        { who: 2, day: 0, key: 'a' },
      ];
      const asked = [identity(1, 0), identity(2, 0)];
      const compared = await world().ledger.compareReminders(campaign.n, asked, world().now);
      expect(compared.map(({ verdict, goes }) => [verdict, goes])).toEqual([
        ['already reminded', false],
        ['new', true],
      ]);
      await correct(campaign, corrected);
      expect(await rowsOf(campaign)).toEqual([
        `9 a ${dateOf(3)} queued`,
        `1 a ${dateOf(0)} skipped already reminded`,
        `2 a ${dateOf(0)} queued`,
      ]);
    });

    it('what was canceled here and sent by an older campaign meanwhile does not come back', async () => {
      const older = await refused([{ who: 1, day: 0 }]);
      const newer = await launch([
        { who: 1, day: 0 },
        { who: 2, day: 0 },
      ]);
      await correct(newer, [{ who: 2, day: 0 }]);
      expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
      await correct(newer, [
        { who: 1, day: 0 },
        { who: 2, day: 0 },
      ]);
      expect(await rowsOf(newer)).toEqual([
        `1  ${dateOf(0)} skipped already reminded`,
        `2  ${dateOf(0)} queued`,
      ]);
    });

    it('with a key: a changed date moves the reminder, and moves it back', async () => {
      const campaign = await launch([{ who: 1, day: 1, key: 'a' }], { keyed: true });
      await correct(campaign, [{ who: 1, day: 3, key: 'a' }], { keyed: true });
      expect(await rowsOf(campaign)).toEqual([`1 a ${dateOf(1)} canceled moved`, `1 a ${dateOf(3)} queued`]);
      await correct(campaign, [{ who: 1, day: 1, key: 'a' }], { keyed: true });
      expect(await rowsOf(campaign)).toEqual([`1 a ${dateOf(1)} queued`, `1 a ${dateOf(3)} canceled moved`]);
      world().now += DAY;
      expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).toHaveLength(1);
    });

    it('with a key: what was sent is not sent again under another date', async () => {
      const campaign = await launch(
        [
          { who: 1, day: 0, key: 'a' },
          { who: 2, day: 2, key: 'a' },
        ],
        { keyed: true },
      );
      const worker = await world().worker();
      const lease = await world().lease(worker);
      const claim = await world().claim(lease, worker);
      await world().record(
        worker,
        claim.messages.map((message) => sent(campaign, message)),
      );
      await world().ledger.releaseBatch({ ...lease, now: world().now });
      const moved = [
        { who: 1, day: 3, key: 'a' },
        { who: 2, day: 2, key: 'a' },
      ];
      const draft = moved.map(reminder);
      expect(await world().ledger.compareReminders(campaign.n, draft, world().now)).toMatchObject([
        { verdict: 'already reminded', kept: null, open: [] },
        { verdict: 'unchanged', kept: 2, open: [2] },
      ]);
      await correct(campaign, moved, { keyed: true });
      expect(await rowsOf(campaign)).toEqual([
        `1 a ${dateOf(0)} sent`,
        `2 a ${dateOf(2)} queued`,
        `1 a ${dateOf(3)} skipped already reminded`,
      ]);
    });

    it('that leaves a row out and names it again later brings it back once', async () => {
      const campaign = await launch([
        { who: 1, day: 1 },
        { who: 2, day: 1 },
      ]);
      await correct(campaign, [{ who: 1, day: 1 }]);
      await correct(campaign, [
        { who: 1, day: 1 },
        { who: 2, day: 1 },
      ]);
      expect(await rowsOf(campaign)).toEqual([`1  ${dateOf(1)} queued`, `2  ${dateOf(1)} queued`]);
      expect(await (await world().reader()).violations(null)).toEqual([]);
    });

    it('killed in the middle is claimed from by nobody until somebody finished it', async () => {
      const campaign = await launch([
        { who: 1, day: 0 },
        { who: 2, day: 0 },
      ]);
      const worker = await world().worker();
      const lease = await world().lease(worker);
      expect(await upload(campaign, [{ who: 1, day: 4 }])).toBe(true);
      expect(await world().claim(lease, worker)).toMatchObject({ messages: [], stop: 'lost' });
      expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).toEqual([]);
      // Another process, with nothing but the ledger.
      const other = await world().open.another();
      expect(await other.applyUploads(world().now)).toBe(true);
      await other.close();
      expect(await rowsOf(campaign)).toEqual([
        `1  ${dateOf(0)} canceled no longer in the contacts`,
        `2  ${dateOf(0)} canceled no longer in the contacts`,
        `1  ${dateOf(4)} queued`,
      ]);
      expect(await world().open.sql('SELECT * FROM applying')).toEqual([]);
      expect(await world().open.sql("SELECT * FROM campaign WHERE state = 'draft'")).toEqual([]);
    });

    it('waits for what is on the wire, and does not tear a message out of it', async () => {
      const campaign = await launch([{ who: 1, day: 0, key: 'a' }], { keyed: true });
      const worker = await world().worker();
      const lease = await world().lease(worker);
      const claim = await world().claim(lease, worker);
      expect(claim.messages).toHaveLength(1);
      expect(await upload(campaign, [{ who: 1, day: 4, key: 'a' }], { keyed: true })).toBe(true);
      expect(await world().ledger.applyUploads(world().now)).toBe(false);
      await world().record(
        worker,
        claim.messages.map((message) => sent(campaign, message)),
      );
      expect(await world().ledger.applyUploads(world().now)).toBe(true);
      expect(await rowsOf(campaign)).toEqual([
        `1 a ${dateOf(0)} sent`,
        `1 a ${dateOf(4)} skipped already reminded`,
      ]);
    });

    it('that waits keeps its campaign from being called finished, though all that it had is settled', async () => {
      const campaign = await launch([{ who: 1, day: 0 }]);
      const worker = await world().worker();
      const { messages } = await world().claim(await world().lease(worker), worker);
      expect(await upload(campaign, [{ who: 1, day: 4 }])).toBe(true);
      await world().record(
        worker,
        messages.map((message) => sent(campaign, message)),
      );
      const reader = await world().reader();
      const waits = { state: 'running', messages: { queued: 0, sending: 0, sent: 1 }, finishedAt: null };
      expect(await reader.overview(campaign.n)).toMatchObject(waits);
      expect(await reader.campaigns()).toMatchObject([waits]);
      await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
      expect(await reader.overview(campaign.n)).toMatchObject({ state: 'paused', reason: 'operator' });
      await world().ledger.cancel(campaign.n, world().operator);
      expect(await reader.overview(campaign.n)).toMatchObject({ state: 'canceled', finishedAt: null });
      expect(await world().ledger.applyUploads(world().now)).toBe(true);
      expect(await reader.overview(campaign.n)).toMatchObject({
        state: 'canceled',
        messages: { sent: 1, canceled: 1 },
        finishedAt: world().now,
      });
    });

    it('is compared again when messages were put back after the comparison', async () => {
      const campaign = await refused([
        { who: 1, day: 0 },
        { who: 2, day: 0 },
      ]);
      const { audited: since } = await world().ledger.facts();
      const corrected = [{ who: 2, day: 4 }];
      await world().ledger.retry(campaign.n, world().operator);
      expect(await upload(campaign, corrected, { since })).toBe(false);
      expect(await rowsOf(campaign)).toEqual([`1  ${dateOf(0)} queued`, `2  ${dateOf(0)} queued`]);
      expect(await upload(campaign, corrected)).toBe(true);
      await world().ledger.applyUploads(world().now);
    });

    it('of two at once one is accepted', async () => {
      const campaign = await launch([{ who: 1, day: 1 }]);
      const [first, second] = [await stage([{ who: 2, day: 1 }]), await stage([{ who: 3, day: 1 }])];
      const counts = { duplicate: 0, invalid: 0, suppressed: 0 };
      const ask = (draft: Campaign) =>
        world().ledger.beginUpload({
          draft: draft.n,
          campaign: campaign.n,
          before: campaign.hashes.contacts,
          since: 0,
          counts,
          estimatedMicro: null,
          ...world().operator,
        });
      expect([await ask(first), await ask(second)]).toEqual([true, false]);
      await world().ledger.applyUploads(world().now);
      expect(await ask(second)).toBe(false);
      await world().ledger.discardDraft(second.n);
    });
  });

  describe('a recurring job', () => {
    const firing = (schedule: Campaign, at: number, more: object = {}) => ({
      schedule: schedule.n,
      nextAt: at,
      fireAt: at as number | null,
      missed: [] as number[],
      followingAt: at + DAY,
      id: `firing-${(ids += 1)}`,
      name: `weekly ${at}`,
      now: world().now,
      ...more,
    });

    async function recurring(count: number): Promise<Campaign> {
      const every = { cron: '0 9 * * *' };
      return world().launch(count, { name: 'weekly', settings: { every }, startAt: world().now + DAY });
    }

    it('never runs itself: each firing is a campaign of its own with the same rows', async () => {
      const schedule = await recurring(25);
      const at = world().now + DAY;
      expect(await world().ledger.dueSchedules(world().now)).toEqual([]);
      world().now = at;
      expect(await world().ledger.startDue(world().now)).toEqual([]);
      expect(await world().ledger.dueSchedules(world().now)).toMatchObject([
        { nextAt: at, schedule: { n: schedule.n } },
      ]);
      await world().open.sql(
        "INSERT INTO other_number SELECT campaign, '254711999999', key, occurrence, seq FROM message WHERE seq IN (2, 25)",
      );
      const fired = await world().ledger.fire(firing(schedule, at));
      expect(await world().values('other_number', 'seq', `campaign = ${fired?.n}`)).toEqual([2, 25]);
      expect(fired).toMatchObject({ state: 'running', account: ACCOUNT, startAt: at });
      expect(fired?.settings.every).toBeUndefined();
      expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).toHaveLength(3);
      expect(await world().ledger.campaign(schedule.n)).toMatchObject({
        state: 'scheduled',
        startAt: at + DAY,
      });
      const reader = await world().reader();
      expect((await reader.overview(fired?.n ?? 0)).messages.queued).toBe(25);
      expect(await reader.agenda(schedule.n)).toMatchObject({
        schedule: { nextAt: at + DAY, fired: 1, missed: 0, latest: [{ at, campaign: fired?.id }] },
      });
    });

    it('is fired by one of two processes, and what was missed is listed', async () => {
      const schedule = await recurring(1);
      const at = world().now + DAY;
      world().now = at + 2 * DAY;
      const late = firing(schedule, at, {
        fireAt: at + 2 * DAY,
        missed: [at, at + DAY],
        followingAt: at + 3 * DAY,
      });
      const other = await world().open.another();
      const both = await Promise.all([world().ledger.fire(late), other.fire({ ...late, id: 'other' })]);
      await other.close();
      expect(both.filter((campaign) => campaign !== null)).toHaveLength(1);
      const { schedule: agenda } = await (await world().reader()).agenda(schedule.n);
      expect(agenda).toMatchObject({ fired: 1, missed: 2, nextAt: at + 3 * DAY });
    });

    it('fires at the rate that was set', async () => {
      const settings = {
        every: { cron: '0 9 * * *' },
        ratePerSecond: 50,
      };
      const schedule = await world().launch(100, { name: 'weekly', settings, startAt: world().now + DAY });
      await world().ledger.setRate(schedule.n, { ...world().operator, ratePerSecond: 1 });
      world().now += DAY;
      expect(await world().ledger.fire(firing(schedule, world().now))).not.toBeNull();
      const worker = await world().worker();
      const lease = await world().lease(worker);
      let claimed = 0;
      for (let half = 0; half < 8; half += 1) {
        claimed += (await world().claim(lease, worker)).messages.length;
        world().now += 500;
      }
      // One a second for four seconds, and one of the second ahead.
      expect(claimed).toBeLessThanOrEqual(5);
    });

    it('that was canceled fires no more', async () => {
      const schedule = await recurring(3);
      await world().ledger.cancel(schedule.n, world().operator);
      world().now += DAY;
      expect(await world().ledger.dueSchedules(world().now)).toEqual([]);
      expect(await world().ledger.fire(firing(schedule, world().now))).toBeNull();
    });
  });
}
