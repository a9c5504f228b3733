import { constants, DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { readerOperations } from '../../src/ledger/operations/reader.ts';
import { sqliteEngine } from '../../src/ledger/sqlite/sqlite-engine.ts';
import { type Came, LedgerStory, T0 } from '../support/ledger-story.ts';

/* What pages read of campaigns. That the counters add up to the messages is checked after each test of the contract. */

const MINUTE = 60_000;

/** Ten messages that leave in two minutes, and their reports. */
async function sentInTwoMinutes() {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 10, settings: { batchSize: 5 } });
  await story.claim();
  story.now += 1_000;
  await story.record(n, {
    1: { to: 'sent', sendMs: 40 },
    2: { to: 'sent', sendMs: 60 },
    3: { to: 'rejected' },
    4: { to: 'uncertain' },
  });
  story.now += MINUTE;
  await story.record(n, { 5: { to: 'sent', sendMs: 900 }, 6: { to: 'sent' }, 7: { to: 'queued' } });
  await story.report(`m${n}-1`, 'delivered');
  await story.report(`m${n}-2`, 'undelivered', 'absent');
  await story.report(`m${n}-5`, 'pending');
  return { story, n, reader: await story.reader() };
}

describe('the counters of a campaign', () => {
  it('are of one moment: each part adds up to the sum above it', async () => {
    const { n, reader } = await sentInTwoMinutes();
    const { total, overview, tallies } = await reader.campaignCounters(n, T0);
    const { written_off: _, ...states } = overview.messages;
    expect(total).toBe(10);
    expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(states).toMatchObject({ queued: 1, sending: 3, sent: 4, rejected: 1, uncertain: 1 });
    const { conflict: _conflict, ...delivery } = tallies.delivery;
    expect(Object.values(delivery).reduce((sum, count) => sum + count, 0)).toBe(states.sent);
    expect(tallies.byNetwork.reduce((sum, { sent }) => sum + sent, 0)).toBe(states.sent);
    expect(overview).toEqual(await reader.overview(n));
    expect(tallies).toEqual(await reader.tallies(n, T0));
    await expect(reader.campaignCounters(99, T0)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('tell what happened in each minute, or in longer steps, and leave out what lies outside', async () => {
    const { n, reader } = await sentInTwoMinutes();
    const nothing = {
      sent: 0,
      rejected: 0,
      uncertain: 0,
      skipped: 0,
      canceled: 0,
      delivered: 0,
      undelivered: 0,
    };
    const span = { from: T0, to: T0 + 2 * MINUTE };
    expect(await reader.campaignSeries(n, span)).toEqual([
      { ...nothing, at: T0, sent: 2, rejected: 1, uncertain: 1 },
      { ...nothing, at: T0 + MINUTE, sent: 2, delivered: 1, undelivered: 1 },
    ]);
    expect(await reader.campaignSeries(n, { ...span, to: T0 + MINUTE })).toHaveLength(1);
    expect(await reader.campaignSeries(n, { ...span, stepMs: 60 * MINUTE })).toEqual([
      { ...nothing, at: T0, sent: 4, rejected: 1, uncertain: 1, delivered: 1, undelivered: 1 },
    ]);
  });

  it('tell how long answers and reports took, to a fifth', async () => {
    const { n, reader } = await sentInTwoMinutes();
    const { send, delivery } = await reader.campaignLatency(n);
    expect(send.buckets.reduce((sum, { messages }) => sum + messages, 0)).toBe(4);
    for (const ms of [40, 60, 100, 900])
      expect(send.buckets.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs)).toHaveLength(1);
    for (const { fromMs, toMs } of send.buckets) expect(toMs).toBeLessThan(fromMs * 1.25);
    expect(send.p50).toBeGreaterThan(60);
    expect(send.p50).toBeLessThan(60 * 1.25);
    expect(send.p99).toBeGreaterThan(900);
    expect(delivery.buckets).toMatchObject([{ messages: 2 }]);
    const other = await (await LedgerStory.begin()).reader();
    expect((await other.campaignLatency(1)).send).toEqual({ buckets: [], p50: null, p95: null, p99: null });
  });

  it('follow a message that is taken back and sent again, to the second of the last one', async () => {
    const { story, n, reader } = await sentInTwoMinutes();
    const decision = { now: story.now, by: 'test', before: story.now } as const;
    expect((await reader.overview(n)).lastSentAt).toBe(T0 + MINUTE + 1_000);
    await story.ledger.resolve(n, { ...decision, decision: 'not_sent', line: 5 });
    story.now += MINUTE;
    await story.claim();
    story.now += 500;
    await story.record(n, { 4: { to: 'sent' } });
    const { tallies, overview } = await reader.campaignCounters(n, T0);
    expect(tallies).toMatchObject({ firstSentAt: T0 + 1_000, lastSentAt: story.now });
    expect(overview.messages).toMatchObject({ uncertain: 0, sent: 5 });
    expect(await reader.violations(null)).toEqual([]);
  });

  it('are those of the commits that stayed: what failed beside them left nothing', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 4 });
    await story.claim();
    const { now } = story;
    const both = await Promise.allSettled([
      story.record(n, { 1: { to: 'sent' }, 2: { to: 'rejected' } }),
      story.ledger.setRate(99, { now, by: 'test', ratePerSecond: 1 }),
      story.ledger.cancel(n, { now, by: 'test' }),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const reader = await story.reader();
    expect((await reader.campaignCounters(n, T0)).overview.messages).toMatchObject({
      sent: 1,
      rejected: 1,
      sending: 2,
    });
    expect(await reader.violations(null)).toEqual([]);
  });

  it('of a discarded draft go with it, so that the next campaign begins with its own', async () => {
    const story = await LedgerStory.begin();
    const draft = await story.draft({ id: 'draft-1', name: 'draft' });
    const row = { line: 2, mobile: '254700000001', key: '', occurrence: '', fields: ['', ''], segments: 2 };
    await story.ledger.addMessages(draft, [row], { now: story.now });
    await story.ledger.discardDraft(draft);
    const raw = new DatabaseSync(story.file);
    expect(raw.prepare('SELECT count(*) AS n FROM campaign_count').get()).toEqual({ n: 0 });
    raw.close();
    const n = await story.launch({ messages: 3 });
    expect(n).toBe(draft);
    const { total, tallies } = await (await story.reader()).campaignCounters(n, T0);
    expect([total, tallies.segments.planned]).toEqual([3, 3]);
  });
});

it('who would still get something is a person each number, however many messages a key gives it', async () => {
  const story = await LedgerStory.begin();
  const plain = await story.launch({ messages: 4 });
  const twice = ['A1', 'B2'].map((key) => ({ mobile: '254700000001', key }));
  const keyed = await story.launch({ id: 'k-1', name: 'keyed', rows: twice, settings: { key: ['Account'] } });
  const reader = await story.reader();
  expect([await reader.peopleLeft(plain), await reader.peopleLeft(keyed)]).toEqual([4, 1]);
  await story.claim();
  expect([await reader.peopleLeft(plain), await reader.peopleLeft(keyed)]).toEqual([0, 0]);
});

it("the provider's words come from the first and the last thousand answers", async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 2_200, settings: { batchSize: 1_000 } });
  await story.claim();
  const said = (seq: number) => (seq <= 1_000 ? 'line busy' : seq <= 1_200 ? 'only here' : 'no such line');
  const uncertain = (seq: number): Came => {
    const evidence = { httpStatus: 200, code: '9', raw: null, words: said(seq) };
    return { to: 'uncertain', reason: said(seq) === 'only here' ? 'rare' : 'no answer', evidence };
  };
  const seqs = Array.from({ length: 2_200 }, (_, index) => index + 1);
  await story.record(n, Object.fromEntries(seqs.map((seq) => [seq, uncertain(seq)])));
  const reader = await story.reader();
  const busy = { state: 'uncertain', reason: 'no answer', words: expect.stringMatching(/line/) };
  expect(await reader.providerWords(n)).toEqual([busy]);
});

it('pages read no message of a campaign, so they cost the same for a million', async () => {
  const { story, n } = await sentInTwoMinutes();
  const database = new DatabaseSync(story.file, { readOnly: true });
  const operations = readerOperations(database, sqliteEngine(database));
  const read = new Set<string | null>();
  // SQLite asks when it compiles a statement, which here happens when it is used first.
  database.setAuthorizer((_action, table) => {
    read.add(table);
    return constants.SQLITE_OK;
  });
  await operations.overviews(null);
  await operations.campaignCounters(n, T0);
  await operations.campaignSeries(n, { from: 0, to: T0 });
  await operations.campaignLatency(n);
  await operations.campaignsPage({ states: ['running'], name: 'black', cursor: null, limit: 5 });
  database.close();
  expect(read).toContain('campaign_count');
  expect(read).toContain('campaign_time');
  expect(read).not.toContain('message');
});

describe('the list of campaigns', () => {
  it('comes in pages, newest first, by state and by a part of the name', async () => {
    const story = await LedgerStory.begin();
    const reader = await story.reader();
    for (const [id, name] of [
      ['a-1', 'Rent August'],
      ['b-1', 'School fees'],
      ['c-1', 'Rent September'],
    ] as const)
      await story.launch({ id, name, messages: 1 });
    await story.claim();
    await story.record(1, { 1: { to: 'sent' } });
    await story.ledger.pause(2, { now: story.now, by: 'test', reason: 'operator' });
    const page = async (query: Partial<Parameters<typeof reader.campaignsPage>[0]>) => {
      const { campaigns, next } = await reader.campaignsPage({
        states: null,
        name: null,
        cursor: null,
        limit: 10,
        ...query,
      });
      return [campaigns.map(({ campaign }) => campaign.id), next];
    };
    expect(await page({})).toEqual([['c-1', 'b-1', 'a-1'], null]);
    expect(await page({ limit: 2 })).toEqual([['c-1', 'b-1'], 2]);
    expect(await page({ limit: 2, cursor: 2 })).toEqual([['a-1'], null]);
    expect(await page({ name: 'RENT' })).toEqual([['c-1', 'a-1'], null]);
    expect(await page({ name: 't A' })).toEqual([['a-1'], null]);
    expect(await page({ name: '%' })).toEqual([[], null]);
    expect(await page({ states: ['finished'] })).toEqual([['a-1'], null]);
    expect(await page({ states: ['running', 'paused'] })).toEqual([['c-1', 'b-1'], null]);
    expect(await page({ states: ['canceled'] })).toEqual([[], null]);
    const { campaigns } = await reader.campaignsPage({ states: null, name: null, cursor: null, limit: 10 });
    expect(campaigns).toEqual(await reader.campaigns());
  });
});
