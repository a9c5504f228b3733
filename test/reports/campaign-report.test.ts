import { describe, expect, it } from 'vitest';
import { campaignReport, type CampaignReport } from '../../src/reports/campaign-report.ts';
import { exitCodeOf } from '../../src/reports/report-words.ts';
import { LedgerStory, T0 } from '../support/ledger-story.ts';

const HOUR = 3_600_000;

async function reportOf(story: LedgerStory, n: number): Promise<CampaignReport> {
  const reader = await story.reader();
  const { campaign } = await reader.overview(n);
  return campaignReport({ reader, campaign, now: story.now, reportWaitMs: 72 * HOUR });
}

/** A campaign of 5: two delivered, one pending, one rejected, one uncertain; balance read before and after. */
async function finished(): Promise<{ story: LedgerStory; n: number }> {
  const story = await LedgerStory.begin();
  await story.readBalance(100_000_000);
  const n = await story.launch({
    messages: 5,
    counts: { read: 8, duplicate: 1, invalid: 1, suppressed: 1 },
    estimatedMicro: 4_000_000,
  });
  story.now += 60_000;
  await story.claim();
  story.now += 1_000;
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent', costMicro: 805_000 } });
  story.now += 1_000;
  await story.record(n, { 3: { to: 'sent' }, 4: { to: 'rejected' }, 5: { to: 'uncertain' } });
  story.now += 5_000;
  await story.report(`m${n}-1`, 'delivered');
  await story.report(`m${n}-2`, 'delivered');
  return { story, n };
}

describe('the report of a settled campaign', () => {
  it('has exactly the shape of the contract, whatever happened', async () => {
    const { story, n } = await finished();
    await story.readBalance(96_795_000);
    expect(await reportOf(story, n)).toEqual({
      campaign: {
        id: 'bf-1',
        name: 'black-friday',
        kind: 'promotional',
        state: 'finished',
        reason: null,
        created_at: '2026-11-27T06:00:00.000Z',
        started_at: '2026-11-27T06:01:00.000Z',
        finished_at: '2026-11-27T06:01:02.000Z',
      },
      rows: { read: 8, planned: 5, unchanged: 0, duplicate: 1, invalid: 1, suppressed: 1 },
      messages: {
        queued: 0,
        sending: 0,
        sent: 3,
        rejected: 1,
        uncertain: 1,
        skipped: 0,
        canceled: 0,
        written_off: 0,
        taken_back: 0,
      },
      delivery: { pending: 1, delivered: 2, undelivered: 0, unreported: 0, conflict: 0 },
      decisions: [],
      reasons: [
        { state: 'rejected', reason: 'invalid mobile', count: 1, retry_helps: false, provider_words: null },
        { state: 'uncertain', reason: 'no answer', count: 1, retry_helps: false, provider_words: null },
      ],
      segments: { planned: 5, one: 5, two: 0, more: 0 },
      cost: {
        currency: 'KES',
        estimated: '4.00',
        charged: '2.405',
        unknown: 0,
        unknown_price: '0.00',
        at_stake: '0.80',
        written_off_price: '0.00',
        unpriced: 0,
        spent: '3.205',
        saved: '0.80',
        per_delivered: '1.2025',
        by_network: [{ network: '1', sent: 3, delivered: 2, charged: '2.405' }],
      },
      // 3.205 went, 2.405 of it is known: the rest is what the uncertain message may have cost.
      balance: { before: '100.00', after: '96.795', unexplained: '0.80', shared_with: [], top_ups: [] },
      latency_ms: { send: { p50: 107, p95: 107, p99: 107 }, delivery: { p50: 6888, p95: 6888, p99: 6888 } },
      throughput: {
        messages_per_second: null,
        first_sent_at: '2026-11-27T06:01:01.000Z',
        last_sent_at: '2026-11-27T06:01:02.000Z',
      },
    });
  });

  it('says null, not zero, of what is not known', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 2, counts: { read: 3, suppressed: 1 } });
    const before = await reportOf(story, n);
    expect(before.campaign).toMatchObject({ state: 'running', started_at: null, finished_at: null });
    expect(before.cost).toMatchObject({ estimated: null, charged: '0.00', saved: null, per_delivered: null });
    expect(before.balance).toEqual({
      before: null,
      after: null,
      unexplained: null,
      shared_with: [],
      top_ups: [],
    });
    expect(before.throughput).toEqual({ messages_per_second: null, first_sent_at: null, last_sent_at: null });
    expect(before.latency_ms.send).toEqual({ p50: null, p95: null, p99: null });
    await story.claim();
    await story.record(n, { 1: { to: 'sent', costMicro: null }, 2: { to: 'sent', network: null } });
    await story.report(`m${n}-2`, 'delivered');
    const after = await reportOf(story, n);
    expect(after.cost).toMatchObject({ charged: '0.80', unknown: 1, per_delivered: null });
    expect(after.cost.by_network).toContainEqual({ network: null, sent: 1, delivered: 1, charged: '0.80' });
  });

  it('tells the pace of what went on for a while, and none of a few messages whose answers came close together', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 12 });
    await story.claim();
    const sent = async (seqs: number[], ms: number) => {
      for (const seq of seqs) {
        await story.record(n, { [seq]: { to: 'sent' } });
        story.now += ms;
      }
      return (await reportOf(story, n)).throughput.messages_per_second;
    };
    // Three at 50 a second, of which the first was answered late: 58.8, if it were told.
    expect(await sent([1, 2, 3], 17)).toBeNull();
    story.now = T0 + 500;
    expect(await sent([4, 5, 6, 7, 8], 500)).toBeNull();
    expect(await sent([9, 10], 500)).toBe(2.6);
    expect(await sent([11, 12], 500)).toBe(2.4);
  });

  it('always adds up: rows, messages, deliveries, charges', async () => {
    const { story, n } = await finished();
    const { rows, messages, delivery, cost } = await reportOf(story, n);
    const { written_off: _part, taken_back: _again, ...states } = messages;
    const { conflict: _flag, ...deliveries } = delivery;
    const sum = (counts: object) =>
      Object.values(counts).reduce((total: number, count: number) => total + count, 0);
    expect(rows.read).toBe(sum(rows) - rows.read);
    expect(rows.planned).toBe(sum(states));
    expect(messages.sent).toBe(sum(deliveries));
    expect(Number(cost.charged)).toBe(sum(cost.by_network.map(({ charged }) => Number(charged))));
  });

  it('counts a message whose report never came as unreported, and a later report still counts', async () => {
    const { story, n } = await finished();
    story.now += 73 * HOUR;
    expect((await reportOf(story, n)).delivery).toMatchObject({ pending: 0, unreported: 1, delivered: 2 });
    await story.report(`m${n}-3`, 'delivered');
    expect((await reportOf(story, n)).delivery).toMatchObject({ pending: 0, unreported: 0, delivered: 3 });
  });
});

describe('the balance of a campaign', () => {
  it('is not told apart from that of another campaign that was sending, which is named', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(100_000_000);
    const mine = await story.launch({ id: 'a-1', name: 'a', messages: 1 });
    const other = await story.launch({ id: 'b-1', name: 'b', messages: 1 });
    story.now += 1_000;
    await story.claim();
    story.now += 1_000;
    await story.record(mine, { 1: { to: 'sent' } });
    await story.record(other, { 1: { to: 'sent' } });
    await story.readBalance(98_400_000);
    expect((await reportOf(story, mine)).balance).toEqual({
      before: null,
      after: null,
      unexplained: null,
      shared_with: ['b-1'],
      top_ups: [],
    });
  });

  it('takes a rise for a top-up, so that it explains itself', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(10_000_000);
    const n = await story.launch({ messages: 2 });
    story.now += 1_000;
    await story.claim();
    story.now += 1_000;
    await story.record(n, { 1: { to: 'sent' }, 2: { to: 'queued' } });
    await story.readBalance(9_200_000);
    story.now += 1_000;
    await story.readBalance(59_200_000);
    story.now += 1_000;
    await story.claim();
    story.now += 1_000;
    await story.record(n, { 2: { to: 'sent' } });
    story.now += 1_000;
    await story.readBalance(58_400_000);
    expect((await reportOf(story, n)).balance).toEqual({
      before: '10.00',
      after: '58.40',
      unexplained: '0.00',
      shared_with: [],
      top_ups: [{ at: '2026-11-27T06:00:03.000Z', amount: '50.00' }],
    });
  });

  it('does not lean on a reading that was taken with messages in flight', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 1 });
    story.now += 1_000;
    await story.claim();
    await story.readBalance(10_000_000);
    story.now += 1_000;
    await story.record(n, { 1: { to: 'sent' } });
    story.now += 1_000;
    expect((await reportOf(story, n)).balance).toMatchObject({
      before: null,
      after: null,
      unexplained: null,
    });
  });
});

describe('the exit code', () => {
  const none = {
    queued: 0,
    sending: 0,
    sent: 5,
    rejected: 0,
    uncertain: 0,
    skipped: 0,
    canceled: 0,
    written_off: 0,
    taken_back: 0,
  };
  it.each([
    [0, 'all sent', {}],
    [3, 'one rejected', { rejected: 1 }],
    [3, 'one uncertain', { uncertain: 1 }],
    [0, 'the uncertain ones written off', { uncertain: 2, written_off: 2 }],
    [0, 'some skipped and canceled', { skipped: 1, canceled: 1 }],
    [0, 'still sending', { rejected: 1, queued: 1 }],
  ])('is %i with %s', (code, _what, counts) => {
    for (const state of ['finished', 'canceled'] as const)
      expect(exitCodeOf({ campaign: { state }, messages: { ...none, ...counts } })).toBe(code);
    // Corrected contacts wait to be laid over it.
    expect(exitCodeOf({ campaign: { state: 'running' }, messages: { ...none, ...counts } })).toBe(0);
  });
});
