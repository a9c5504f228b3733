import { describe, expect, it } from 'vitest';
import { SETTINGS, sent, uncertain, type World } from './contract-world.ts';
import { DAY, reminderWorld, type Row } from './reminder-world.ts';

/** A person with several phones is reminded once, on one of them, however the phones are corrected. */
export function otherNumbersContract(world: () => World): void {
  const { dateOf, reminder, stage, launch, upload, correct, rowsOf, sendDue, refuse, refused } =
    reminderWorld(world);
  const last: Row = { who: 9, day: 9, key: 'z' };
  const went = async (rows: Row[], options = {}) => {
    const campaign = await launch([...rows, last], options);
    expect(await sendDue(campaign, sent)).toBe(rows.length);
    return campaign;
  };
  /** The rows of the campaign without the last one. */
  const shown = async (campaign: Parameters<typeof rowsOf>[0]) =>
    (await rowsOf(campaign)).filter((row) => !row.startsWith('9 '));

  it.each([
    ['swapped', { who: 2, others: [1] }, [2]],
    ['emptied', { who: 2 }, [2]],
    ['with a third one before it', { who: 3, others: [1] }, [3]],
    ['with only the second one left beside a new one', { who: 3, others: [2] }, [3]],
  ])('what the first phone got is not sent to the second: phones %s', async (_, row, [now]) => {
    for (const [key, keyed] of [
      ['', false],
      ['a', true],
    ] as const) {
      const campaign = await went([{ who: 1, others: [2], day: 0, key }], { keyed });
      await correct(campaign, [{ ...row, day: 0, key }, last], { keyed });
      expect(await shown(campaign)).toEqual([
        `1 ${key} ${dateOf(0)} sent`,
        `${now} ${key} ${dateOf(0)} skipped already reminded`,
      ]);
      await world().ledger.cancel(campaign.n, world().operator);
      // A campaign of its own finds them as well.
      const rows = [reminder({ ...row, day: 0, key }, 0)];
      const asked = { name: 'rent', keyed, rows, now: world().now };
      expect(await world().ledger.remindedBefore(asked)).toEqual([true]);
    }
  });

  it('a first phone that is mended after the second one was reminded is not reminded, too', async () => {
    const campaign = await went([{ who: 2, day: 0 }]);
    await correct(campaign, [{ who: 1, others: [2], day: 0 }, last]);
    expect(await shown(campaign)).toEqual([
      `2  ${dateOf(0)} sent`,
      `1  ${dateOf(0)} skipped already reminded`,
    ]);
    // Nor by a chain: the first one goes, and a third one stands alone.
    await correct(campaign, [{ who: 1, others: [3], day: 0 }, last]);
    await correct(campaign, [{ who: 3, day: 0 }, last]);
    expect((await shown(campaign)).at(-1)).toBe(`3  ${dateOf(0)} skipped already reminded`);
    const rows = [reminder({ who: 3, day: 0 }, 0), reminder({ who: 3, day: 1 }, 1)];
    const asked = { name: 'rent', keyed: false, rows, now: world().now };
    expect(await world().ledger.remindedBefore(asked)).toEqual([true, false]);
  });

  it('what waits for the first phone moves to the second, and back', async () => {
    for (const [key, keyed] of [
      ['', false],
      ['a', true],
    ] as const) {
      const both: Row = { who: 1, others: [2], day: 3, key };
      const campaign = await launch([both, last], { keyed });
      const second: Row = { who: 2, day: 3, key };
      const [preview] = await world().ledger.compareReminders(campaign.n, [reminder(second, 0)], world().now);
      expect(preview).toMatchObject({ goes: true, kept: null, open: [1] });
      await correct(campaign, [second, last], { keyed });
      const old = `1 ${key} ${dateOf(3)}`;
      expect(await shown(campaign)).toEqual([`${old} canceled moved`, `2 ${key} ${dateOf(3)} queued`]);
      await correct(campaign, [both, last], { keyed });
      expect(await shown(campaign)).toEqual([`${old} queued`, `2 ${key} ${dateOf(3)} canceled moved`]);
      await world().ledger.cancel(campaign.n, world().operator);
    }
  });

  it('two rows that were one person lose nothing: each keeps its own', async () => {
    const campaign = await launch([{ who: 1, others: [2], day: 3 }, last]);
    for (const rows of [
      [2, 1],
      [1, 2],
    ]) {
      await correct(campaign, [...rows.map((who) => ({ who, day: 3 })), last]);
      expect(await shown(campaign)).toEqual([`1  ${dateOf(3)} queued`, `2  ${dateOf(3)} queued`]);
    }
  });

  it('two rows that turn out to be one person are reminded once: what waits of them is canceled or skipped', async () => {
    const campaign = await launch([{ who: 1, day: 3 }, { who: 2, day: 3 }, last]);
    await correct(campaign, [{ who: 1, others: [2], day: 3 }, last]);
    expect(await shown(campaign)).toEqual([`1  ${dateOf(3)} queued`, `2  ${dateOf(3)} canceled moved`]);
    await world().ledger.cancel(campaign.n, world().operator);

    const half = await launch([{ who: 2, day: 0 }, last]);
    expect(await sendDue(half, sent)).toBe(1);
    await correct(half, [{ who: 1, day: 0 }, { who: 2, day: 0 }, last]);
    const one: Row = { who: 1, others: [2], day: 0 };
    const [preview] = await world().ledger.compareReminders(half.n, [reminder(one, 0)], world().now);
    expect(preview).toMatchObject({ verdict: 'unchanged', goes: false });
    await correct(half, [one, last]);
    expect(await shown(half)).toEqual([`2  ${dateOf(0)} sent`, `1  ${dateOf(0)} skipped already reminded`]);
  });

  it('of two rows that share a number under one key and date the first is kept', async () => {
    const draft = await stage([{ who: 1, others: [2], day: 3 }]);
    const rows: Row[] = [
      { who: 2, day: 3 },
      { who: 3, others: [1], day: 3 },
      { who: 4, others: [2], day: 3 },
      { who: 4, others: [5], day: 3 },
      { who: 2, day: 4 },
      { who: 2, day: 3, key: 'other' },
    ];
    const asked = rows.map((row, at) => reminder(row, at + 10));
    expect(await world().ledger.stageReminders(draft.n, asked)).toEqual([
      { line: 12, keptLine: 2 },
      { line: 13, keptLine: 2 },
      { line: 14, keptLine: 2 },
    ]);
    await world().ledger.discardDraft(draft.n);
    expect(await world().open.sql('SELECT * FROM staged_number', [])).toEqual([]);
  });

  it('a retry of an older campaign does not send to the first phone what the second one got in a newer one', async () => {
    for (const [old, now] of [
      [{ who: 1, others: [2] }, { who: 2 }],
      [{ who: 1 }, { who: 2, others: [1] }],
      [
        { who: 1, others: [3] },
        { who: 2, others: [3] },
      ],
    ] as const) {
      const older = await refused([{ ...old, others: [...('others' in old ? old.others : [])], day: 0 }]);
      await went([{ who: now.who, others: [...('others' in now ? now.others : [])], day: 0 }]);
      expect(await world().ledger.retry(older.n, world().operator)).toBe(0);
      expect(await shown(older)).toEqual([`1  ${dateOf(0)} skipped already reminded`]);
      await world().open.sql("UPDATE campaign SET name = 'done ' || n WHERE n > 0", []);
    }
  });

  it('an uncertain one that moved to the second phone goes there once a person says that it was not sent', async () => {
    for (const [key, keyed] of [
      ['', false],
      ['a', true],
    ] as const) {
      const campaign = await launch([{ who: 1, others: [2], day: 0, key }, last], { keyed });
      await sendDue(campaign, uncertain);
      await correct(campaign, [{ who: 2, day: 0, key }, last], { keyed });
      world().now += 1_000;
      const decided = { ...world().operator, decision: 'not_sent', before: world().now } as const;
      expect((await world().ledger.resolve(campaign.n, decided)).resolved).toBe(1);
      expect(await shown(campaign)).toEqual([
        `1 ${key} ${dateOf(0)} canceled moved`,
        `2 ${key} ${dateOf(0)} queued`,
      ]);
      await world().ledger.cancel(campaign.n, world().operator);
    }
  });

  it('an answer that is taken back holds the second phone until a person decides', async () => {
    for (const [key, keyed] of [
      ['', false],
      ['a', true],
    ] as const) {
      const campaign = await launch([{ who: 1, others: [2], day: 0, key }, last], { keyed });
      const question = { content: 'funds', words: 'Insufficient funds' };
      await sendDue(campaign, (of, message) => ({
        ...uncertain(of, message),
        evidence: { httpStatus: 402, code: null, raw: '{}', question },
      }));
      const answer = Number((await world().open.sql('SELECT max(id) AS id FROM answer', []))[0]?.['id']);
      const order = { answer, ...world().operator };
      await world().ledger.mapAnswer({ ...order, meaning: 'credit' });
      await correct(campaign, [{ who: 2, day: 0, key }, last], { keyed });
      expect((await shown(campaign)).at(-1)).toBe(`2 ${key} ${dateOf(0)} queued`);
      await world().ledger.unmapAnswer(order);
      expect((await shown(campaign)).map((row) => row.split(' ').at(3))).toEqual(['uncertain', 'skipped']);
      await world().ledger.cancel(campaign.n, world().operator);
      world().now += DAY;
    }
  });

  it('a person who opted out with the second phone is not written to on the first', async () => {
    const campaign = await launch([{ who: 1, others: [2], day: 0 }, { who: 3, day: 0 }, last]);
    await world().open.sql("UPDATE campaign SET kind = 'promotional' WHERE n = ?", [campaign.n]);
    await world().ledger.addOptOuts([{ mobile: '254700000002', source: 'operator' }], world().now);
    expect(await sendDue(campaign, refuse)).toBe(1);
    expect((await shown(campaign)).at(0)).toBe(`1  ${dateOf(0)} skipped opted out`);
  });

  it('a person who was canceled by hand stays so on another phone', async () => {
    for (const [key, keyed] of [
      ['', false],
      ['a', true],
    ] as const) {
      const campaign = await launch([{ who: 1, others: [2], day: 3, key }, last], { keyed });
      await world().ledger.cancelPerson(campaign.n, { ...world().operator, mobile: '254700000001' });
      const second: Row = { who: 2, day: 3, key };
      const [preview] = await world().ledger.compareReminders(campaign.n, [reminder(second, 0)], world().now);
      expect(preview).toMatchObject({ staysCanceled: true, goes: false });
      await correct(campaign, [second, last], { keyed });
      expect((await shown(campaign)).map((row) => row.split(' ').slice(3).join(' '))).toEqual([
        'canceled canceled by hand',
        'canceled canceled by hand',
      ]);
      await world().ledger.cancel(campaign.n, world().operator);
    }
  });

  it('the numbers that a correction adds are known, and a purge removes all of them', async () => {
    const campaign = await launch([{ who: 1, others: [2], day: 0 }]);
    await correct(campaign, [{ who: 1, others: [3], day: 0 }]);
    const numbers = () => world().open.sql('SELECT mobile FROM other_number ORDER BY mobile', []);
    expect(await numbers()).toEqual([{ mobile: '254700000002' }, { mobile: '254700000003' }]);
    expect(await upload(campaign, [{ who: 2, day: 0 }])).toBe(true);
    expect(await world().ledger.applyUploads(world().now)).toBe(true);
    await world().ledger.cancel(campaign.n, world().operator);
    await world().ledger.purgeCampaign(campaign.n, world().operator);
    expect(await numbers()).toEqual([]);
  });

  const cancelFirst = (campaign: { n: number }, person: object = { mobile: '254700000001' }) =>
    world().ledger.cancelPerson(campaign.n, { ...world().operator, ...person });
  const waiting = async (campaign: Parameters<typeof rowsOf>[0]) =>
    (await rowsOf(campaign)).filter((row) => row.endsWith('queued') && !row.startsWith('9 '));

  describe.each([
    ['without a key', '', false],
    ['with a key', 'a', true],
  ] as const)('a person who is canceled, %s,', (_what, key, keyed) => {
    it.each([{ mobile: '254700000001' }, { line: 2 }])(
      'gets nothing at the phone to which a correction moved them before: %o',
      async (person) => {
        const campaign = await launch([{ who: 1, others: [2], day: 3, key }, last], { keyed });
        await correct(campaign, [{ who: 2, day: 3, key }, last], { keyed });
        expect(await cancelFirst(campaign, person)).toMatchObject({ people: 1, queued: 1 });
        expect(await waiting(campaign)).toEqual([]);
      },
    );

    it.each([
      ['refused', refuse],
      ['uncertain', uncertain],
    ] as const)('gets nothing there either when the first phone was %s', async (_state, outcome) => {
      const campaign = await launch([{ who: 1, others: [2], day: 0, key }, last], { keyed });
      await sendDue(campaign, outcome);
      await correct(campaign, [{ who: 2, day: 0, key }, last], { keyed });
      await cancelFirst(campaign);
      world().now += 1_000;
      if (outcome === uncertain)
        await world().ledger.resolve(campaign.n, {
          ...world().operator,
          decision: 'not_sent',
          before: world().now,
        });
      expect(await waiting(campaign)).toEqual([]);
    });

    it('gets nothing when later contacts say that a waiting phone is theirs', async () => {
      const rows = [{ who: 1, day: 3, key }, { who: 2, day: 3, key }, last];
      const campaign = await launch(rows, { keyed });
      await cancelFirst(campaign);
      await correct(campaign, [{ who: 2, others: [1], day: 3, key }, last], { keyed });
      expect(await waiting(campaign)).toEqual([]);
    });

    it('leaves the others of a phone that two rows share', async () => {
      const rows = [{ who: 1, others: [7], day: 3, key }, { who: 2, others: [8], day: 3, key }, last];
      const campaign = await launch(rows, { keyed });
      expect(await cancelFirst(campaign)).toMatchObject({ people: 1, queued: 1 });
      expect(await waiting(campaign)).toHaveLength(1);
    });

    it('whose reminder of an older campaign is retried gets none that a newer, purged one sent', async () => {
      const older = await launch([{ who: 1, day: 0, key }], { keyed });
      await sendDue(older, refuse);
      world().now += 10;
      const newer = await launch([{ who: 1, day: 0, key }], { keyed });
      expect(await sendDue(newer, sent)).toBe(1);
      await world().ledger.purgeCampaign(newer.n, world().operator);
      expect(await world().ledger.retry(older.n, world().operator)).toBe(0);
    });
  });

  it('a phone that a correction leaves out stays the person’s: who opted out with it gets nothing', async () => {
    const campaign = await launch([{ who: 1, others: [2], day: 0 }, last]);
    await correct(campaign, [{ who: 2, day: 0 }, last]);
    const numbers = await world().open.sql(
      'SELECT o.mobile FROM other_number AS o JOIN message AS m USING (campaign, seq) WHERE m.mobile = ?',
      ['254700000002'],
    );
    expect(numbers).toEqual([{ mobile: '254700000001' }]);
  });

  it('the other numbers stay with their message when it becomes one of a canary', async () => {
    const draft = await world().ledger.createDraft({
      id: 'can-1',
      name: 'can',
      kind: 'promotional',
      sender: 'DUKA',
      template: 'Hi <<name>>',
      settings: { ...SETTINGS, canary: { first: 2, waitMs: 1_000, delivered: 0.5 } },
      hashes: { job: 'j', template: 't', contacts: 'cc' },
      now: world().now,
    });
    const rows = [1, 2, 3, 4].map((who) => {
      const [mobile, other] = [String(254_700_000_000 + who), String(254_700_000_010 + who)];
      return {
        line: who + 1,
        mobile,
        others: [other],
        key: '',
        occurrence: '',
        fields: [mobile, 'x'],
        segments: 1,
      };
    });
    await world().ledger.addMessages(draft.n, rows, { now: world().now });
    await world().activate(draft, 4);
    const kept = await world().open.sql(
      'SELECT m.mobile, o.mobile AS other FROM other_number AS o JOIN message AS m USING (campaign, seq) ORDER BY m.mobile',
    );
    expect(kept).toEqual(rows.map(({ mobile, others: [other] }) => ({ mobile, other })));
  });
}
