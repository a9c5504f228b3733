import { expect, it } from 'vitest';
import type { ReplyRow } from '../../src/ledger/contracts/replies.ts';
import { replyOf } from './contract-replies.ts';
import { rejected, requeued, row, sent, type World } from './contract-world.ts';

const ONE = '254700000001';
const TWO = '254700000002';

export function findingContract(world: () => World): void {
  /** Every page of a list, by pages of two. */
  async function conversations(): Promise<ReplyRow[]> {
    const reader = await world().reader();
    const all: ReplyRow[] = [];
    for (;;) {
      const page = await reader.conversations({ before: all.at(-1) ?? null, limit: 2 });
      all.push(...page);
      if (page.length < 2) return all;
    }
  }

  it('the inbox shows each number once, by its latest reply, in pages', async () => {
    for (const [mobile, text] of [
      [ONE, 'first'],
      [TWO, 'only'],
      [ONE, 'second'],
      ['254700000003', 'third'],
      [ONE, 'last'],
    ] as const) {
      world().now += 1_000;
      await world().post({ replies: [replyOf(mobile, { text })] });
    }
    expect((await conversations()).map(({ text }) => text)).toEqual(['last', 'third', 'only']);
    const reader = await world().reader();
    const own = await reader.repliesFrom({ mobile: ONE, before: null, limit: 2 });
    expect(own.map(({ text }) => text)).toEqual(['last', 'second']);
    const older = await reader.repliesFrom({ mobile: ONE, before: own[1] ?? null, limit: 2 });
    expect(older.map(({ text }) => text)).toEqual(['first']);
    expect(await reader.reply(own[0]?.id ?? 0)).toMatchObject({ mobile: ONE, text: 'last' });
    expect(await reader.reply(9_999)).toBeNull();
  });

  it('what was taken back or purged stands in no conversation, and an earlier reply of the number comes back', async () => {
    await world().post({ replies: [replyOf(ONE, { text: 'true' })] });
    world().now += 1_000;
    await world().post({ replies: [replyOf(ONE, { text: 'forged' })], ip: '192.0.2.9' });
    await world().ledger.voidWebhooks({ ...world().operator, ip: '192.0.2.9', since: null });
    expect((await conversations()).map(({ text }) => text)).toEqual(['true']);
    await world().ledger.purgeTraces({ ...world().operator, before: world().now });
    expect(await conversations()).toEqual([]);
  });

  it('the messages to a number are found in every campaign, in pages, and drafts are not', async () => {
    const first = await world().launch(3);
    const second = await world().launch(2, { name: 'second' });
    await world().draft(2, { name: 'third' });
    const reader = await world().reader();
    const [latest] = await reader.messagesTo({ mobile: TWO, before: null, limit: 1 });
    expect(latest).toMatchObject({ campaign: second.n, seq: 2, mobile: TWO, state: 'queued' });
    const rest = await reader.messagesTo({ mobile: TWO, before: latest ?? null, limit: 5 });
    expect(rest.map(({ campaign, seq }) => [campaign, seq])).toEqual([[first.n, 2]]);
    expect(await reader.messagesTo({ mobile: '254799999999', before: null, limit: 5 })).toEqual([]);
  });

  it('a message is found by its id, in other letters, too', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const outcomes = messages.map((message) =>
      sent(campaign, message, { messageId: message.seq === 1 ? '00AB-9' : 'other' }),
    );
    await world().record(worker, outcomes);
    const reader = await world().reader();
    for (const messageId of ['00AB-9', 'ab-9'])
      expect(await reader.messagesOfId({ messageId, limit: 5 })).toMatchObject([
        { campaign: campaign.n, seq: 1 },
      ]);
    await world().report({ messageId: '00AB-9' });
    expect(await reader.messagesOfId({ messageId: '00AB-9', limit: 5 })).toHaveLength(1);
    expect(await reader.messagesOfId({ messageId: 'nobody', limit: 5 })).toEqual([]);
  });

  it('a page of messages says of each what a search for it says, and without fields the rest of it', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    const [one, two, three] = messages as [(typeof messages)[0], (typeof messages)[0], (typeof messages)[0]];
    world().now += 1_000;
    const evidence = { httpStatus: 400, code: '1004', raw: '{"bad":1}', words: 'no such number' };
    await world().record(worker, [
      sent(campaign, one, { messageId: 'first' }),
      { ...rejected(campaign, two), evidence },
      requeued(campaign, three, world().now + 5),
    ]);
    world().now += 1_000;
    await world().report({ messageId: 'first' });
    const reader = await world().reader();
    const page = await world().messages(campaign.n);
    expect(page.map(({ state }) => state)).toEqual(['sent', 'rejected', 'queued', 'sending']);
    for (const { mobile, ...message } of page)
      expect(await reader.messagesTo({ mobile, before: null, limit: 5 })).toEqual([
        { campaign: campaign.n, mobile, ...message },
      ]);
    const query = { campaign: campaign.n, afterSeq: 0, limit: 10, states: null, withFields: false };
    expect(await reader.messages(query)).toEqual(page.map((message) => ({ ...message, fields: [] })));
  });

  it('a message is found by its key within its campaign', async () => {
    const draft = await world().draft(0);
    const rows = [
      { ...row(1), key: 'INV-7' },
      { ...row(2), key: 'INV-8' },
    ];
    await world().ledger.addMessages(draft.n, rows, { now: world().now });
    await world().activate(draft, 2);
    const found = await (await world().reader()).messagesOfKey({ campaign: draft.n, key: 'INV-8', limit: 5 });
    expect(found).toMatchObject([{ mobile: TWO, key: 'INV-8' }]);
  });

  it('the life of a message has every try, what came back, and every report in order', async () => {
    const { campaign, worker, lease, messages } = await world().sending(2);
    const [one, two] = messages as [(typeof messages)[0], (typeof messages)[0]];
    world().now += 1_000;
    const evidence = { httpStatus: 400, code: '1004', raw: '{"bad":1}', words: 'no such number' };
    await world().record(worker, [
      requeued(campaign, one, world().now),
      { ...rejected(campaign, two), evidence },
    ]);
    const reader = await world().reader();
    const waiting = await reader.messageLife({ campaign: campaign.n, seq: 1 });
    expect(waiting).toMatchObject({
      message: { state: 'queued', claimedAt: null, writtenOff: false, conflict: false },
      attempts: [{ number: 1, outcome: 'queued', reason: 'throttled', sendMs: 12 }],
      reports: [],
    });
    const refused = await reader.messageLife({ campaign: campaign.n, seq: 2 });
    expect(refused?.evidence).toMatchObject([{ attempt: 1, httpStatus: 400, words: 'no such number' }]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    const second = await world().lease(worker);
    const { messages: again } = await world().claim(second, worker);
    await world().record(worker, [sent(campaign, again[0] as never, { messageId: 'm1' })]);
    world().now += 1_000;
    await world().report({ messageId: 'm1', word: 'SubmittedToNetwork', delivery: 'pending' });
    world().now += 1_000;
    await world().report({ messageId: 'm1' });
    const life = await reader.messageLife({ campaign: campaign.n, seq: 1 });
    expect(life?.message).toMatchObject({
      state: 'sent',
      delivery: 'delivered',
      basis: 'answer',
      actor: 'worker',
    });
    expect(life?.reports.map(({ word, delivery }) => [word, delivery])).toEqual([
      ['SubmittedToNetwork', 'pending'],
      ['DeliveredToTerminal', 'delivered'],
    ]);
    expect(await reader.messageLife({ campaign: campaign.n, seq: 3 })).toBeNull();
  });

  it('the audit comes in pages, the latest first, with one entry for many opt-outs of one order', async () => {
    const { ledger } = world();
    const campaign = await world().launch(1);
    world().now += 1_000;
    await ledger.addOptOuts(
      [ONE, TWO].map((mobile) => ({ mobile, source: 'import', by: 'grace' })),
      world().now,
    );
    world().now += 1_000;
    await ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    world().now += 1_000;
    await ledger.removeOptOuts([ONE], { now: world().now, by: 'grace', evidence: 'she called' });
    const reader = await world().reader();
    const all = await reader.auditPage({ campaign: null, before: null, limit: 50 });
    expect(all.next).toBeNull();
    expect(all.entries.map(({ verb }) => verb)).toEqual([
      'remove opt-outs',
      'pause',
      'add opt-outs',
      'launch',
    ]);
    expect(all.entries[0]?.detail).toMatchObject({ mobile: ONE, evidence: 'she called' });
    expect(all.entries[2]?.detail).toEqual({ numbers: 2, source: 'import' });
    const paged = [];
    for (let before = null as (typeof all)['next']; ; ) {
      const page = await reader.auditPage({ campaign: null, before, limit: 1 });
      paged.push(...page.entries);
      if (page.next === null) break;
      before = page.next;
    }
    expect(paged).toEqual(all.entries);
    const own = await reader.auditPage({ campaign: campaign.n, before: null, limit: 50 });
    expect(own.entries.map(({ verb }) => verb)).toEqual(['pause', 'launch']);
  });

  it('a maybe-STOP is decided once: opted out, or no stop; a later answer to the question changes nothing', async () => {
    const maybe = { text: 'msinitumie', wish: 'maybe_stop' } as const;
    await world().post({ replies: [replyOf(ONE, maybe), replyOf(TWO, maybe)] });
    world().now += 1_000;
    const reader = await world().reader();
    const decide = async (mobile: string, stop: boolean) => {
      const [reply] = await reader.repliesFrom({ mobile, before: null, limit: 1 });
      return world().ledger.decideReply({ ...world().operator, reply: reply?.id ?? 0, stop });
    };
    expect(await decide(ONE, true)).toBe(true);
    expect(await decide(ONE, false)).toBe(false);
    expect(await decide(TWO, false)).toBe(true);
    expect(await reader.repliesInDoubt()).toBe(0);
    const optOuts = await reader.optOuts({ after: null, limit: 9 });
    expect(optOuts).toMatchObject([{ mobile: ONE, evidence: 'replied "msinitumie" to DUKA' }]);
    expect(await reader.optOutHistory(TWO)).toMatchObject([{ change: 'removed', by: 'operator' }]);
    expect(await world().ledger.decideReply({ ...world().operator, reply: 99, stop: true })).toBe(false);
  });

  it('words of reports that nobody knows are counted once each, and no more when they have a meaning', async () => {
    const reader = await world().reader();
    const unknown = { delivery: null } as const;
    expect(await reader.openWords()).toBe(0);
    for (const word of ['Odd', 'Odd', 'Strange'])
      await world().report({ messageId: `x-${word}`, word, ...unknown });
    await world().report({ messageId: 'known' });
    expect(await reader.openWords()).toBe(2);
    await world().ledger.mapWord({ ...world().operator, word: 'Odd', delivery: 'delivered' });
    expect(await reader.openWords()).toBe(1);
  });
}
