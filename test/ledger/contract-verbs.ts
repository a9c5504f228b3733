import { expect, it } from 'vitest';
import type { ClaimedMessage } from '../../src/ledger/contracts/sending.ts';
import { PRICE, rejected, requeued, sent, uncertain, type World } from './contract-world.ts';

/** What trying a message writes to it, and what is there before. */
const UNTRIED = {
  reason: null,
  retry_helps: 0,
  tries: 0,
  worker: null,
  not_before: 0,
  claimed_at: null,
  settled_at: null,
  send_ms: null,
  reserved: 0,
  counted: 0,
};
const UNTRIED_COLUMNS = Object.keys(UNTRIED).join(', ');

export function verbContract(world: () => World): void {
  it('a campaign pauses for the first reason, and resumes only from one of those given', async () => {
    const { n } = await world().launch(1);
    const { ledger, operator } = world();
    expect(await ledger.pause(n, { ...operator, reason: 'balance' })).toBe(true);
    expect(await ledger.pause(n, { ...operator, reason: 'window' })).toBe(false);
    expect(await ledger.pausedCampaigns()).toMatchObject([{ n, reason: 'balance' }]);
    expect(await ledger.resume(n, { ...operator, reasons: ['window', 'start'] })).toBe(false);
    expect(await ledger.resume(n, { ...operator, reasons: ['balance'], sender: 'NEW' })).toBe(true);
    expect(await ledger.campaign(n)).toMatchObject({ state: 'running', reason: null, sender: 'NEW' });
    expect(await ledger.resume(n, operator)).toBe(false);
    await ledger.pause(n, { ...operator, reason: 'operator' });
    expect(await ledger.resume(n, { ...operator, now: operator.now + 1, sender: 'NEW' })).toBe(true);
    // A sender that stays is no former one.
    expect(await world().values('former_sender', 'sender')).toEqual(['DUKA']);
  });

  it('the pause of a person takes the place of one that would end by itself, and of no other', async () => {
    const { n } = await world().launch(1);
    const { ledger, operator } = world();
    const byOperator = () => ledger.pause(n, { ...operator, reason: 'operator' });
    for (const reason of ['balance', 'window'] as const) {
      await ledger.pause(n, { ...operator, reason });
      expect(await byOperator()).toBe(true);
      expect(await ledger.campaign(n)).toMatchObject({ state: 'paused', reason: 'operator' });
      expect(await ledger.resume(n, { ...operator, reasons: [reason] })).toBe(false);
      await ledger.resume(n, operator);
    }
    await world().open.sql(
      'INSERT INTO canary (campaign, messages, wait_ms, delivered) VALUES (?, 1, 1, 1)',
      [n],
    );
    for (const reason of ['budget', 'errors', 'credentials', 'sender', 'operator'] as const) {
      await ledger.pause(n, { ...operator, reason });
      expect(await byOperator()).toBe(false);
      expect(await ledger.campaign(n)).toMatchObject({ state: 'paused', reason });
      await ledger.resume(n, operator);
    }
    await ledger.cancel(n, operator);
    expect(await byOperator()).toBe(false);
  });

  it('a budget is only raised, and a worker that found the former one used up does not pause for it any more', async () => {
    const { n } = await world().launch(1, { budgetMicro: 2 * PRICE });
    const { ledger, operator } = world();
    expect(await ledger.resume(n, { ...operator, budgetMicro: PRICE })).toBe(false);
    expect(await ledger.resume(n, { ...operator, budgetMicro: 3 * PRICE })).toBe(true);
    expect(await ledger.pause(n, { ...operator, reason: 'budget', usedUpMicro: 2 * PRICE })).toBe(false);
    expect(await ledger.pause(n, { ...operator, reason: 'budget', usedUpMicro: 3 * PRICE })).toBe(true);
    expect(await ledger.resume(n, { ...operator, reasons: ['window'], budgetMicro: 4 * PRICE })).toBe(true);
    expect(await ledger.campaign(n)).toMatchObject({ state: 'paused', budgetMicro: 4 * PRICE });
    expect(await ledger.resume(n, { ...operator, budgetMicro: 4 * PRICE })).toBe(true);
    expect(await ledger.campaign(n)).toMatchObject({ state: 'running', budgetMicro: 4 * PRICE });
    await ledger.cancel(n, operator);
    expect(await ledger.resume(n, { ...operator, budgetMicro: 5 * PRICE })).toBe(false);
  });

  it('cancel stops claims at once, cancels what is queued, and leaves what is in flight to its verdict [B8]', async () => {
    const campaign = await world().launch(25);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker, { limit: 2 });
    await world().open.sql("UPDATE message SET reason = 'network held' WHERE seq = 25");
    expect(await world().ledger.cancel(campaign.n, world().operator)).toBe(23);
    expect(await world().column('message', 'reason', 'seq = 25')).toBeNull();
    expect(await world().column('campaign', 'canceled_at', `n = ${campaign.n}`)).toBe(world().operator.now);
    expect(await world().claim(lease, worker)).toMatchObject({ messages: [], stop: 'lost' });
    expect(await world().ledger.cancel(campaign.n, world().operator)).toBe(0);
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: false });
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    expect(await world().ledger.latestNamed('promo')).toMatchObject({
      settled: true,
      campaign: { state: 'canceled' },
    });
    expect(await world().states(campaign.n)).toEqual({ sent: 2, canceled: 23 });
    expect(await world().ledger.resume(campaign.n, world().operator)).toBe(false);
  });

  it('what is called not sent goes in its own batch, though all of them were settled', async () => {
    const campaign = await world().launch(30);
    const worker = await world().worker();
    for (let batch = 0; batch < 3; batch += 1) {
      const lease = await world().lease(worker);
      const { messages } = await world().claim(lease, worker);
      await world().record(
        worker,
        messages.map((message) => (message.seq === 20 ? uncertain : sent)(campaign, message)),
      );
      expect(await world().ledger.releaseBatch({ ...lease, now: world().now })).toEqual({ settled: true });
    }
    const decided = { ...world().operator, decision: 'not_sent', before: world().now + 1 } as const;
    expect(await world().ledger.resolve(campaign.n, decided)).toMatchObject({ resolved: 1 });
    const { messages } = await world().claim(await world().lease(worker), worker);
    expect(messages.map(({ seq }) => seq)).toEqual([20]);
  });

  it('another campaign of the same contacts is found that was launched since, but none of the same files [B4]', async () => {
    const campaign = await world().launch(25);
    const { ledger, now: launchedAt } = world();
    const other = { ...campaign.hashes, job: 'another' };
    const found = { id: campaign.id, activatedAt: launchedAt };
    expect(await ledger.latestOfContacts(other, launchedAt)).toMatchObject(found);
    expect(await ledger.latestOfContacts(other, launchedAt + 1)).toBeNull();
    expect(await ledger.latestOfContacts({ ...campaign.hashes, template: 'another' }, 0)).toMatchObject(
      found,
    );
    expect(await ledger.latestOfContacts(campaign.hashes, 0)).toBeNull();
    expect(await ledger.latestOfContacts({ ...other, contacts: 'others' }, 0)).toBeNull();
  });

  it('of several with the same contacts the latest is found, and none that reminds, was only planned, or was canceled before its first message [B4]', async () => {
    const { ledger } = world();
    const draft = await world().draft(5);
    const contacts = draft.hashes.contacts;
    const other = { ...draft.hashes, job: 'another' };
    const launch = async (name: string, settings = {}) => {
      const campaign = await world().launch(5, { name, settings });
      await world().open.sql('UPDATE campaign SET hash_contacts = ? WHERE n = ?', [contacts, campaign.n]);
      return campaign;
    };
    expect(await ledger.latestOfContacts(other, 0)).toBeNull();
    await launch('reminders', { remind: { column: 'due', offsetMs: 0, at: null } });
    expect(await ledger.latestOfContacts(other, 0)).toBeNull();
    const earlier = await launch('earlier');
    const later = await launch('later');
    expect(await ledger.latestOfContacts(other, 0)).toMatchObject({ id: later.id });
    await ledger.cancel(later.n, world().operator);
    expect(await ledger.latestOfContacts(other, 0)).toMatchObject({ id: earlier.id });
    await ledger.cancel(earlier.n, world().operator);
    expect(await ledger.latestOfContacts(other, 0)).toBeNull();
  });

  it('cancel of a campaign of many steps cancels all of it', async () => {
    const campaign = await world().launch(12_000, { settings: { batchSize: 7 } });
    expect(await world().ledger.cancel(campaign.n, world().operator)).toBe(12_000);
    expect(await world().states(campaign.n)).toEqual({ canceled: 12_000 });
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: true });
  });

  it('a cancel that was killed in between is finished by the sweep', async () => {
    const campaign = await world().launch(25);
    await world().open.sql("UPDATE campaign SET state = 'canceled', canceled_at = 1 WHERE n = ?", [
      campaign.n,
    ]);
    await world().ledger.startDue(world().now);
    expect(await world().states(campaign.n)).toEqual({ canceled: 25 });
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: true });
  });

  it('a finished campaign cannot be canceled, a draft neither', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    await world().ledger.retireWorker(worker, world().now);
    expect(await world().ledger.cancel(campaign.n, world().operator)).toBe(0);
    expect((await world().ledger.campaign(campaign.n))?.state).toBe('running');
    const draft = await world().draft(1);
    await expect(world().ledger.cancel(draft.n, world().operator)).rejects.toMatchObject({
      code: 'state_forbids',
    });
    await expect(world().ledger.pause(77, { ...world().operator, reason: 'operator' })).rejects.toMatchObject(
      { code: 'not_found' },
    );
  });

  it('retry puts back the rejected messages that a retry can help, or those of one reason, and no uncertain one', async () => {
    const { campaign, worker, lease, messages } = await world().sending(4);
    const [one, two, three, four] = messages as [
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
    ];
    await world().record(worker, [
      rejected(campaign, one, true),
      rejected(campaign, two, false),
      uncertain(campaign, three),
      sent(campaign, four),
    ]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    await world().open.sql('UPDATE message SET tries = 3, not_before = 7 WHERE seq = 1');
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: true });
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(1);
    expect(await world().ledger.latestNamed('promo')).toMatchObject({ settled: false });
    expect(await world().ledger.retry(campaign.n, { ...world().operator, reason: 'invalid mobile' })).toBe(1);
    for (const reason of ['other', 'no answer in time'])
      expect(await world().ledger.retry(campaign.n, { ...world().operator, reason })).toBe(0);
    // As if it had never been tried, but for the number of its attempt.
    expect(await world().open.sql(`SELECT ${UNTRIED_COLUMNS} FROM message WHERE seq = 1`)).toEqual([UNTRIED]);
    const again = await world().claim(await world().lease(worker), worker);
    expect(again.messages.map(({ seq, attempt, tries }) => [seq, attempt, tries])).toEqual([
      [1, 2, 0],
      [2, 2, 0],
    ]);
    expect(await world().open.sql('SELECT seq, outcome, reason FROM attempt WHERE seq = 1')).toEqual([
      { seq: 1, outcome: 'rejected', reason: 'invalid mobile' },
    ]);
  });

  it('retry and resolve --not-sent are refused on a canceled campaign; resolve --sent is not', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().ledger.cancel(campaign.n, world().operator);
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    const { ledger, operator } = world();
    const before = world().now + 1;
    await expect(ledger.retry(campaign.n, operator)).rejects.toMatchObject({ code: 'state_forbids' });
    const notSent = ledger.resolve(campaign.n, { ...operator, decision: 'not_sent', before });
    await expect(notSent).rejects.toMatchObject({ code: 'state_forbids' });
    expect(await ledger.resolve(campaign.n, { ...operator, decision: 'sent', before })).toEqual({
      resolved: 1,
      tooYoung: 0,
    });
  });

  it('resolve --not-sent takes only messages that are old enough, and tells how many are not', async () => {
    const { campaign, worker, lease, messages } = await world().sending(3);
    const [one, two, three] = messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];
    await world().record(worker, [uncertain(campaign, one)]);
    world().now += 600_000;
    await world().ledger.heartbeat(worker, world().now);
    await world().record(worker, [uncertain(campaign, two), uncertain(campaign, three)]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    const change = { ...world().operator, decision: 'not_sent', before: world().now } as const;
    await world().open.sql('UPDATE message SET tries = 3, not_before = 7 WHERE seq = 1');
    expect(await world().ledger.resolve(campaign.n, change)).toEqual({ resolved: 1, tooYoung: 2 });
    expect(await world().open.sql(`SELECT ${UNTRIED_COLUMNS} FROM message WHERE seq = 1`)).toEqual([UNTRIED]);
    expect(await world().states(campaign.n)).toEqual({ queued: 1, uncertain: 2 });
    expect(await world().column('campaign', 'spent', `n = ${campaign.n}`)).toBe(2 * PRICE);
    expect(await world().ledger.beginReading('C-100', world().now)).toMatchObject({
      reservedMicro: 2 * PRICE,
    });
    expect((await world().claim(await world().lease(worker), worker)).messages).toMatchObject([
      { seq: 1, attempt: 2 },
    ]);
  });

  it('resolve takes all, or one line, or one mobile; what is written off stays uncertain and is closed', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    const { ledger, operator } = world();
    const before = world().now;
    expect(await ledger.resolve(campaign.n, { ...operator, decision: 'write_off', before, line: 1 })).toEqual(
      { resolved: 1, tooYoung: 0 },
    );
    expect(await ledger.resolve(campaign.n, { ...operator, decision: 'write_off', before, line: 1 })).toEqual(
      { resolved: 1, tooYoung: 0 },
    );
    expect(
      await ledger.resolve(campaign.n, { ...operator, decision: 'sent', before, mobile: '254700000002' }),
    ).toEqual({ resolved: 1, tooYoung: 0 });
    expect(await ledger.resolve(campaign.n, { ...operator, decision: 'sent', before })).toEqual({
      resolved: 2,
      tooYoung: 0,
    });
    expect(await world().states(campaign.n)).toEqual({ sent: 3, uncertain: 1 });
    expect(await world().column('message', 'written_off', 'seq = 1')).toBe(1);
    expect(await ledger.beginReading('C-100', before)).toMatchObject({
      assumedMicro: 3 * PRICE,
      reservedMicro: PRICE,
    });
    expect(await world().column('campaign', 'spent', `n = ${campaign.n}`)).toBe(4 * PRICE);
    expect(
      await ledger.resolve(campaign.n, { ...operator, decision: 'sent', before, mobile: '254700000001' }),
    ).toEqual({ resolved: 1, tooYoung: 0 });
    expect(await world().open.sql('SELECT 1 FROM message WHERE reason IS NOT NULL')).toEqual([]);
  });

  it('resolve asks each of more uncertain messages than a step takes, once, also where all are too young', async () => {
    const { n } = await world().launch(5_001);
    const { ledger, operator, now, open } = world();
    await open.sql(
      "UPDATE message SET state = 'sending', actor = 'claimer', lost = 1, attempt = 1, claimed_at = 1",
    );
    await open.sql("UPDATE message SET state = 'uncertain', actor = 'reaper', settled_at = ?", [now]);
    expect(await ledger.resolve(n, { ...operator, decision: 'not_sent', before: now })).toEqual({
      resolved: 0,
      tooYoung: 5_001,
    });
  });

  it('a scheduled campaign starts when it is due, and pauses when it was missed by more than its deadline', async () => {
    const { now } = world();
    const due = await world().launch(1, { name: 'due', startAt: now + 1_000 });
    const late = await world().launch(1, { name: 'late', startAt: now - 8_000_000 });
    expect(due.state).toBe('scheduled');
    expect(await world().ledger.dueBatches({ now: now + 5_000, perCampaign: 9 })).toEqual([]);
    expect(await world().ledger.startDue(now)).toMatchObject([
      { campaign: { n: late.n, state: 'paused', reason: 'start' }, started: false },
    ]);
    expect(await world().ledger.startDue(now + 1_000)).toMatchObject([
      { campaign: { n: due.n, state: 'running' }, started: true },
    ]);
    expect(await world().ledger.startDue(now + 2_000)).toEqual([]);
    expect(await world().ledger.cancel(late.n, world().operator)).toBe(1);
  });

  it('transactional campaigns come first among the due, and no campaign crowds out another', async () => {
    await world().launch(100, { name: 'promo', kind: 'promotional' });
    const notice = await world().launch(30, { name: 'notice' });
    const due = await world().ledger.dueBatches({ now: world().now, perCampaign: 2 });
    expect(due.map(({ kind }) => kind)).toEqual([
      'transactional',
      'transactional',
      'promotional',
      'promotional',
    ]);
    await world().ledger.pause(notice.n, { ...world().operator, reason: 'operator' });
    const left = await world().ledger.dueBatches({ now: world().now, perCampaign: 2 });
    expect(left.map(({ kind }) => kind)).toEqual(['promotional', 'promotional']);
  });

  it.each(['retry', 'resolve'] as const)(
    '%s makes a finished campaign run again that was paused meanwhile',
    async (verb) => {
      const { campaign, worker, messages, lease } = await world().sending(2);
      await world().ledger.releaseBatch({ ...lease, now: world().now });
      await world().ledger.pause(campaign.n, { ...world().operator, reason: 'errors' });
      const fate = (message: ClaimedMessage) =>
        verb === 'retry' ? rejected(campaign, message, true) : uncertain(campaign, message);
      await world().record(worker, messages.map(fate));
      expect(await world().ledger.campaign(campaign.n)).toMatchObject({ state: 'paused' });
      world().now += 1_000;
      if (verb === 'retry') await world().ledger.retry(campaign.n, world().operator);
      else
        await world().ledger.resolve(campaign.n, {
          ...world().operator,
          decision: 'not_sent',
          before: world().now,
        });
      expect(await world().ledger.campaign(campaign.n)).toMatchObject({ state: 'running', reason: null });
      expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 1 })).toHaveLength(1);
    },
  );

  it('retry leaves a campaign paused that has something else to send', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    const [first, second] = messages as [ClaimedMessage, ClaimedMessage];
    await world().record(worker, [rejected(campaign, first, true), requeued(campaign, second)]);
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(1);
    expect(await world().ledger.campaign(campaign.n)).toMatchObject({ state: 'paused', reason: 'operator' });
  });
}
