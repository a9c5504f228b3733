import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { ClaimedMessage, DueBatch } from '../../src/ledger/contracts/sending.ts';
import { PRICE, requeued, sent, uncertain, type World } from './contract-world.ts';
import { reminderWorld, type Row } from './reminder-world.ts';

/** What is retried, called not sent or reminded anew follows the last upload: who it names, on which date, and what it says. */
export function correctedRemindersContract(world: () => World): void {
  const { dateOf, stage, launch, upload, correct, rowsOf, sendDue, refuse, refused } = reminderWorld(world);
  const other = { who: 2, day: 9, key: 'a' };
  const keyed = { keyed: true };

  const retry = (campaign: Campaign) => world().ledger.retry(campaign.n, world().operator);

  async function textOf(campaign: Campaign, state = 'queued'): Promise<unknown> {
    const said =
      "SELECT fields ->> '$[1]' AS name FROM message WHERE campaign = ? AND state = ? ORDER BY seq";
    return (await world().open.sql(said, [campaign.n, state]))[0]?.['name'];
  }

  const callNotSent = (campaign: Campaign) =>
    world().ledger.resolve(campaign.n, {
      ...world().operator,
      decision: 'not_sent',
      before: world().now + 1,
    });

  it('a correction of what is said does not bring forward what a throttle put off', async () => {
    const campaign = await launch([{ who: 1, day: 0, key: 'a' }, other], keyed);
    const notBefore = world().now + 600_000;
    await sendDue(campaign, (_, message) => requeued(campaign, message, notBefore));
    await correct(campaign, [{ who: 1, day: 0, key: 'a', name: 'New' }, other], keyed);
    expect(await textOf(campaign)).toBe('New');
    expect(await world().column('message', 'not_before', 'seq = 1')).toBe(notBefore);
  });

  /** The first of them may have been sent, saying "Old"; each correction names it as one of these, and "": not at all. */
  async function correctedUncertain(names: string[]): Promise<Campaign> {
    const campaign = await launch([{ who: 1, day: 0, key: 'a', name: 'Old' }, other], keyed);
    expect(await sendDue(campaign, uncertain)).toBe(1);
    await correctAs(campaign, names);
    return campaign;
  }

  async function correctAs(campaign: Campaign, names: readonly string[]): Promise<void> {
    for (const name of names) {
      world().now += 1_000;
      await correct(campaign, [...(name === '' ? [] : [{ who: 1, day: 0, key: 'a', name }]), other], keyed);
    }
  }

  /** The first of them was refused in a way that a retry helps, and a second has passed. */
  async function refusedFirst(key?: string): Promise<Campaign> {
    const first = key === undefined ? { who: 1, day: 0 } : { who: 1, day: 0, key };
    const campaign = await launch(
      [{ ...first, name: 'Old' }, key === undefined ? { who: 2, day: 9 } : other],
      {
        keyed: key !== undefined,
      },
    );
    expect(await sendDue(campaign, refuse)).toBe(1);
    world().now += 1_000;
    return campaign;
  }

  it('a retry sends the text that the last upload gave it', async () => {
    const campaign = await refusedFirst('a');
    await correct(campaign, [{ who: 1, day: 0, key: 'a', name: 'New' }, other], keyed);
    expect(await retry(campaign)).toBe(1);
    expect(await textOf(campaign)).toBe('New');
    await world().verify();
  });

  it('a retry does not send what the last upload left out; named again by the next, it goes', async () => {
    const campaign = await refusedFirst('a');
    await correct(campaign, [other], keyed);
    expect(await retry(campaign)).toBe(0);
    const out = `1 a ${dateOf(0)} canceled no longer in the contacts`;
    expect((await rowsOf(campaign))[0]).toBe(out);
    world().now += 1_000;
    await correct(campaign, [{ who: 1, day: 0, key: 'a', name: 'New' }, other], keyed);
    expect((await rowsOf(campaign))[0]).toBe(`1 a ${dateOf(0)} queued`);
    expect(await textOf(campaign)).toBe('New');
    await world().verify();
  });

  it('left out by one upload and named by the next before it is retried, it goes', async () => {
    const campaign = await refusedFirst('a');
    await correct(campaign, [other], keyed);
    world().now += 1_000;
    await correct(campaign, [{ who: 1, day: 0, key: 'a' }, other], keyed);
    expect(await retry(campaign)).toBe(1);
  });

  it('a retry does not send the old date of one that was moved to a date that is past', async () => {
    const campaign = await refusedFirst('a');
    await correct(campaign, [{ who: 1, day: -3, key: 'a', skip: 'moment past' }, other], keyed);
    expect(await retry(campaign)).toBe(0);
    expect(await rowsOf(campaign)).toContain(`1 a ${dateOf(0)} canceled moved`);
    await world().verify();
  });

  it('without a key a retry sends the date that the last upload names, and not the one before', async () => {
    const campaign = await refusedFirst();
    await correct(campaign, [
      { who: 1, day: 2 },
      { who: 2, day: 9 },
    ]);
    expect(await retry(campaign)).toBe(0);
    expect(await rowsOf(campaign)).toEqual([
      `1  ${dateOf(0)} canceled no longer in the contacts`,
      `2  ${dateOf(9)} queued`,
      `1  ${dateOf(2)} queued`,
    ]);
  });

  it('named unchanged while it was queued, and refused after that, it is retried', async () => {
    const rows = [{ who: 1, day: 0, key: 'a' }, other];
    const campaign = await launch(rows, keyed);
    world().now += 1_000;
    await correct(campaign, rows, keyed);
    expect(await sendDue(campaign, refuse)).toBe(1);
    expect(await retry(campaign)).toBe(1);
  });

  it('launched to remind anew (--again), a moved date goes, and one that was left out by mistake comes back', async () => {
    const older = await launch([{ who: 1, day: 0, key: 'a' }], keyed);
    expect(await sendDue(older, sent)).toBe(1);
    world().now += 1_000;
    const again = await launch([{ who: 1, day: 3, key: 'a' }, other], keyed);
    world().now += 1_000;
    await correct(again, [{ who: 1, day: 5, key: 'a' }, other], keyed);
    expect(await rowsOf(again)).toContain(`1 a ${dateOf(5)} queued`);
    await correct(again, [other], keyed);
    world().now += 1_000;
    const last = [{ who: 1, day: 5, key: 'a' }, other];
    await correct(again, last, keyed);
    expect(
      (await rowsOf(again)).filter((row) => row.startsWith('1 a') && row.endsWith('queued')),
    ).toHaveLength(1);
    await world().verify();
  });

  it('launched to remind anew, a moved date goes though one that was lost before is called sent after it, and its campaign sends more', async () => {
    const older = await launch(
      [
        { who: 1, day: 0, key: 'a' },
        { who: 3, day: 0, key: 'z' },
      ],
      keyed,
    );
    const verdict = (campaign: Campaign, message: ClaimedMessage) =>
      message.seq === 1 ? uncertain(campaign, message) : refuse(campaign, message);
    expect(await sendDue(older, verdict)).toBe(2);
    // As after serve --accept-loss.
    await world().open.sql('UPDATE message SET lost = ? WHERE campaign = ? AND seq = 1', [
      world().now,
      older.n,
    ]);
    world().now += 1_000;
    const again = await launch([{ who: 1, day: 3, key: 'a' }, other], keyed);
    world().now += 1_000;
    expect(await retry(older)).toBe(1);
    expect(await sendDue(older, sent)).toBe(1);
    await world().ledger.resolve(older.n, { ...world().operator, decision: 'sent', before: world().now });
    await correct(again, [{ who: 1, day: 5, key: 'a' }, other], keyed);
    expect(await rowsOf(again)).toContain(`1 a ${dateOf(5)} queued`);
  });

  it('what an older campaign sent since it was launched is not sent by a correction', async () => {
    const older = await refused([{ who: 1, day: 0, key: 'a' }], keyed);
    world().now += 1_000;
    const newer = await launch([{ who: 1, day: 3, key: 'a' }, other], keyed);
    world().now += 1_000;
    await correct(newer, [other], keyed);
    expect(await retry(older)).toBe(1);
    expect(await sendDue(older, sent)).toBe(1);
    world().now += 1_000;
    await correct(newer, [{ who: 1, day: 3, key: 'a' }, other], keyed);
    expect(await rowsOf(newer)).toContain(`1 a ${dateOf(3)} skipped already reminded`);
  });

  it('what an older campaign sent is not sent again by a date that is past in one correction and to come in the next', async () => {
    const older = await launch([{ who: 1, day: 0, key: 'a' }], keyed);
    expect(await sendDue(older, sent)).toBe(1);
    world().now += 1_000;
    const newer = await launch([other], keyed);
    await correct(newer, [{ who: 1, day: -1, key: 'a', skip: 'moment past' }, other], keyed);
    await correct(newer, [{ who: 1, day: 3, key: 'a' }, other], keyed);
    expect((await rowsOf(newer)).filter((row) => row.startsWith('1 a'))).toEqual([
      `1 a ${dateOf(-1)} skipped already reminded`,
      `1 a ${dateOf(3)} skipped already reminded`,
    ]);
  });

  it('without a key: what an older campaign sent is not brought back by a correction beside another date of the person', async () => {
    const older = await launch([{ who: 1, day: 0 }]);
    expect(await sendDue(older, sent)).toBe(1);
    world().now += 1_000;
    const later = { who: 1, day: 5 };
    const newer = await launch([{ who: 1, day: 0, skip: 'already reminded' }, later]);
    world().now += 1_000;
    await correct(newer, [{ who: 1, day: 0 }, later, { who: 2, day: 5 }]);
    expect((await rowsOf(newer))[0]).toBe(`1  ${dateOf(0)} skipped already reminded`);
  });

  it('laid while the clock is ahead, an upload counts as what it is, the one before the next', async () => {
    const campaign = await launch([{ who: 1, day: 0, key: 'a' }, other], keyed);
    expect(await sendDue(campaign, uncertain)).toBe(1);
    world().now += 1_000;
    expect(await upload(campaign, [{ who: 1, day: 3, key: 'a' }, other], keyed)).toBe(true);
    expect(await world().ledger.applyUploads(world().now + 3_600_000)).toBe(true);
    world().now += 1_000;
    await correct(campaign, [other], keyed);
    expect(await callNotSent(campaign)).toMatchObject({ resolved: 1 });
    expect((await rowsOf(campaign)).filter((row) => row.startsWith('1 a'))).toEqual([
      `1 a ${dateOf(0)} canceled no longer in the contacts`,
      `1 a ${dateOf(3)} skipped already reminded`,
    ]);
  });

  it('called not sent after the last upload left it out, it does not go; the next that names it has it sent', async () => {
    const campaign = await correctedUncertain(['New', '']);
    expect(await callNotSent(campaign)).toMatchObject({ resolved: 1 });
    expect(await rowsOf(campaign)).toEqual([
      `1 a ${dateOf(0)} canceled no longer in the contacts`,
      `2 a ${dateOf(9)} queued`,
    ]);
    world().now += 1_000;
    await correct(campaign, [{ who: 1, day: 0, key: 'a', name: 'Last' }, other], keyed);
    expect(await textOf(campaign)).toBe('Last');
    await world().verify();
  });

  it('left out by one upload and named by the next while nobody knows, it goes when it is called not sent', async () => {
    const campaign = await correctedUncertain(['', 'New']);
    await callNotSent(campaign);
    const queuedAt = await world().column('message', 'queued_at', `campaign = ${campaign.n} AND seq = 1`);
    expect(Number(queuedAt)).toBeGreaterThan(0);
  });

  it('left out by one upload and named by the next with a date that is past, it is not left out any more', async () => {
    const campaign = await correctedUncertain(['']);
    world().now += 1_000;
    await correct(campaign, [{ who: 1, day: -1, key: 'a', skip: 'moment past' }, other], keyed);
    await callNotSent(campaign);
    expect(await rowsOf(campaign)).toContain(`1 a ${dateOf(0)} queued`);
  });

  it.each([
    ['leaves it out, it does not go', [''], ['canceled no longer in the contacts', undefined]],
    ['leaves it out and the next names it, it goes', ['', 'New'], ['queued', 'Old']],
  ] as const)(
    'by a forged report it passes for sent, and an upload %s when that is taken back and it is called not sent',
    async (_, names, [state, said]) => {
      const campaign = await correctedUncertain([]);
      const ip = '203.0.113.9';
      await world().post({
        reports: [{ messageId: 'forged', mobile: '254700000001', delivery: 'delivered' }],
        ip,
      });
      await correctAs(campaign, names);
      await world().ledger.voidWebhooks({ ...world().operator, ip, since: null });
      expect(await callNotSent(campaign)).toMatchObject({ resolved: 1 });
      expect((await rowsOf(campaign))[0]).toBe(`1 a ${dateOf(0)} ${state}`);
      expect(await textOf(campaign)).toBe(said ?? 'name 2');
    },
  );

  it('corrected in nothing but what it says, it says that', async () => {
    const campaign = await launch([{ who: 1, day: 3, name: 'Old' }]);
    const { now } = world();
    world().now -= 1;
    await correct(campaign, [{ who: 1, day: 3, name: 'New' }]);
    world().now = now;
    expect(await textOf(campaign)).toBe('New');
  });

  it('named on another line than before, it is decided about under that', async () => {
    const [first, second] = [1, 2].map((who) => ({ who, day: 0, key: 'a' })) as [Row, Row];
    const campaign = await launch([first, second, { ...other, who: 3 }], keyed);
    await correct(campaign, [second, first, { ...other, who: 3 }], keyed);
    expect(await sendDue(campaign, uncertain)).toBe(2);
    const decided = { ...world().operator, decision: 'sent', before: 0, line: 2 } as const;
    await world().ledger.resolve(campaign.n, decided);
    expect((await rowsOf(campaign)).slice(0, 2)).toEqual([
      `1 a ${dateOf(0)} uncertain no answer in time`,
      `2 a ${dateOf(0)} sent`,
    ]);
  });

  it('what is moved takes nothing with it that stays: one that waits, one that was refused', async () => {
    const all = (day: number) => [1, 2, 3, 4].map((who) => ({ who, day: who > 2 ? day : 0, key: 'a' }));
    const campaign = await launch([...all(0), { who: 5, day: 1, key: 'a' }, { ...other, who: 6 }], keyed);
    expect(await sendDue(campaign, refuse)).toBe(4);
    world().now += 1_000;
    // Laid in the order of their moments, so what stays comes first.
    await correct(campaign, [...all(2), { who: 5, day: 1, key: 'a' }, { ...other, who: 6, day: 8 }], keyed);
    expect(await retry(campaign)).toBe(2);
    const queued = (await rowsOf(campaign)).filter((row) => row.endsWith('queued'));
    expect(queued.map((row) => row.slice(0, 1))).toEqual(['1', '2', '5', '3', '4', '6']);
    await world().verify();
  });

  it('with a key what a person is reminded of no more is canceled, or not retried, and the rest goes', async () => {
    const keys = (names: string[], day: number) => names.map((key) => ({ who: 1, day, key }));
    const campaign = await launch([...keys(['a', 'b'], 0), ...keys(['c', 'd'], 2)], keyed);
    expect(await sendDue(campaign, refuse)).toBe(2);
    world().now += 1_000;
    await correct(campaign, [...keys(['a'], 0), ...keys(['c'], 2)], keyed);
    expect(await retry(campaign)).toBe(1);
    expect(await rowsOf(campaign)).toEqual([
      `1 a ${dateOf(0)} queued`,
      `1 b ${dateOf(0)} canceled no longer in the contacts`,
      `1 c ${dateOf(2)} queued`,
      `1 d ${dateOf(2)} canceled no longer in the contacts`,
    ]);
  });

  it.each([
    ['waits', null, null],
    ['was refused', refuse, retry],
  ] as const)(
    'with a longer text by the correction, what %s is paid for as it is now',
    async (_, verdict, again) => {
      const first = { who: 1, day: 0, key: 'a' };
      const campaign = await launch([first, other], keyed);
      if (verdict !== null) await sendDue(campaign, verdict);
      world().now += 1_000;
      await correct(campaign, [{ ...first, segments: 3 }, other], keyed);
      await again?.(campaign);
      const worker = await world().worker();
      const { messages } = await world().claim(await world().lease(worker), worker);
      expect(messages).toMatchObject([{ segments: 3 }]);
      expect(await world().column('campaign', 'reserved', `n = ${campaign.n}`)).toBe(3 * PRICE);
    },
  );

  it('left out by two uploads while nobody knows, it does not go when it is called not sent', async () => {
    const campaign = await correctedUncertain(['', '']);
    await callNotSent(campaign);
    expect(await rowsOf(campaign)).toContain(`1 a ${dateOf(0)} canceled no longer in the contacts`);
  });

  it('a retry does not send the old date of one that was moved twice, the last time to a date that is past', async () => {
    const campaign = await refusedFirst('a');
    await correct(campaign, [{ who: 1, day: 1, key: 'a' }, other], keyed);
    world().now += 1_000;
    await correct(campaign, [{ who: 1, day: -3, key: 'a', skip: 'moment past' }, other], keyed);
    expect(await retry(campaign)).toBe(0);
  });

  it('what went stays so when an upload leaves it out, and what waits beside it is canceled', async () => {
    const campaign = await launch([
      { who: 1, day: 0 },
      { who: 2, day: 0 },
      { who: 3, day: 9 },
    ]);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker, { limit: 1 });
    await world().record(worker, [sent(campaign, messages[0] as never)]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    await correct(campaign, [{ who: 3, day: 9 }]);
    expect(await rowsOf(campaign)).toEqual([
      `1  ${dateOf(0)} sent`,
      `2  ${dateOf(0)} canceled no longer in the contacts`,
      `3  ${dateOf(9)} queued`,
    ]);
  });

  it('nothing is laid over a campaign that another upload is laid over, or that was canceled', async () => {
    const rows = [{ who: 1, day: 0 }, other];
    const campaign = await launch(rows);
    const worker = await world().worker();
    const { now } = world();
    const [offered] = await world().ledger.dueBatches({ now, perCampaign: 1 });
    expect(await upload(campaign, rows)).toBe(true);
    expect(await upload(campaign, rows)).toBe(false);
    // What the queue was offered before is sent from no half of a plan.
    const asked = { ...(offered as DueBatch), worker, now, leaseMs: 60_000 };
    expect(await world().ledger.leaseBatch(asked)).toBeNull();
    expect(await world().ledger.applyUploads(now)).toBe(true);
    expect((await world().claim(await world().lease(worker), worker)).messages).toHaveLength(1);
    await world().ledger.cancel(campaign.n, world().operator);
    expect(await upload(campaign, rows)).toBe(false);
  });

  it.each([
    [true, [`2 a DAY5 canceled moved`, `3 a DAY6 canceled no longer in the contacts`]],
    [false, [`2  DAY5 canceled no longer in the contacts`, `3  DAY6 canceled no longer in the contacts`]],
  ])(
    'canceled while an upload waits for the wire (key: %s), it did not reach those whom that upload names, on their latest dates',
    async (isKeyed, left) => {
      const key = isKeyed ? 'a' : '';
      const campaign = await launch(
        [
          { who: 1, day: 0, key },
          { who: 2, day: 5, key },
          { who: 3, day: 6, key },
        ],
        { keyed: isKeyed },
      );
      const worker = await world().worker();
      const { messages } = await world().claim(await world().lease(worker), worker);
      const corrected = [
        { who: 1, day: 0, key, name: 'Latest' },
        { who: 2, day: 7, key },
      ];
      expect(await upload(campaign, corrected, { keyed: isKeyed })).toBe(true);
      expect(await world().ledger.applyUploads(world().now)).toBe(false);
      await world().ledger.cancel(campaign.n, world().operator);
      await world().record(
        worker,
        messages.map((message) => requeued(campaign, message)),
      );
      expect(await world().ledger.applyUploads(world().now)).toBe(true);
      const dates = left.map((row) => row.replace('DAY5', dateOf(5)).replace('DAY6', dateOf(6)));
      const own = [1, 2].map((who) => `${who} ${key} ${dateOf(who === 1 ? 0 : 7)} canceled`);
      expect(await rowsOf(campaign)).toEqual([own[0], ...dates, own[1]]);
      expect((await world().message(campaign.n, 1)).fields[1]).toBe('Latest');
      expect(await world().column('batch', 'count(*)', 'settled_at IS NULL')).toBe(0);
    },
  );

  it('is not over while an upload waits, though the last that was on its way was settled: the next launch does not begin beside it', async () => {
    const rows = [{ who: 1, day: 0 }];
    const campaign = await launch(rows);
    const worker = await world().worker();
    const { messages } = await world().claim(await world().lease(worker), worker);
    expect(await upload(campaign, [...rows, { who: 2, day: 7 }])).toBe(true);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    expect(await world().ledger.latestNamed('rent')).toMatchObject({ settled: false });
    const draft = await stage([{ who: 3, day: 7 }]);
    await world().ledger.arrangeReminders(draft.n, world().now);
    expect(await world().activate(draft, 1)).toMatchObject({ activated: false, open: { n: campaign.n } });
    await world().ledger.discardDraft(draft.n);
    await world().ledger.cancel(campaign.n, world().operator);
    expect(await world().ledger.applyUploads(world().now)).toBe(true);
    expect(await rowsOf(campaign)).toEqual([`1  ${dateOf(0)} sent`, `2  ${dateOf(7)} canceled`]);
    expect(await world().ledger.latestNamed('rent')).toMatchObject({ settled: true });
  });

  it('nothing is laid over a campaign of which nothing is left: purged, it does not know whom it has reminded', async () => {
    const rows = [{ who: 1, day: 0 }];
    const campaign = await launch(rows);
    expect(await sendDue(campaign, sent)).toBe(1);
    expect(await upload(campaign, rows)).toBe(false);
    expect(await world().ledger.purgeCampaign(campaign.n, world().operator)).toBe(1);
    expect(await upload(campaign, rows)).toBe(false);
  });

  it('a retry while an upload waits to be laid ends no pause', async () => {
    const campaign = await launch([{ who: 1, day: 0, key: 'a' }], keyed);
    const worker = await world().worker();
    const { messages } = await world().claim(await world().lease(worker), worker);
    await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    expect(await upload(campaign, [{ who: 1, day: 0, key: 'a' }, other], keyed)).toBe(true);
    await world().record(
      worker,
      messages.map((message) => refuse(campaign, message)),
    );
    await retry(campaign);
    expect((await world().ledger.campaign(campaign.n))?.state).toBe('paused');
  });
}
