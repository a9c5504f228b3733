import fc from 'fast-check';
import { expect, it } from 'vitest';
import { counts, row, sent, type World } from './contract-world.ts';

export function planContract(world: () => World): void {
  it('a draft is invisible to workers, to reports and by name, and discarding it leaves nothing [B1]', async () => {
    const { ledger, open } = world();
    const draft = await world().draft(25);
    expect(await ledger.dueBatches({ now: world().now, perCampaign: 9 })).toEqual([]);
    expect(await ledger.latestNamed('promo')).toBeNull();
    expect((await ledger.facts()).unused).toBe(true);
    expect(await (await world().reader()).campaigns()).toEqual([]);
    await ledger.discardDraft(draft.n);
    await ledger.discardDraft(draft.n);
    for (const table of ['campaign', 'message', 'batch'])
      expect(await open.sql(`SELECT 1 FROM ${table}`)).toEqual([]);
  });

  it('a row whose mobile, key and occurrence are there already is a duplicate that names the kept line [B7]', async () => {
    const draft = await world().draft(0);
    const base = row(2);
    const rows = [
      base,
      { ...base, line: 3 },
      { ...base, line: 4, key: 'A1' },
      { ...base, line: 5, occurrence: '2026-12-01' },
    ];
    expect(await world().ledger.addMessages(draft.n, rows, { now: world().now })).toEqual([
      { line: 3, keptLine: 2 },
    ]);
    const again = [{ ...base, line: 6, key: 'A1' }, row(7)];
    expect(await world().ledger.addMessages(draft.n, again, { now: world().now })).toEqual([
      { line: 6, keptLine: 4 },
    ]);
    expect(await world().activate(draft, 4)).toEqual({ activated: true });
    expect((await world().messages(draft.n)).map(({ seq, line }) => [seq, line])).toEqual([
      [1, 2],
      [2, 4],
      [3, 5],
      [4, 7],
    ]);
  });

  it('rows that are added beside operations that fail are there once, with every identity, and launch [B7]', async () => {
    const draft = await world().draft(0);
    const unknownCampaign = 9_999;
    const beside = async <Result>(work: Promise<Result>): Promise<Result> => {
      const fails = world().ledger.setRate(unknownCampaign, { ...world().operator, ratePerSecond: 1 });
      const [done, failed] = await Promise.allSettled([work, fails]);
      expect(failed.status).toBe('rejected');
      if (done.status === 'rejected') throw done.reason;
      return done.value;
    };
    const rows = Array.from({ length: 40 }, (_, index) => row(index + 1));
    const keyed = rows.map((each) => ({ ...each, line: each.line + 100, key: 'K' }));
    const add = (some: typeof rows) => world().ledger.addMessages(draft.n, some, { now: world().now });
    expect(await beside(add([...rows, ...keyed]))).toEqual([]);
    const again = [...rows, ...keyed].map((each) => ({ ...each, line: each.line + 1_000 }));
    expect(await beside(add(again))).toHaveLength(80);
    expect(await beside(add([row(41)]))).toEqual([]);
    expect(await beside(world().activate(draft, 81))).toEqual({ activated: true });
    expect(await (await world().reader()).violations(null)).toEqual([]);
  });

  it('in any order of additions the first row of an identity is kept, and the others name its line [B7]', async () => {
    const identity = fc.record({
      mobile: fc.constantFrom('254700000001', '254700000002', '447700900123'),
      key: fc.constantFrom('', 'a', 'b'),
      occurrence: fc.constantFrom('', '2026-01-01'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(identity, { maxLength: 9 }), { maxLength: 6 }), async (calls) => {
        const draft = await world().draft(0);
        const known = new Map<string, number>();
        let line = 1;
        for (const rows of calls) {
          const added = rows.map((each) => ({ ...row(1), ...each, line: (line += 1) }));
          const twins = added.flatMap(({ mobile, key, occurrence, line: own }) => {
            const name = `${mobile} ${key} ${occurrence}`;
            const keptLine = known.get(name);
            if (keptLine === undefined) known.set(name, own);
            return keptLine === undefined ? [] : [{ line: own, keptLine }];
          });
          expect(await world().ledger.addMessages(draft.n, added, { now: world().now })).toEqual(twins);
        }
        expect((await world().messages(draft.n)).map((message) => message.line)).toEqual([...known.values()]);
        await world().ledger.discardDraft(draft.n);
      }),
      { numRuns: 20 },
    );
  });

  it('a message with the identity of another joins no campaign, launched or not [B7]', async () => {
    const campaign = await world().launch(1);
    const draft = await world().draft(1);
    for (const { n } of [campaign, draft]) {
      const twin = world().open.sql(
        `INSERT INTO message (campaign, seq, line, mobile, key, occurrence, fields, segments, state, actor, queued_at)
         SELECT campaign, 2, 9, mobile, key, occurrence, '[]', 1, 'queued', 'planner', 0 FROM message WHERE campaign = ?`,
        [n],
      );
      await expect(twin).rejects.toThrow(/unique/i);
    }
  });

  it('a launch cuts the rows into batches that cover them once, in order', async () => {
    const draft = await world().draft(7);
    await world().ledger.addMessages(
      draft.n,
      Array.from({ length: 16 }, (_, index) => row(100 + index)),
      { now: world().now },
    );
    await world().activate(draft, 23);
    const worker = await world().worker();
    const spans = [];
    for (const due of await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })) {
      const lease = await world().ledger.leaseBatch({ ...due, worker, now: world().now, leaseMs: 1_000 });
      spans.push([lease?.firstSeq, lease?.lastSeq]);
    }
    expect(spans).toEqual([
      [1, 10],
      [11, 20],
      [21, 23],
    ]);
  });

  it('a launch whose counts do not fit the rows is refused', async () => {
    const draft = await world().draft(3);
    await expect(world().activate(draft, 4)).rejects.toThrow('3 messages');
    expect((await world().ledger.campaign(draft.n))?.state).toBe('draft');
  });

  it('rows are added to a draft only, and no more than 5,000 at a time', async () => {
    const campaign = await world().launch(1);
    await expect(world().ledger.addMessages(campaign.n, [row(9)], { now: 1 })).rejects.toMatchObject({
      code: 'state_forbids',
    });
    const draft = await world().draft(0, { name: 'large' });
    const many = Array.from({ length: 5_001 }, (_, index) => row(index));
    await expect(world().ledger.addMessages(draft.n, many, { now: 1 })).rejects.toThrow('5000');
  });

  it('of two launches of one name at once exactly one activates, and the other gets that one [B3]', async () => {
    const other = await world().open.another();
    for (let round = 0; round < 20; round += 1) {
      const name = `race-${round}`;
      const drafts = [await world().draft(2, { name }), await world().draft(2, { name })];
      const results = await Promise.all(
        drafts.map((draft, index) =>
          (index === 0 ? world().ledger : other).activate({
            ...world().operator,
            campaign: draft.n,
            account: 'C-1',
            budgetMicro: null,
            estimatedMicro: null,
            startAt: null,
            startDeadlineMs: 1,
            counts: counts(2),
          }),
        ),
      );
      const winner = results.findIndex(({ activated }) => activated);
      expect(results.filter(({ activated }) => activated)).toHaveLength(1);
      expect(results[1 - winner]).toMatchObject({
        activated: false,
        open: { n: drafts[winner]?.n, state: 'running' },
      });
    }
    await other.close();
  });

  it('an open campaign stands in the way of its name only until it is settled', async () => {
    const { campaign, worker, lease, messages } = await world().sending(2);
    const next = await world().draft(1);
    expect(await world().activate(next, 1)).toMatchObject({ activated: false, open: { n: campaign.n } });
    await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    expect(await world().activate(next, 1)).toMatchObject({ activated: false });
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: true });
    expect(await world().ledger.pausedCampaigns()).toEqual([]);
    expect(await world().activate(next, 1)).toEqual({ activated: true });
    expect(await world().ledger.latestNamed('promo')).toMatchObject({
      campaign: { n: next.n },
      settled: false,
    });
  });

  it('a campaign comes back as it was planned', async () => {
    const campaign = await world().launch(1, {
      name: 'whole',
      budgetMicro: 5,
      settings: { ratePerSecond: 7.5 },
    });
    expect(campaign).toMatchObject({
      name: 'whole',
      state: 'running',
      reason: null,
      account: 'C-100',
      sender: 'DUKA',
      template: 'Hi <<name>>',
      budgetMicro: 5,
      createdAt: world().now,
      activatedAt: world().now,
      settings: { zone: 'Africa/Nairobi', ratePerSecond: 7.5, batchSize: 10, header: ['mobile', 'name'] },
    });
    expect(await world().ledger.campaign(999)).toBeNull();
    expect(await world().ledger.facts()).toMatchObject({
      unused: false,
      ledgerId: expect.stringMatching(/.{16,}/),
    });
  });
}
