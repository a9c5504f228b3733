import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerReader } from '../../src/ledger/contracts/reader.ts';
import { openSqliteReader } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { SqlBehind } from '../support/sql-behind.ts';
import { LedgerStory, T0 } from '../support/ledger-story.ts';
import { makeTempDir } from '../support/temp-home.ts';

describe('a campaign in which everything happened', () => {
  let story: LedgerStory;
  let reader: LedgerReader;
  let n: number;

  beforeAll(async () => {
    story = await LedgerStory.begin();
    reader = await story.reader();
    n = await story.launch({
      messages: 12,
      rows: Array.from({ length: 12 }, (_, index) => ({ segments: index === 0 ? 3 : index === 1 ? 2 : 1 })),
      counts: { read: 20, duplicate: 4, invalid: 3, suppressed: 1 },
      estimatedMicro: 12_000_000,
    });
    await story.ledger.addOptOuts([{ mobile: '254700000012', source: 'operator' }], story.now);
    story.now += 1_000;
    await story.claim();
    story.now += 500;
    await story.record(n, {
      1: { to: 'sent', costMicro: 2_400_000, segments: 3, sendMs: 50 },
      2: { to: 'sent', costMicro: 1_600_000, segments: 2, network: '2', sendMs: 150 },
      3: { to: 'sent', costMicro: null, network: null },
      4: { to: 'sent' },
      5: { to: 'sent', sendMs: 400 },
      6: { to: 'rejected' },
      7: { to: 'rejected', reason: 'gave up after 5', retryHelps: true },
      8: { to: 'uncertain' },
      9: { to: 'uncertain', reason: 'worker died' },
      10: { to: 'queued' },
    });
    story.now += 2_000;
    await story.report(`m${n}-1`, 'delivered');
    await story.report(`m${n}-2`, 'undelivered', 'absent');
    await story.report(`m${n}-4`, 'delivered');
    await story.report(`m${n}-4`, 'undelivered', 'absent');
    await story.ledger.resolve(n, {
      now: story.now,
      by: 'operator',
      decision: 'write_off',
      before: story.now,
      line: 10,
    });
  });

  it('counts every message once', async () => {
    const { messages } = await reader.tallies(n, T0);
    expect(messages).toEqual({
      queued: 1,
      sending: 1,
      sent: 5,
      rejected: 2,
      uncertain: 2,
      skipped: 1,
      canceled: 0,
      written_off: 1,
    });
    expect((await reader.overview(n)).messages).toEqual(messages);
    expect(await reader.uploads(n)).toEqual({
      read: 20,
      planned: 12,
      unchanged: 0,
      duplicate: 4,
      invalid: 3,
      suppressed: 1,
    });
  });

  it('splits sent messages by delivery, and calls those pending for too long unreported', async () => {
    const fresh = await reader.tallies(n, T0);
    expect(fresh.delivery).toEqual({ pending: 2, undelivered: 1, delivered: 2, unreported: 0, conflict: 1 });
    const late = await reader.tallies(n, story.now);
    expect(late.delivery).toEqual({ pending: 0, undelivered: 1, delivered: 2, unreported: 2, conflict: 1 });
  });

  it('adds up money: what is charged by network, what is not known, what is at stake', async () => {
    const tallies = await reader.tallies(n, T0);
    expect(tallies).toMatchObject({ chargedMicro: 5_600_000, unknownCost: 1, lowestPriceMicro: 800_000 });
    expect(tallies.byNetwork).toEqual([
      { network: '1', sent: 3, delivered: 2, chargedMicro: 4_000_000 },
      { network: '2', sent: 1, delivered: 0, chargedMicro: 1_600_000 },
      { network: null, sent: 1, delivered: 0, chargedMicro: 0 },
    ]);
    // One of the two uncertain messages is written off: only the other one is still at stake.
    expect(tallies.atStakeMicro).toBe(800_000);
    expect(tallies.sparedMicro).toBe(800_000);
    expect(tallies.segments).toEqual({ planned: 15, one: 10, two: 1, more: 1 });
  });

  it('groups reasons by state and by whether a retry helps', async () => {
    const { reasons } = await reader.tallies(n, T0);
    expect(reasons).toHaveLength(6);
    expect(reasons).toEqual(
      expect.arrayContaining([
        { state: 'rejected', reason: 'invalid mobile', count: 1, retryHelps: false },
        { state: 'rejected', reason: 'gave up after 5', count: 1, retryHelps: true },
        { state: 'uncertain', reason: 'no answer', count: 1, retryHelps: false },
        { state: 'uncertain', reason: 'worker died', count: 1, retryHelps: false },
        { state: 'skipped', reason: 'opted out', count: 1, retryHelps: false },
        { state: 'sent', reason: 'absent', count: 1, retryHelps: false },
      ]),
    );
  });

  it('tells of each message the batch of its own campaign', async () => {
    const story = await LedgerStory.begin();
    const campaigns = [await story.launch({ messages: 5 })];
    campaigns.push(await story.launch({ id: 'bf-2', name: 'other', messages: 5 }));
    const reader = await story.reader();
    const pages = campaigns.map((campaign) =>
      reader.messages({ campaign, afterSeq: 0, limit: 10, states: null }),
    );
    expect((await Promise.all(pages)).map((rows) => rows.map(({ batch }) => batch))).toEqual([
      [1, 1, 1, 1, 2],
      [3, 3, 3, 3, 4],
    ]);
  });

  it('pages through messages in order, with the batch of each, and only the states asked for', async () => {
    const first = await reader.messages({ campaign: n, afterSeq: 0, limit: 5, states: null });
    const second = await reader.messages({ campaign: n, afterSeq: 5, limit: 100, states: null });
    expect([...first, ...second].map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(first[4]?.batch).toBe((first[3]?.batch ?? 0) + 1);
    expect(first[0]).toMatchObject({
      line: 2,
      mobile: '254700000001',
      fields: ['254700000001', 'Name 1'],
      state: 'sent',
      delivery: 'delivered',
      messageId: `m${n}-1`,
      network: '1',
      segments: 3,
      costMicro: 2_400_000,
      attempts: 1,
      queuedAt: T0,
      sentAt: T0 + 1_500,
      reportedAt: T0 + 3_500,
    });
    const uncertain = await reader.messages({
      campaign: n,
      afterSeq: 0,
      limit: 5,
      states: ['uncertain', 'rejected'],
    });
    expect(uncertain.map(({ seq, reason }) => [seq, reason])).toEqual([
      [6, 'invalid mobile'],
      [7, 'gave up after 5'],
      [8, 'no answer'],
      [9, 'worker died'],
    ]);
  });

  it('breaks no invariant', async () => {
    expect(await reader.violations(null)).toEqual([]);
    expect(await reader.violations(n)).toEqual([]);
  });
});

describe('finding and listing', () => {
  it('finds by id, unique prefix, ambiguous prefix and name, and never a draft', async () => {
    const story = await LedgerStory.begin();
    const reader = await story.reader();
    await story.launch({ id: 'promo-a1', name: 'promo' });
    await story.claim();
    await story.record(1, { 1: { to: 'sent' }, 2: { to: 'sent' }, 3: { to: 'sent' }, 4: { to: 'sent' } });
    await story.launch({ id: 'promo-b2', name: 'promo' });
    await story.ledger.createDraft({
      id: 'draft-1',
      name: 'promo',
      kind: 'promotional',
      sender: 's',
      template: 't',
      settings: { ratePerSecond: null } as never,
      hashes: { job: '', template: '', contacts: '' },
      now: story.now,
    });
    const ids = async (reference: string) => (await reader.find(reference)).map(({ id }) => id);
    expect(await ids('promo-a1')).toEqual(['promo-a1']);
    expect(await ids('promo-a')).toEqual(['promo-a1']);
    expect(await ids('promo-')).toEqual(['promo-b2', 'promo-a1']);
    expect(await ids('promo')).toEqual(['promo-b2']);
    expect(await ids('draft')).toEqual([]);
    expect(await ids('%')).toEqual([]);
    expect((await reader.campaigns()).map(({ campaign, state }) => [campaign.id, state])).toEqual([
      ['promo-b2', 'running'],
      ['promo-a1', 'finished'],
    ]);
  });

  it('derives finished, and says when; a pause or a cancel keeps its own state while something is left', async () => {
    const story = await LedgerStory.begin();
    const reader = await story.reader();
    const n = await story.launch({ messages: 2 });
    await story.ledger.pause(n, { now: story.now, by: 'test', reason: 'balance' });
    expect(await reader.overview(n)).toMatchObject({
      state: 'paused',
      reason: 'balance',
      startedAt: null,
      finishedAt: null,
    });
    await story.ledger.resume(n, { now: story.now, by: 'test' });
    story.now += 60_000;
    await story.claim();
    story.now += 5_000;
    await story.record(n, { 1: { to: 'sent' }, 2: { to: 'rejected' } });
    expect(await reader.overview(n)).toMatchObject({
      state: 'finished',
      reason: null,
      startedAt: T0 + 60_000,
      finishedAt: T0 + 65_000,
      spentMicro: 800_000,
      sentLast10s: 1,
      lastSentAt: T0 + 65_000,
    });
  });
});

describe('the account', () => {
  it('lists readings of a span, oldest first, and who else was sending', async () => {
    const story = await LedgerStory.begin();
    const reader = await story.reader();
    await story.readBalance(100_000_000);
    const first = await story.launch({ id: 'a-1', name: 'a', messages: 1 });
    const second = await story.launch({ id: 'b-1', name: 'b', messages: 1 });
    const elsewhere = await story.launch({ id: 'c-1', name: 'c', messages: 1, account: 'other' });
    story.now += 1_000;
    await story.claim();
    story.now += 1_000;
    for (const n of [first, second, elsewhere]) await story.record(n, { 1: { to: 'sent' } });
    story.now += 1_000;
    await story.readBalance(98_400_000);
    expect(await reader.readings('acc', { from: 0, to: story.now })).toEqual([
      { at: T0, creditMicro: 100_000_000, spentMicro: 0, quiet: true },
      { at: T0 + 3_000, creditMicro: 98_400_000, spentMicro: 1_600_000, quiet: true },
    ]);
    expect(await reader.sharedWith(first, { from: T0, to: T0 + 3_000 })).toEqual(['b-1']);
    expect(await reader.sharedWith(first, { from: T0 + 2_500, to: T0 + 3_000 })).toEqual([]);
    expect(await reader.sharedWith(elsewhere, { from: T0, to: T0 + 3_000 })).toEqual([]);
  });

  it('what a person calls sent days later was sent when it left, and was on the wire then', async () => {
    const story = await LedgerStory.begin();
    const reader = await story.reader();
    const first = await story.launch({ id: 'a-1', name: 'a', messages: 2 });
    const second = await story.launch({ id: 'b-1', name: 'b', messages: 1 });
    await story.claim();
    story.now += 1_000;
    await story.record(first, { 1: { to: 'uncertain' }, 2: { to: 'sent' } });
    await story.record(second, { 1: { to: 'sent' } });
    const days = 3 * 86_400_000;
    story.now += days;
    const decision = { now: story.now, by: 'test', before: story.now, decision: 'sent' } as const;
    await story.ledger.resolve(first, decision);
    expect(await reader.tallies(first, T0)).toMatchObject({ firstSentAt: T0, lastSentAt: T0 + 1_000 });
    expect(await reader.sharedWith(second, { from: T0 + 1_000, to: T0 + 2_000 })).toEqual(['a-1']);
    expect(await reader.sharedWith(second, { from: T0 + days, to: T0 + 2 * days })).toEqual([]);
  });

  it('counts workers by their signs of life, and webhooks by kind', async () => {
    const story = await LedgerStory.begin();
    const reader = await story.reader();
    expect(await reader.aliveWorkers(T0)).toMatchObject([{ worker: story.worker, pid: 1, startTicks: '1' }]);
    expect(await reader.aliveWorkers(T0 + 1)).toEqual([]);
    await story.report('nobody-knows', 'delivered');
    expect(await reader.webhookCounts()).toEqual({
      report: 1,
      reply: 0,
      other: 0,
      notUnderstood: 0,
      new: 0,
      waiting: 1,
    });
    await story.ledger.retireWorker(story.worker, story.now);
    expect(await reader.aliveWorkers(0)).toEqual([]);
  });
});

describe('money that was saved', () => {
  it('is that of people who opted out, and of no others that were skipped', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 5 });
    const behind = new SqlBehind(story.file);
    for (const [index, reason] of ['opted out', 'moment past', 'frequency cap'].entries())
      await behind.run(
        `UPDATE message SET state = 'skipped', actor = 'claimer', reason = ?, settled_at = 0 WHERE campaign = ? AND seq = ?`,
        reason,
        n,
        index + 1,
      );
    behind.close();
    await story.claim();
    await story.record(n, { 4: { to: 'sent' } });
    const tallies = await (await story.reader()).tallies(n, T0);
    expect(tallies.messages.skipped).toBe(3);
    expect(tallies.sparedMicro).toBe(tallies.lowestPriceMicro);
    expect(tallies.sparedMicro).toBeGreaterThan(0);
  });
});

describe('opening', () => {
  it('refuses when there is no ledger, and makes none', async () => {
    const file = join(makeTempDir(), 'ledger.db');
    await expect(openSqliteReader({ file })).rejects.toMatchObject({ code: 'not_found' });
    expect(() => new DatabaseSync(file, { readOnly: true })).toThrow();
  });

  it('holds no snapshot between two questions: the log can be emptied [D7]', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch();
    expect((await (await story.reader()).overview(n)).messages.queued).toBe(4);
    await story.ledger.addOptOuts([{ mobile: '254711', source: 'operator' }], story.now);
    const other = new DatabaseSync(story.file);
    expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy']).toBe(0);
    other.close();
  });

  it('reads while another connection holds the write lock', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch();
    const writer = new DatabaseSync(story.file);
    writer.exec('BEGIN IMMEDIATE');
    try {
      expect((await (await story.reader()).overview(n)).messages.queued).toBe(4);
    } finally {
      writer.exec('ROLLBACK');
      writer.close();
    }
  });
});
