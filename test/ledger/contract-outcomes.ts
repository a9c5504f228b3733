import { expect, it } from 'vitest';
import type { ClaimedMessage } from '../../src/ledger/contracts/sending.ts';
import { PRICE, rejected, requeued, sent, uncertain, type World } from './contract-world.ts';

export function outcomeContract(world: () => World): void {
  it('a verdict counts once: repeated, of another worker, or of another attempt it is stale [A9]', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    const [message] = messages as [ClaimedMessage];
    const stranger = await world().worker(2);
    expect(await world().record(stranger, [sent(campaign, message)])).toEqual(['stale']);
    expect(await world().record(worker, [sent(campaign, { ...message, attempt: 2 })])).toEqual(['stale']);
    expect(await world().record(worker, [sent(campaign, message), sent(campaign, message)])).toEqual([
      'recorded',
      'stale',
    ]);
    expect(await world().record(worker, [rejected(campaign, message)])).toEqual(['stale']);
    expect(await world().message(campaign.n, 1)).toMatchObject({
      state: 'sent',
      delivery: 'pending',
      messageId: `id-${campaign.n}-1`,
      costMicro: PRICE,
      attempts: 1,
    });
  });

  it('a record that is repeated, because nobody knew whether it was committed, counts no verdict and no money twice [D11]', async () => {
    const { campaign, worker, messages } = await world().sending(5);
    const [one, two, three, four] = messages as [ClaimedMessage, ...ClaimedMessage[]];
    const verdicts = [
      sent(campaign, one),
      rejected(campaign, two as ClaimedMessage),
      uncertain(campaign, three as ClaimedMessage),
      requeued(campaign, four as ClaimedMessage),
    ];
    const pauses = [{ campaign: campaign.n, reason: 'balance' as const }];
    const money = async () =>
      await world().open.sql('SELECT spent, assumed, reserved, in_flight FROM account');
    expect(await world().record(worker, verdicts, pauses)).toEqual(Array(4).fill('recorded'));
    const first = await money();
    expect(await world().record(worker, verdicts, pauses)).toEqual(Array(4).fill('stale'));
    expect(await money()).toEqual(first);
    // A wire note that knows of more verdicts than the ledger is newer than it.
    expect(await world().column('worker', 'recorded', `id = ${worker}`)).toBe(4);
    expect((await world().ledger.campaign(campaign.n))?.state).toBe('paused');
    expect(await (await world().open.reader()).violations(null)).toEqual([]);
  });

  it('a late answer of the same attempt decides an uncertain message; a late refusal does not [A15]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    expect(await world().ledger.reap(worker, world().now)).toBe(2);
    const decided = { ...world().operator, decision: 'write_off', before: world().now } as const;
    await world().ledger.resolve(campaign.n, decided);
    expect(
      await world().record(worker, [sent(campaign, one), rejected(campaign, two), requeued(campaign, two)]),
    ).toEqual(['recorded', 'stale', 'stale']);
    // Nothing is left of what was said of it while nobody knew.
    expect(
      await world().open.sql('SELECT state, reason IS NULL AS plain, written_off FROM message ORDER BY seq'),
    ).toEqual([
      { state: 'sent', plain: 1, written_off: 0 },
      { state: 'uncertain', plain: 0, written_off: 1 },
    ]);
  });

  it('a late answer fills in the facts of a message that an operator called sent', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    await world().ledger.resolve(campaign.n, {
      ...world().operator,
      decision: 'sent',
      before: world().now + 1,
    });
    expect(await world().message(campaign.n, 1)).toMatchObject({
      state: 'sent',
      messageId: null,
      costMicro: null,
    });
    expect(
      await world().record(
        worker,
        messages.map((message) => sent(campaign, message, { costMicro: 5 })),
      ),
    ).toEqual(['recorded']);
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', costMicro: 5 });
    expect(await world().column('campaign', 'spent', `n = ${campaign.n}`)).toBe(5);
  });

  it('an attempt that an operator sent again takes no answer of the former attempt', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    world().now += 600_000;
    await world().ledger.resolve(campaign.n, {
      ...world().operator,
      decision: 'not_sent',
      before: world().now,
    });
    expect(
      await world().record(
        worker,
        messages.map((message) => sent(campaign, message)),
      ),
    ).toEqual(['stale']);
    expect(await world().states(campaign.n)).toEqual({ queued: 1 });
  });

  it('two messages with one id are both sent and flagged, and the others of the commit are not touched [P13]', async () => {
    const { campaign, worker, messages } = await world().sending(3);
    const outcomes = messages.map((message) => ({
      ...sent(campaign, message, message.seq < 3 ? { messageId: 'twin' } : {}),
      flags: message.seq === 2 ? ['cost_unreadable'] : [],
    }));
    expect(await world().record(worker, outcomes)).toEqual(['recorded', 'recorded', 'recorded']);
    await world().ledger.joinWaiting(world().now);
    const flags = await world().open.sql('SELECT flags FROM message ORDER BY seq');
    expect(flags.map((row) => row['flags'])).toEqual(['id_conflict', 'cost_unreadable,id_conflict', null]);
    await world().report({ messageId: 'twin' });
    expect((await world().messages(campaign.n)).map(({ delivery }) => delivery)).toEqual([
      'pending',
      'pending',
      'pending',
    ]);
    expect(await world().column('report', 'joined', '1 = 1')).toBe('ambiguous');
  });

  it('a worker that ends at once leaves no two messages with one id unflagged [P13]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message, { messageId: 'twin' })),
    );
    await world().ledger.retireWorker(worker, world().now);
    const flags = await world().open.sql('SELECT flags FROM message ORDER BY seq');
    expect(flags.map((row) => row['flags'])).toEqual(['id_conflict', 'id_conflict']);
  });

  it('an id is kept exactly as it came [P16]', async () => {
    const ids = ['007', '9007199254740993', "'; DROP TABLE message; --", 'ü'.repeat(300), ' spaced '];
    const { campaign, worker, messages } = await world().sending(ids.length);
    await world().record(
      worker,
      messages.map((message, index) => sent(campaign, message, { messageId: ids[index] ?? '' })),
    );
    expect((await world().messages(campaign.n)).map(({ messageId }) => messageId)).toEqual(ids);
  });

  it('one record takes verdicts about two campaigns of one account, and counts each once [M3]', async () => {
    const worker = await world().worker();
    const claimed = async (name: string, firstMobile: number) => {
      const campaign = await world().launch(2, { name, firstMobile });
      const { messages } = await world().claim(await world().lease(worker), worker);
      return { campaign, messages: messages as [ClaimedMessage, ClaimedMessage] };
    };
    const one = await claimed('one', 1);
    const two = await claimed('two', 11);
    expect(
      await world().record(worker, [
        sent(one.campaign, one.messages[0]),
        sent(two.campaign, two.messages[0], { costMicro: 5 }),
        uncertain(one.campaign, one.messages[1]),
        rejected(two.campaign, two.messages[1]),
        rejected(one.campaign, one.messages[1]),
      ]),
    ).toEqual(['recorded', 'recorded', 'recorded', 'recorded', 'stale']);
    const accounts = await world().open.sql('SELECT spent, reserved, in_flight FROM account');
    expect(accounts).toEqual([{ spent: PRICE + 5, reserved: PRICE, in_flight: 0 }]);
    expect(await world().column('price', 'cost', `network = '1'`)).toBe(5);
    await world().verify();
  });

  it('reports that came before a record find its messages, two of them with one id [P13]', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    for (const messageId of [`id-${campaign.n}-1`, 'twin', `id-${campaign.n}-3`])
      await world().report({ messageId });
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message, message.seq % 2 === 0 ? { messageId: 'twin' } : {})),
    );
    const deliveries = (await world().messages(campaign.n)).map(({ delivery }) => delivery);
    expect(deliveries).toEqual(['delivered', 'pending', 'delivered', 'pending']);
    await world().verify();
  });

  it('evidence is kept with its attempt', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    const evidence = { httpStatus: 502, code: null, raw: '<html>' };
    await world().record(
      worker,
      messages.map((message) => ({ ...uncertain(campaign, message), evidence })),
    );
    expect(await world().open.sql('SELECT seq, attempt, http_status, code, raw FROM evidence')).toEqual([
      { seq: 1, attempt: 1, http_status: 502, code: null, raw: '<html>' },
    ]);
    // What came late after all says more than what was seen before it.
    const late = { httpStatus: 200, code: '200', raw: '{}' };
    await world().record(
      worker,
      messages.map((message) => ({ ...sent(campaign, message), evidence: late })),
    );
    expect(await world().open.sql('SELECT http_status, code, raw FROM evidence')).toEqual([
      { http_status: 200, code: '200', raw: '{}' },
    ]);
  });

  it('a pause is in the same commit as the verdict that asks for it, and only pauses what runs [P9]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    const pauses = [{ campaign: campaign.n, reason: 'balance' as const }];
    await world().record(worker, [requeued(campaign, one)], pauses);
    expect(await world().ledger.campaign(campaign.n)).toMatchObject({ state: 'paused', reason: 'balance' });
    await world().ledger.cancel(campaign.n, world().operator);
    await world().record(worker, [requeued(campaign, two)], pauses);
    expect((await world().ledger.campaign(campaign.n))?.state).toBe('canceled');
    expect(await world().states(campaign.n)).toEqual({ canceled: 2 });
  });

  it('the last verdict of a batch that was released before it settles the campaign', async () => {
    const { campaign, worker, lease, messages } = await world().sending(2);
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    await world().record(worker, [sent(campaign, one)]);
    const release = await world().ledger.releaseBatch({ ...lease, now: world().now });
    expect(release).toMatchObject({ settled: false, epoch: lease.epoch });
    expect(release).not.toMatchObject({ dueAt: world().now });
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: false });
    await world().record(worker, [sent(campaign, two)]);
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: true });
    expect(await world().ledger.otherWorkers(null)).toHaveLength(1);
    expect(await world().open.sql('SELECT * FROM hold')).toEqual([]);
  });

  it('a message put back into a batch that was released makes it due again', async () => {
    const { campaign, worker, lease, messages } = await world().sending(1);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    expect(await world().ledger.dueBatches({ now: world().now + 5_000, perCampaign: 1 })).toEqual([]);
    const notBefore = world().now + 4_000;
    await world().record(
      worker,
      messages.map((message) => ({ ...requeued(campaign, message, notBefore), countsAsTry: false })),
    );
    // What is no fault of the message uses up none of its tries.
    const waits = await world().open.sql('SELECT tries, not_before AS "notBefore" FROM message');
    expect(waits).toEqual([{ tries: 0, notBefore }]);
    expect(await world().ledger.dueBatches({ now: world().now + 3_999, perCampaign: 1 })).toEqual([]);
    expect(await world().ledger.dueBatches({ now: world().now + 4_000, perCampaign: 1 })).toHaveLength(1);
  });

  it('of operations that wait together, one that fails leaves the others standing [I14]', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    const [one, two, three, four] = messages as [
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
    ];
    const unwritable = { ...sent(campaign, four), network: { not: 'a value' } as unknown as string };
    const results = await Promise.allSettled([
      world().record(worker, [sent(campaign, one)]),
      world().ledger.setRate(999, { ...world().operator, ratePerSecond: 1 }),
      world().record(worker, [sent(campaign, three), unwritable]),
      world().record(worker, [rejected(campaign, two)]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    const states = (await world().messages(campaign.n)).map(({ state }) => state);
    expect(states).toEqual(['sent', 'rejected', 'sending', 'sending']);
  });
}
