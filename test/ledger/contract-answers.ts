import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { ClaimedMessage, Evidence, Outcome } from '../../src/ledger/contracts/sending.ts';
import { reminderWorld } from './reminder-world.ts';
import { KES, PRICE, rejected, requeued, row, sent, uncertain, type World } from './contract-world.ts';

const HOUR_MS = 3_600_000;

/** Answers that the profile does not know wait for a person, who says once what they mean. */
export function answersContract(world: () => World): void {
  const FUNDS = {
    httpStatus: 402,
    code: null,
    question: { content: 'funds', words: 'Insufficient funds' },
  };
  const BARRED = { httpStatus: 200, code: '14', question: { content: 'barred', words: '' } };

  const asked = (group: Omit<Evidence, 'raw'> = FUNDS, raw = '{}') => ({ ...group, raw });
  const unknown = (
    campaign: Campaign,
    message: ClaimedMessage,
    group = FUNDS as Omit<Evidence, 'raw'>,
  ): Outcome => {
    return { ...uncertain(campaign, message), evidence: asked(group) };
  };
  const map = (answer: number, meaning: 'credit' | 'contact' | 'accepted' | 'uncertain') =>
    world().ledger.mapAnswer({ ...world().operator, answer, meaning });
  const unmap = (answer: number) => world().ledger.unmapAnswer({ ...world().operator, answer });
  const retry = (campaign: Campaign) => world().ledger.retry(campaign.n, world().operator);
  const groups = async () => (await world().reader()).answers();
  const stateOf = async (campaign: Campaign, seq = 1) => (await world().message(campaign.n, seq)).state;

  /** One message whose unknown answer was called `credit`: rejected, and a retry helps. */
  async function calledCredit(count = 1) {
    const sending = await world().sending(count);
    await world().record(
      sending.worker,
      sending.messages.map((message) => unknown(sending.campaign, message)),
    );
    expect(await map(1, 'credit')).toBe(count);
    return sending;
  }

  /** The next attempt of a retried message. */
  async function claimAgain({ worker, lease }: Awaited<ReturnType<typeof calledCredit>>) {
    const [message] = (await world().claim(lease, worker)).messages as [ClaimedMessage];
    return message;
  }

  it('one group has one number, and counts how often it came and what waits for it [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    const [one, two, three, four] = messages as [
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
    ];
    await world().record(worker, [
      unknown(campaign, one),
      unknown(campaign, two),
      unknown(campaign, three, BARRED),
      uncertain(campaign, four),
    ]);
    const open = { meaning: null, mappedBy: null, lastAt: world().now, example: '{}' };
    const funds = { httpStatus: 402, code: null, words: 'Insufficient funds' };
    const barred = { httpStatus: 200, code: '14', words: '' };
    expect(await groups()).toEqual([
      { ...open, ...funds, answer: 1, count: 2, messages: 2 },
      { ...open, ...barred, answer: 2, count: 1, messages: 1 },
    ]);
    const reader = await world().reader();
    expect(await reader.openAnswers(campaign.n)).toEqual(await reader.openAnswers(null));
    expect(await reader.openAnswers(campaign.n + 1)).toEqual([]);
  });

  it('the same words with another content or HTTP status are another group [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(3);
    const others = [
      FUNDS,
      { ...FUNDS, httpStatus: 200 },
      { ...FUNDS, question: { content: 'x', words: 'Insufficient funds' } },
    ];
    await world().record(
      worker,
      messages.map((message, index) => unknown(campaign, message, others[index])),
    );
    expect(await groups()).toHaveLength(3);
    expect(await map(1, 'accepted')).toBe(1);
    expect(await world().states(campaign.n)).toEqual({ sent: 1, uncertain: 2 });
  });

  it('a day brings a hundred new groups at most; further answers wait one by one [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(105);
    const answer = (message: ClaimedMessage) =>
      unknown(campaign, message, { ...FUNDS, question: { content: `c${message.seq}`, words: 'Held' } });
    await world().record(worker, messages.slice(0, 103).map(answer));
    expect(await groups()).toHaveLength(100);
    expect(await world().states(campaign.n)).toEqual({ uncertain: 103, sending: 2 });
    world().now += 24 * HOUR_MS;
    await world().record(worker, messages.slice(103).map(answer));
    expect(await groups()).toHaveLength(102);
  });

  it('a person sees whole examples first, and what delivery reports say against the meaning [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    await world().record(
      worker,
      messages.map((message) => ({
        ...unknown(campaign, message),
        evidence: asked(FUNDS, `{"n":${message.seq % 3}}`),
      })),
    );
    world().now += 1;
    await world().report({ messageId: 'x-1', mobile: row(1).mobile });
    await world().report({ messageId: 'x-2', mobile: row(2).mobile, word: 'Zorblified', delivery: null });
    const evidence = await (await world().reader()).answerEvidence({ answer: 1, limit: 2 });
    expect(evidence).toEqual({
      examples: [expect.stringMatching(/^\{"n":\d\}$/), expect.stringMatching(/^\{"n":\d\}$/)],
      provedSent: 1,
      namedByReports: 1,
    });
    expect(new Set(evidence.examples).size).toBe(2);
  });

  it('a class of refusal rejects what waits, frees its money, and says whether a retry helps [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    await world().record(worker, [unknown(campaign, one), uncertain(campaign, two)]);
    expect(await map(1, 'credit')).toBe(1);
    expect(await map(1, 'credit')).toBe(0);
    expect(await world().message(campaign.n, 1)).toMatchObject({
      state: 'rejected',
      reason: 'credit refused',
    });
    expect(await world().message(campaign.n, 2)).toMatchObject({ state: 'uncertain' });
    expect((await (await world().reader()).overview(campaign.n)).spentMicro).toBe(PRICE);
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(1);
  });

  it('accepted makes them sent, of unknown cost, by the mapping [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(worker, [unknown(campaign, messages[0] as ClaimedMessage)]);
    expect(await map(1, 'accepted')).toBe(1);
    expect(await world().message(campaign.n, 1)).toMatchObject({
      state: 'sent',
      costMicro: null,
      delivery: 'pending',
    });
    expect(await world().open.sql('SELECT basis FROM message')).toEqual([{ basis: 'mapping' }]);
    await world().verify();
  });

  it('a later answer is decided in the commit that records it, until the mapping is taken back [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(3);
    const [one, two, three] = messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];
    await world().record(worker, [unknown(campaign, one)]);
    await map(1, 'contact');
    expect(await world().ledger.mappedAnswers()).toEqual([
      { httpStatus: 402, content: 'funds', meaning: 'contact' },
    ]);
    await world().record(worker, [unknown(campaign, two)]);
    expect(await world().message(campaign.n, 2)).toMatchObject({
      state: 'rejected',
      reason: 'invalid mobile',
    });
    expect(await unmap(1)).toBe(2);
    expect(await unmap(1)).toBeNull();
    await world().record(worker, [unknown(campaign, three)]);
    expect(await world().states(campaign.n)).toEqual({ uncertain: 3 });
  });

  it('only the present meaning in the ledger decides, whatever the worker concluded, and it never queues [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    const [one, two, three, four] = messages as [
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
    ];
    const evidence = asked();
    await world().record(worker, [unknown(campaign, one)]);
    await map(1, 'credit');
    await world().record(worker, [
      { ...requeued(campaign, two), evidence },
      { ...rejected(campaign, three), evidence },
    ]);
    for (const seq of [2, 3])
      expect(await world().message(campaign.n, seq)).toMatchObject({
        state: 'rejected',
        reason: 'credit refused',
      });
    await unmap(1);
    await world().record(worker, [{ ...rejected(campaign, four), evidence }]);
    expect(await world().states(campaign.n)).toEqual({ uncertain: 4 });
    expect(await map(1, 'accepted')).toBe(4);
    await world().verify();
  });

  it('a noted verdict of a dead worker follows the present meaning, too [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    const noted = (message: ClaimedMessage) =>
      world().ledger.recordOutcomes({
        worker,
        by: 'reaper',
        now: world().now,
        outcomes: [{ ...rejected(campaign, message), evidence: asked() }],
        pauses: [],
      });
    await noted(one);
    expect(await stateOf(campaign)).toBe('uncertain');
    await map(1, 'credit');
    await noted(two);
    expect(await stateOf(campaign, 2)).toBe('rejected');
  });

  it('another meaning first needs the old one to be taken back, with what it decided [P6b]', async () => {
    const { campaign } = await calledCredit();
    expect(await map(1, 'accepted')).toBeNull();
    expect(await stateOf(campaign)).toBe('rejected');
    expect(await unmap(1)).toBe(1);
    expect(await map(1, 'accepted')).toBe(1);
    expect(await stateOf(campaign)).toBe('sent');
  });

  it('unmap makes what it decided uncertain again, at the highest price that is known by now [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(3);
    const [one, two, three] = messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];
    await world().record(worker, [unknown(campaign, one), unknown(campaign, two, BARRED)]);
    await map(1, 'credit');
    await map(2, 'accepted');
    await world().record(worker, [sent(campaign, three, { costMicro: 2 * KES })]);
    world().now += HOUR_MS;
    expect([await unmap(1), await unmap(2)]).toEqual([1, 1]);
    for (const seq of [1, 2])
      expect(await world().message(campaign.n, seq)).toMatchObject({
        state: 'uncertain',
        reason: 'mapping taken back',
        delivery: null,
      });
    const overview = await (await world().reader()).overview(campaign.n);
    expect(overview).toMatchObject({ state: 'finished', spentMicro: 6 * KES });
    expect(await world().column('account', 'reserved', 'TRUE')).toBe(2 * KES);
    await world().verify();
    const decided = { ...world().operator, decision: 'not_sent', before: world().now } as const;
    expect(await world().ledger.resolve(campaign.n, decided)).toEqual({ resolved: 0, tooYoung: 2 });
    world().now += HOUR_MS;
    expect(await world().ledger.resolve(campaign.n, { ...decided, before: world().now })).toEqual({
      resolved: 2,
      tooYoung: 0,
    });
    await world().verify();
  });

  it('unmap counts the price of the launch while the account has paid nothing but gifts [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(2, { priceMicro: 2 * KES });
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    await world().record(worker, [unknown(campaign, one)]);
    await map(1, 'credit');
    await world().record(worker, [sent(campaign, two, { costMicro: 0 })]);
    expect(await unmap(1)).toBe(1);
    expect(await world().column('account', 'reserved', 'TRUE')).toBe(2 * KES);
    await world().verify();
  });

  it('unmap takes back what a retry has queued, and a person can decide and map it anew [P6b]', async () => {
    const sending = await calledCredit();
    const { campaign } = sending;
    expect(await retry(campaign)).toBe(1);
    expect(await unmap(1)).toBe(1);
    expect(await stateOf(campaign)).toBe('uncertain');
    expect((await (await world().reader()).overview(campaign.n)).state).toBe('finished');
    await world().verify();
    expect(await map(1, 'credit')).toBe(1);
    expect(await retry(campaign)).toBe(1);
    expect(await unmap(1)).toBe(1);
    const later = { now: world().now + 1, by: 'operator' };
    await world().ledger.resolve(campaign.n, { ...later, decision: 'not_sent', before: world().now + 1 });
    expect(await stateOf(campaign)).toBe('queued');
    // The person decided by herself, so another mapping and its end change nothing.
    await map(1, 'accepted');
    expect(await unmap(1)).toBe(0);
    expect(await stateOf(campaign)).toBe('queued');
    await claimAgain(sending);
    await world().verify();
  });

  it('unmap takes back what was queued by a retry and then claimed and put back [P6b]', async () => {
    const sending = await calledCredit();
    const { campaign, worker } = sending;
    await retry(campaign);
    await world().record(worker, [requeued(campaign, await claimAgain(sending))]);
    expect(await unmap(1)).toBe(1);
    expect(await stateOf(campaign)).toBe('uncertain');
    await world().verify();
    const decided = { ...world().operator, decision: 'not_sent', before: world().now + 1 } as const;
    expect((await world().ledger.resolve(campaign.n, decided)).resolved).toBe(1);
    await world().record(worker, [sent(campaign, await claimAgain(sending))]);
    await world().verify();
  });

  it.each([
    ['put back', requeued],
    ['refused for sure', rejected],
  ] as const)(
    'unmap is refused while a later attempt is on the wire, and makes it uncertain once that is %s, because the first one may have been sent [P6b]',
    async (_how, verdict) => {
      const sending = await calledCredit();
      const { campaign, worker } = sending;
      await retry(campaign);
      const again = await claimAgain(sending);
      await expect(unmap(1)).rejects.toMatchObject({ code: 'state_forbids' });
      await world().record(worker, [verdict(campaign, again)]);
      expect(await unmap(1)).toBe(1);
      expect(await world().message(campaign.n, 1)).toMatchObject({
        state: 'uncertain',
        reason: 'mapping taken back',
      });
      await world().verify();
    },
  );

  it('while unmap is refused what a retry has queued still goes, until its campaign is paused, as the refusal says [P6b]', async () => {
    const sending = await calledCredit(3);
    const { campaign, lease, worker } = sending;
    await retry(campaign);
    const { messages } = await world().claim(lease, worker, { limit: 1 });
    const refused = { code: 'state_forbids', hint: expect.stringContaining(campaign.id) as string };
    await expect(unmap(1)).rejects.toMatchObject(refused);
    expect(await world().states(campaign.n)).toEqual({ sending: 1, queued: 2 });
    await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    expect((await world().claim(lease, worker)).messages).toEqual([]);
    await world().record(
      worker,
      messages.map((message) => requeued(campaign, message)),
    );
    expect(await unmap(1)).toBe(3);
    expect(await world().states(campaign.n)).toEqual({ uncertain: 3 });
    await world().verify();
  });

  it('what was sent since stays sent, also by the late answer to a mapped attempt [P6b]', async () => {
    const sending = await calledCredit();
    const { campaign, worker } = sending;
    await retry(campaign);
    const again = await claimAgain(sending);
    await world().record(worker, [sent(campaign, again)]);
    expect(await unmap(1)).toBe(0);
    expect(await stateOf(campaign)).toBe('sent');
    await world().verify();
  });

  it('a later attempt that was refused for sure does not hide the one that a mapping decided [P6b]', async () => {
    const sending = await calledCredit();
    const { campaign, worker } = sending;
    await retry(campaign);
    await world().record(worker, [rejected(campaign, await claimAgain(sending), true)]);
    expect(await unmap(1)).toBe(1);
    expect(await stateOf(campaign)).toBe('uncertain');
    await world().verify();
  });

  it('of two mappings that decided two attempts, either one that is taken back makes it uncertain [P6b]', async () => {
    const sending = await calledCredit();
    const { campaign, worker } = sending;
    await retry(campaign);
    await world().record(worker, [unknown(campaign, await claimAgain(sending), BARRED)]);
    expect(await map(2, 'contact')).toBe(1);
    expect(await unmap(1)).toBe(1);
    expect(await stateOf(campaign)).toBe('uncertain');
    await world().verify();
  });

  it('nothing of a canceled campaign is taken back but what it decided last, and that never goes [P6b]', async () => {
    const { campaign } = await calledCredit(2);
    await retry(campaign);
    await world().ledger.cancel(campaign.n, world().operator);
    expect(await unmap(1)).toBe(0);
    expect(await world().states(campaign.n)).toEqual({ canceled: 2 });
    const other = await world().sending(1, { name: 'other', firstMobile: 50 });
    await world().record(other.worker, [unknown(other.campaign, other.messages[0] as ClaimedMessage)]);
    await map(1, 'credit');
    await world().ledger.cancel(other.campaign.n, world().operator);
    expect(await unmap(1)).toBe(1);
    expect(await stateOf(other.campaign)).toBe('uncertain');
    const decided = { ...world().operator, decision: 'not_sent', before: world().now + 1 } as const;
    await expect(world().ledger.resolve(other.campaign.n, decided)).rejects.toMatchObject({
      code: 'state_forbids',
    });
    await world().verify();
  });

  it('a retried reminder that was skipped for its new date is uncertain again, and the new date waits for a person [P6b]', async () => {
    const { launch, correct, sendDue } = reminderWorld(world);
    const person = (day: number) => [
      { who: 1, day, key: 'a' },
      { who: 2, day: 9, key: 'a' },
    ];
    const campaign = await launch(person(0), { keyed: true });
    expect(await sendDue(campaign, (of, message) => unknown(of, message))).toBe(1);
    await map(1, 'credit');
    world().now += 1_000;
    await correct(campaign, person(3), { keyed: true });
    expect(await retry(campaign)).toBe(0);
    expect([await stateOf(campaign, 1), await stateOf(campaign, 3)]).toEqual(['skipped', 'queued']);
    expect(await unmap(1)).toBe(1);
    expect([await stateOf(campaign, 1), await stateOf(campaign, 3)]).toEqual(['uncertain', 'skipped']);
    await world().verify();
    world().now += 1_000;
    const decided = { ...world().operator, decision: 'not_sent', before: world().now } as const;
    expect((await world().ledger.resolve(campaign.n, decided)).resolved).toBe(1);
    expect([await stateOf(campaign, 1), await stateOf(campaign, 3)]).toEqual(['canceled', 'queued']);
    await world().verify();
  });

  it('only what a mapping or a report decided becomes uncertain again, whoever asks the database', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    await world().record(worker, [sent(campaign, one), rejected(campaign, two)]);
    const change = (seq: number) =>
      world().open.sql("UPDATE message SET state = 'uncertain', actor = 'operator' WHERE seq = ?", [seq]);
    for (const seq of [1, 2])
      await expect(change(seq)).rejects.toThrow('only a report or a mapping can be taken back');
  });

  it('a retry of a rejection by a mapping waits until its answer is old enough [P6b]', async () => {
    const { campaign } = await calledCredit();
    const wait = { campaign: campaign.n, reason: null };
    const leftOut = async () =>
      (await world().reader()).leftOut({ ...wait, answeredBefore: world().now - HOUR_MS });
    const retryNow = () =>
      world().ledger.retry(campaign.n, { ...world().operator, answeredBefore: world().now - HOUR_MS });
    expect(await retryNow()).toBe(0);
    expect(await leftOut()).toEqual({ named: 0, tooYoung: 1 });
    // The answer counts, not the moment of the mapping.
    world().now += HOUR_MS + 1;
    expect(await leftOut()).toEqual({ named: 0, tooYoung: 0 });
    expect(await retryNow()).toBe(1);
  });

  it('nobody whom a waiting report names is sent to again: a retry leaves the rejected message out [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    const [one, two, three, four] = messages as [
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
    ];
    world().now -= 1;
    await world().report({ messageId: 'early', mobile: row(3).mobile });
    world().now += 1;
    await world().record(worker, [unknown(campaign, one), unknown(campaign, two), unknown(campaign, three)]);
    await world().record(worker, [rejected(campaign, four, true)]);
    await map(1, 'credit');
    world().now += HOUR_MS;
    await world().report({ messageId: 'x-1', mobile: row(1).mobile });
    await world().report({ messageId: 'x-4', mobile: row(4).mobile, delivery: 'undelivered' });
    world().now += 72 * HOUR_MS;
    const late = await world().post({ reports: [{ messageId: 'x-2', mobile: row(2).mobile }] });
    const reader = await world().reader();
    const contradicted = [{ campaign: campaign.id, messages: 2, lastAt: world().now - 72 * HOUR_MS }];
    expect(await reader.contradictions(null)).toEqual(contradicted);
    expect(await reader.contradictions(campaign.n)).toEqual(contradicted);
    expect(await reader.contradictions(campaign.n + 1)).toEqual([]);
    expect(await reader.contradictingWebhooks(9)).toHaveLength(2);
    expect(await reader.contradictingWebhooks(9)).not.toContain(late);
    expect(await retry(campaign)).toBe(2);
    expect(await world().states(campaign.n)).toEqual({ rejected: 2, queued: 2 });
    const now = { campaign: campaign.n, reason: null, answeredBefore: world().now };
    expect(await reader.leftOut(now)).toEqual({ named: 2, tooYoung: 0 });
    await world().verify();
    // Taken back, the report finds its message.
    expect(await unmap(1)).toBe(3);
    await world().ledger.joinWaiting(world().now);
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'delivered' });
    await world().verify();
  });

  it('a report that came after an earlier attempt counts as well [P6b]', async () => {
    const sending = await calledCredit();
    const { campaign, worker } = sending;
    world().now += 1;
    await world().report({ messageId: 'x-1', mobile: row(1).mobile, word: 'Odd', delivery: null });
    await world().open.sql('UPDATE report SET mobile = NULL');
    await retry(campaign);
    world().now += 1;
    await world().record(worker, [rejected(campaign, await claimAgain(sending), true)]);
    await world().open.sql('UPDATE report SET mobile = ?', [row(1).mobile]);
    expect(await retry(campaign)).toBe(0);
    expect(await stateOf(campaign)).toBe('rejected');
  });

  it('not sent in bulk leaves out whom a waiting report names; one message by itself is decided [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    world().now += 1;
    await world().report({ messageId: 'x-1', mobile: row(1).mobile, word: 'Odd', delivery: null });
    const decided = { ...world().operator, decision: 'not_sent', before: world().now } as const;
    expect(await world().ledger.resolve(campaign.n, decided)).toEqual({ resolved: 1, tooYoung: 0, named: 1 });
    expect(await world().states(campaign.n)).toEqual({ uncertain: 1, queued: 1 });
    const one = { ...decided, mobile: row(1).mobile };
    expect(await world().ledger.resolve(campaign.n, one)).toEqual({ resolved: 1, tooYoung: 0 });
  });

  it('uncertain leaves them, closes the question, and a written-off message is not asked about [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    await world().record(worker, [unknown(campaign, one), unknown(campaign, two)]);
    await world().ledger.resolve(campaign.n, {
      ...world().operator,
      decision: 'write_off',
      before: world().now,
      line: 2,
    });
    expect(await (await world().reader()).openAnswers(null)).toMatchObject([{ messages: 1 }]);
    expect(await map(1, 'uncertain')).toBe(0);
    expect(await (await world().reader()).openAnswers(null)).toEqual([]);
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'uncertain' });
  });

  it('the answer of an earlier attempt decides nothing of a later one, and no group is no group [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    const [message] = messages as [ClaimedMessage];
    await world().record(worker, [unknown(campaign, message)]);
    await world().record(worker, [sent(campaign, message)]);
    expect(await map(1, 'contact')).toBe(0);
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', costMicro: PRICE });
    expect(await map(7, 'contact')).toBeNull();
  });
}
