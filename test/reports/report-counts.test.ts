import { expect, it } from 'vitest';
import { campaignReport, type CampaignReport } from '../../src/reports/campaign-report.ts';
import { LedgerStory } from '../support/ledger-story.ts';

/* What a report counts message by message: why they ended, what was saved by not sending, and how long they took. */

const MOBILES = ['254700000001', '254700000002', '254700000003'] as const;

async function reportOf(story: LedgerStory, n: number): Promise<CampaignReport> {
  const reader = await story.reader();
  const { campaign } = await reader.overview(n);
  return campaignReport({ reader, campaign, now: story.now, reportWaitMs: 1e9 });
}

async function optOut(story: LedgerStory, mobile: string): Promise<void> {
  await story.ledger.addOptOuts([{ mobile, source: 'operator', by: 'test' }], story.now);
}

it('messages that were canceled, and not delivered without a word why, have a reason each', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 3 });
  await story.claim();
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' }, 3: { to: 'queued' } });
  await story.report(`m${n}-1`, 'undelivered');
  await story.report(`m${n}-2`, 'undelivered', 'absent');
  await story.ledger.cancel(n, { now: story.now, by: 'test' });
  const { reasons } = await reportOf(story, n);
  expect(new Set(reasons.map(({ state, reason, count }) => [state, reason, count].join()))).toEqual(
    new Set(['sent,no reason given,1', 'sent,absent,1', 'canceled,by an operator,1']),
  );
});

it('saved is what was skipped for an opt-out would have cost, each with its segments', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ rows: MOBILES.map((mobile, at) => ({ mobile, segments: at + 1 })) });
  await optOut(story, MOBILES[1]);
  await story.claim();
  await story.record(n, { 1: { to: 'sent' }, 3: { to: 'sent', segments: 3, costMicro: 2_400_000 } });
  expect((await reportOf(story, n)).cost).toMatchObject({ charged: '3.20', saved: '1.60' });
});

it('nothing is saved where nobody was spared, though no price is known', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 2 });
  await story.claim({ priceMicro: null });
  await story.record(n, { 1: { to: 'rejected', reason: 'opted out' } });
  expect((await reportOf(story, n)).cost.saved).toBe('0.00');
});

it('nothing is saved by what was sent, or tried, and turned out to be to somebody who had opted out', async () => {
  const story = await LedgerStory.begin();
  const rows = MOBILES.map((mobile) => ({ mobile }));
  const n = await story.launch({ rows, counts: { read: 4, suppressed: 1 } });
  await story.claim();
  await story.record(n, {
    1: { to: 'sent' },
    2: { to: 'sent' },
    3: { to: 'rejected', reason: 'opted out' },
  });
  await story.report(`m${n}-1`, 'undelivered', 'opted out');
  expect((await reportOf(story, n)).cost).toMatchObject({ charged: '1.60', saved: '0.80' });
});

it('half of the messages, 95 and 99 of a hundred were as fast as it says; those that were not sent count for nothing', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 101 });
  await story.claim();
  const sent = Array.from({ length: 100 }, (_, at) => [at + 1, { to: 'sent', sendMs: at + 1 } as const]);
  await story.record(n, { ...Object.fromEntries(sent), 101: { to: 'rejected' } });
  expect((await reportOf(story, n)).latency_ms.send).toEqual({ p50: 53, p95: 107, p99: 107 });
});
