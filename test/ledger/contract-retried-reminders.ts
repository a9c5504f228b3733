import { expect, it } from 'vitest';
import { requeued, sent, uncertain, type World } from './contract-world.ts';
import { DAY, reminderWorld, type Row } from './reminder-world.ts';

/** A reminder goes once, whatever is retried, moved or called not sent. */
export function retriedRemindersContract(world: () => World): void {
  const { dateOf, reminder, stage, launch, correct, rowsOf, sendDue, refuse, refused } = reminderWorld(world);

  it('a retry of an older campaign does not send what a newer one of the job has sent or will send', async () => {
    const older = await refused([1, 2, 3, 4].map((who) => ({ who, day: 0 })));
    const newer = await launch([
      { who: 1, day: 0 },
      { who: 2, day: 0 },
      { who: 3, day: 5 },
    ]);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker, { limit: 1 });
    await world().record(
      worker,
      messages.map((message) => sent(newer, message)),
    );
    expect(await world().ledger.retry(older.n, world().operator)).toBe(2);
    expect(await rowsOf(older)).toEqual([
      `1  ${dateOf(0)} skipped already reminded`,
      `2  ${dateOf(0)} skipped already reminded`,
      `3  ${dateOf(0)} queued`,
      `4  ${dateOf(0)} queued`,
    ]);
    // And the other way round: what the older one sends again is not planned in the newer one as well.
    await correct(
      newer,
      [1, 2, 3, 4].map((who) => ({ who, day: 0 })),
    );
    expect(await rowsOf(newer)).toEqual([
      `1  ${dateOf(0)} sent`,
      `2  ${dateOf(0)} queued`,
      `3  ${dateOf(5)} canceled no longer in the contacts`,
      `3  ${dateOf(0)} skipped already reminded`,
      `4  ${dateOf(0)} skipped already reminded`,
    ]);
  });

  it('with a key a retry asks for the key, whatever its date is now; of a canceled newer campaign only what was sent', async () => {
    const rows = [1, 2].map((who) => ({ who, day: 0, key: 'a' }));
    const older = await refused(rows, { keyed: true });
    const newer = await launch([{ who: 1, day: 5, key: 'a' }], { keyed: true });
    expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
    expect(await rowsOf(older)).toEqual([
      `1 a ${dateOf(0)} skipped already reminded`,
      `2 a ${dateOf(0)} queued`,
    ]);
    await world().ledger.cancel(older.n, world().operator);
    await world().ledger.cancel(newer.n, world().operator);
    const next = await refused(rows, { keyed: true });
    const last = await launch([{ who: 2, day: 5, key: 'a' }], { keyed: true });
    // A cancel that was killed at once: nothing of it is sent any more, though it still waits.
    await world().open.sql("UPDATE campaign SET state = 'canceled', canceled_at = 1 WHERE n = ?", [last.n]);
    expect(await world().ledger.retry(next.n, world().operator)).toBe(2);
  });

  it('with a key a retry is not held back by what a person is reminded of under another key', async () => {
    const older = await refused([{ who: 1, day: 0, key: 'a' }], { keyed: true });
    const newer = await launch([{ who: 1, day: 0, key: 'b' }], { keyed: true });
    expect(await sendDue(newer, sent)).toBe(1);
    expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
  });

  it('a retry of a campaign that reminds anew (--again) is not held back by what older ones sent', async () => {
    const older = await launch([{ who: 1, day: 0 }]);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker);
    await world().record(worker, [sent(older, messages[0] as never)]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    const again = await refused([{ who: 1, day: 0 }]);
    expect(await world().ledger.retry(again.n, world().operator)).toBe(1);
  });

  it('a retry does not send what an older campaign that runs again was given to send', async () => {
    const older = await refused([{ who: 1, day: 0 }]);
    const newer = await refused([{ who: 2, day: 0 }]);
    expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
    const both = [1, 2].map((who) => ({ who, day: 0 }));
    await correct(older, both);
    expect(await world().ledger.retry(newer.n, world().operator)).toBe(0);
    expect(await rowsOf(older)).toEqual([`1  ${dateOf(0)} queued`, `2  ${dateOf(0)} queued`]);
  });

  it('neither a retry nor a correction is held back by a campaign of the name that reminds of nothing', async () => {
    const older = await refused([{ who: 1, day: 0 }], { keyed: true });
    const plain = await world().launch(2);
    expect(await sendDue(plain, sent)).toBe(2);
    await world().open.sql("UPDATE campaign SET name = 'rent' WHERE n = ?", [plain.n]);
    expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
    const both = [1, 2].map((who) => ({ who, day: 0 }));
    await correct(older, both, { keyed: true });
    expect(await rowsOf(older)).toEqual([`1  ${dateOf(0)} queued`, `2  ${dateOf(0)} queued`]);
  });

  it('a retry of one reason leaves what was refused for another as it is, whoever else reminds', async () => {
    const rows = [1, 2].map((who) => ({ who, day: 0 }));
    const older = await refused(rows);
    await world().open.sql("UPDATE message SET reason = 'other' WHERE seq = 2");
    await launch(rows);
    expect(await world().ledger.retry(older.n, { ...world().operator, reason: 'other' })).toBe(0);
    expect((await rowsOf(older)).map((row) => row.replace(/^.*-\d\d /, ''))).toEqual([
      'rejected invalid mobile',
      'skipped already reminded',
    ]);
  });

  it('with a key a retry does not send the old date of a reminder that was moved', async () => {
    const campaign = await launch(
      [
        { who: 1, day: 0, key: 'a' },
        { who: 2, day: 9, key: 'a' },
      ],
      { keyed: true },
    );
    expect(await sendDue(campaign, refuse)).toBe(1);
    const moved = [
      { who: 1, day: 1, key: 'a' },
      { who: 2, day: 9, key: 'a' },
    ];
    await correct(campaign, moved, { keyed: true });
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(0);
    const first = `1 a ${dateOf(0)} skipped already reminded`;
    const other = `2 a ${dateOf(9)} queued`;
    expect(await rowsOf(campaign)).toEqual([first, other, `1 a ${dateOf(1)} queued`]);
    await world().verify();
  });

  it('with a key a retry of both dates of a reminder sends the last one, once', async () => {
    const campaign = await launch(
      [
        { who: 1, day: 0, key: 'a' },
        { who: 2, day: 9, key: 'a' },
      ],
      { keyed: true },
    );
    const [first, moved] = [dateOf(0), dateOf(1)];
    expect(await sendDue(campaign, refuse)).toBe(1);
    await correct(
      campaign,
      [
        { who: 1, day: 1, key: 'a' },
        { who: 2, day: 9, key: 'a' },
      ],
      { keyed: true },
    );
    world().now += DAY;
    expect(await sendDue(campaign, refuse)).toBe(1);
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(1);
    expect((await rowsOf(campaign)).filter((row) => row.startsWith('1 '))).toEqual([
      `1 a ${first} skipped already reminded`,
      `1 a ${moved} queued`,
    ]);
    expect(await sendDue(campaign, sent)).toBe(1);
    await world().verify();
  });

  it('refused in an older and in a newer campaign, and retried in both, goes once', async () => {
    const older = await refused([{ who: 1, day: 0 }]);
    world().now += 1_000;
    const newer = await refused([{ who: 1, day: 0 }]);
    world().now += 1_000;
    expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
    // As long as it waits, and when it is sent.
    expect(await world().ledger.retry(newer.n, world().operator)).toBe(0);
    expect(await sendDue(older, sent)).toBe(1);
    expect(await rowsOf(newer)).toEqual([`1  ${dateOf(0)} skipped already reminded`]);

    const other = await refused([{ who: 2, day: 0 }]);
    world().now += 1_000;
    const latest = await refused([{ who: 2, day: 0 }]);
    world().now += 1_000;
    expect(await world().ledger.retry(other.n, world().operator)).toBe(1);
    expect(await sendDue(other, sent)).toBe(1);
    expect(await world().ledger.retry(latest.n, world().operator)).toBe(0);
  });

  it('what is retried when its day is over holds no newer date back: nobody would remind', async () => {
    const person = [{ who: 1, day: 0, key: 'a' }];
    const older = await refused(person, { keyed: true });
    world().now += DAY;
    const newer = await refused(person, { keyed: true });
    expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
    expect(await world().ledger.retry(newer.n, world().operator)).toBe(1);
    expect(await rowsOf(newer)).toEqual([`1 a ${dateOf(0)} queued`]);
    expect(await rowsOf(older)).toEqual([`1 a ${dateOf(-1)} skipped moment past`]);
  });

  it('what an older campaign was made to send is not sent by a newer one, though the service throttled it meanwhile', async () => {
    const older = await refused([{ who: 1, day: 0 }]);
    world().now += 1_000;
    const newer = await refused([{ who: 1, day: 0 }]);
    expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
    expect(await sendDue(older, requeued)).toBe(1);
    expect(await world().ledger.retry(newer.n, world().operator)).toBe(0);
    expect(await rowsOf(newer)).toEqual([`1  ${dateOf(0)} skipped already reminded`]);
  });

  it.each([
    ['sent', [sent]],
    ['may have sent', [uncertain]],
    ['has on the wire', []],
  ])(
    'what a newer campaign %s anew (--again) is not sent by an older one of which it is called not sent',
    async (_, verdicts) => {
      const older = await launch([1, 2].map((who) => ({ who, day: 0 })));
      expect(await sendDue(older, uncertain)).toBe(2);
      world().now += 1_000;
      const again = await launch([{ who: 1, day: 0 }]);
      const worker = await world().worker();
      const { messages } = await world().claim(await world().lease(worker), worker);
      const outcomes = verdicts.map((verdict) => verdict(again, messages[0] as never));
      if (outcomes.length > 0) await world().record(worker, outcomes);
      world().now += 1_000;
      const decision = { ...world().operator, decision: 'not_sent', before: world().now } as const;
      expect(await world().ledger.resolve(older.n, decision)).toEqual({ resolved: 2, tooYoung: 0 });
      expect(await rowsOf(older)).toEqual([
        `1  ${dateOf(0)} skipped already reminded`,
        `2  ${dateOf(0)} queued`,
      ]);
      expect(await sendDue(older, sent)).toBe(1);
      await world().verify();
    },
  );

  it('called not sent it goes in its own campaign, though a retry of an older one was skipped for it', async () => {
    const older = await refused([1, 2].map((who) => ({ who, day: 0 })));
    world().now += 1_000;
    const newer = await launch([{ who: 1, day: 0 }]);
    expect(await sendDue(newer, uncertain)).toBe(1);
    world().now += 1_000;
    expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
    const decision = { ...world().operator, decision: 'not_sent', before: world().now } as const;
    await world().ledger.resolve(newer.n, decision);
    expect(await rowsOf(newer)).toEqual([`1  ${dateOf(0)} queued`]);
    expect((await rowsOf(older))[0]).toBe(`1  ${dateOf(0)} skipped already reminded`);
  });

  it.each(['sent', 'write_off'] as const)(
    'what a newer campaign left to an older one stays so by %s',
    async (decision) => {
      const row = { who: 1, day: 0 };
      const older = await launch([row]);
      expect(await sendDue(older, uncertain)).toBe(1);
      const newer = await launch([{ ...row, skip: 'already reminded' }]);
      await world().ledger.resolve(older.n, { ...world().operator, decision, before: 0 });
      expect(await rowsOf(newer)).toEqual([`1  ${dateOf(0)} skipped already reminded`]);
      // What went, or may have, is nothing that an unchanged upload would pay for again.
      const asked = [reminder(row, 0)];
      expect(await world().ledger.compareReminders(older.n, asked, world().now)).toMatchObject([
        { verdict: 'unchanged', goes: false },
      ]);
    },
  );

  it('called not sent, what a newer campaign has sent is not brought back in the newest, which left it to both', async () => {
    const skipped = `1  ${dateOf(0)} skipped already reminded`;
    const row = { who: 1, day: 0 };
    const older = await launch([row]);
    expect(await sendDue(older, uncertain)).toBe(1);
    world().now += 1_000;
    const again = await launch([row]);
    expect(await sendDue(again, sent)).toBe(1);
    world().now += 1_000;
    const newest = await launch([{ ...row, skip: 'already reminded' }]);
    const decided = { ...world().operator, decision: 'not_sent', before: world().now } as const;
    await world().ledger.resolve(older.n, decided);
    expect([...(await rowsOf(older)), ...(await rowsOf(newest))]).toEqual([skipped, skipped]);
  });

  it('called not sent it goes in its own campaign, though another job skipped its own to the same person', async () => {
    const rent = await launch([{ who: 1, day: 0 }]);
    expect(await sendDue(rent, uncertain)).toBe(1);
    const rows: Row[] = [
      { who: 1, day: 0, skip: 'already reminded' },
      { who: 2, day: 0 },
    ];
    const fees = await launch(rows);
    await world().open.sql("UPDATE campaign SET name = 'fees' WHERE n = ?", [fees.n]);
    const decision = { ...world().operator, decision: 'not_sent', before: world().now } as const;
    await world().ledger.resolve(rent.n, decision);
    expect(await rowsOf(rent)).toEqual([`1  ${dateOf(0)} queued`]);
  });

  it('what another campaign has on the wire counts as reminded, and what nobody has launched does not', async () => {
    await launch([{ who: 1, day: 0 }]);
    const worker = await world().worker();
    expect((await world().claim(await world().lease(worker), worker)).messages).toHaveLength(1);
    const draft = await stage([{ who: 2, day: 0 }]);
    await world().ledger.arrangeReminders(draft.n, world().now);
    const rows = [1, 2].map((who) => reminder({ who, day: 0 }, 0));
    const asked = { name: 'rent', keyed: false, rows, now: world().now };
    expect(await world().ledger.remindedBefore(asked)).toEqual([true, false]);
  });

  it('what an older campaign sends while a newer one is planned refuses its launch, which did not know of that', async () => {
    const older = await refused([{ who: 1, day: 0 }]);
    const draft = await stage([{ who: 1, day: 0 }]);
    await world().ledger.arrangeReminders(draft.n, world().now);
    world().now += 1_000;
    expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
    expect(await sendDue(older, sent)).toBe(1);
    await expect(world().activate(draft, 1)).rejects.toThrow(
      /sent reminders, or had some called not sent, while these contacts were compared/,
    );
    await world().ledger.discardDraft(draft.n);
    expect(await launch([{ who: 2, day: 0 }])).toMatchObject({ state: 'running' });
  });

  it('what is called not sent of an older campaign while a newer one is planned refuses its launch, which skips it as reminded', async () => {
    const older = await launch([{ who: 1, day: 0, key: 'a' }], { keyed: true });
    expect(await sendDue(older, uncertain)).toBe(1);
    world().now += DAY;
    const { audited: since } = await world().ledger.facts();
    const draft = await stage([{ who: 1, day: 3, key: 'a', skip: 'already reminded' }], { keyed: true });
    await world().ledger.arrangeReminders(draft.n, world().now);
    const decided = { ...world().operator, decision: 'not_sent', before: world().now } as const;
    await world().ledger.resolve(older.n, decided);
    // Its day is over: the claim skips it.
    expect(await sendDue(older, sent)).toBe(0);
    await expect(world().activate(draft, 1, { since })).rejects.toThrow(/had some called not sent/);
    await world().ledger.discardDraft(draft.n);
  });

  it('what an older campaign sent while the clock was ahead refuses no launch once it is set right', async () => {
    const older = await launch([{ who: 1, day: 30 }]);
    world().now += 30 * DAY;
    expect(await sendDue(older, sent)).toBe(1);
    world().now -= 30 * DAY;
    expect(await launch([{ who: 2, day: 0 }])).toMatchObject({ state: 'running' });
  });

  it('what is sent after the clock was set right is no earlier than a campaign that began while it was ahead', async () => {
    const keyed = { keyed: true };
    const older = await refused([{ who: 1, day: 0, key: 'a' }], keyed);
    const right = world().now;
    world().now += 2 * DAY;
    const newer = await launch([{ who: 1, day: 3, key: 'a' }], keyed);
    await correct(newer, [{ who: 2, day: 9, key: 'b' }], keyed);
    world().now = right + 1_000;
    expect(await world().ledger.retry(older.n, world().operator)).toBe(1);
    expect(await sendDue(older, sent)).toBe(1);
    // With the first heartbeat after that.
    world().now += 5_000;
    await world().ledger.clockSetBack(() => world().now);
    const again = [
      { who: 1, day: 4, key: 'a' },
      { who: 2, day: 9, key: 'b' },
    ];
    await correct(newer, again, keyed);
    expect((await rowsOf(newer)).at(-2)).toBe(`1 a ${dateOf(4)} skipped already reminded`);
    await world().verify();
  });
}
