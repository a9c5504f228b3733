import { describe, expect, it } from 'vitest';
import { type CampaignReport, campaignReport } from '../../src/reports/campaign-report.ts';
import { exportPages } from '../../src/reports/export.ts';
import { accountStatement } from '../../src/reports/statement.ts';
import { LedgerStory, T0 } from '../support/ledger-story.ts';

/* What a person or a report decides later left when it left: the decision moves no time, and takes no evidence away. */

const DAY = 86_400_000;
const KES = 1_000_000;
const FORGER = '203.0.113.9';

const time = (at: number) => new Date(at).toISOString();

async function reportOf(story: LedgerStory, n: number): Promise<CampaignReport> {
  const reader = await story.reader();
  const { campaign } = await reader.overview(n);
  return campaignReport({ reader, campaign, now: story.now, reportWaitMs: 3 * DAY });
}

/** One campaign of three, of which the last has no answer; the balance is read before and after. Another one runs a minute later. */
async function oneWithoutAnswer(): Promise<{ story: LedgerStory; n: number; other: number }> {
  const story = await LedgerStory.begin();
  const n = await story.launch({ id: 'a-1', name: 'a', messages: 3 });
  await story.readBalance(100 * KES);
  story.now = T0 + 1_000;
  await story.claim();
  story.now = T0 + 2_000;
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' } });
  story.now = T0 + 31_000;
  await story.record(n, { 3: { to: 'uncertain' } });
  story.now = T0 + 32_000;
  await story.readBalance(97_600_000);
  story.now = T0 + 60_000;
  const other = await story.launch({ id: 'b-1', name: 'b', messages: 1 });
  await story.claim();
  story.now = T0 + 61_000;
  await story.record(other, { 1: { to: 'sent' } });
  story.now = T0 + 62_000;
  await story.readBalance(96_800_000);
  return { story, n, other };
}

async function resolve(story: LedgerStory, n: number, decision: 'sent' | 'not_sent' | 'write_off') {
  await story.ledger.resolve(n, { now: story.now, by: 'test', before: story.now, decision });
}

/** A report with an id that nobody knows, which names the number. */
async function reportTo(story: LedgerStory, mobile: string): Promise<void> {
  const raw = { method: 'POST', contentType: 'text/plain', query: '', body: Buffer.from(mobile), ip: FORGER };
  await story.ledger.storeWebhook({ receivedAt: story.now, ...raw });
  const said = { messageId: 'late', word: 'delivered', delivery: 'delivered', reason: null } as const;
  for (const { webhook } of await story.ledger.newWebhooks(1)) {
    const report = { ...said, mobile, network: null, at: story.now };
    await story.ledger.recordReports([{ webhook, kind: 'report', reports: [report], now: story.now }]);
  }
}

describe.each([
  ['a person', (story: LedgerStory, n: number) => resolve(story, n, 'sent')],
  ['a report', (story: LedgerStory) => reportTo(story, '254700000003')],
])('what %s decides much later', (_, decide) => {
  async function decided() {
    const { story, n, other } = await oneWithoutAnswer();
    const before = { mine: await reportOf(story, n), other: await reportOf(story, other) };
    story.now = T0 + 2 * DAY;
    await decide(story, n);
    return { story, n, other, before };
  }

  it('does not stretch the time in which its campaign was sending, in no place', async () => {
    const { story, n, before } = await decided();
    const after = await reportOf(story, n);
    expect(before.mine.campaign.finished_at).toBe(time(T0 + 31_000));
    expect(after.campaign).toMatchObject({ state: 'finished', finished_at: time(T0 + 2_000) });
    expect(after.messages).toMatchObject({ sent: 3, uncertain: 0 });
    const reader = await story.reader();
    expect(await reader.overview(n)).toMatchObject({ finishedAt: T0 + 2_000, lastSentAt: T0 + 2_000 });
  });

  it('takes the balance nothing, neither of its campaign nor of one that began when it had been answered or not', async () => {
    const { story, n, other, before } = await decided();
    const balance = { before: '100.00', after: '97.60', unexplained: '0.80', shared_with: [], top_ups: [] };
    expect(before.mine.balance).toEqual(balance);
    expect((await reportOf(story, n)).balance).toEqual(balance);
    expect(before.other.balance).toMatchObject({ before: '97.60', after: '96.80', unexplained: '0.00' });
    expect((await reportOf(story, other)).balance).toEqual(before.other.balance);
  });

  it('is exported as of when it left, and counted on that day in the statement', async () => {
    const { story, n } = await decided();
    const reader = await story.reader();
    const [message] = (await reader.messages({ campaign: n, afterSeq: 2, limit: 1, states: null })).values();
    expect(message).toMatchObject({ state: 'sent', sentAt: T0 + 1_000, settledAt: T0 + 2 * DAY });
    const span = { from: '2026-11-27', to: '2026-11-29', zone: 'UTC', currency: 'KES' };
    const { accounts } = await accountStatement({ reader, ...span });
    expect(accounts[0]?.by_day).toMatchObject([{ day: '2026-11-27', sent: 4, unknown: 1, charged: '2.40' }]);
    expect(await reader.violations(null)).toEqual([]);
  });
});

it('a message that left longer ago than reports are waited for is unreported once it is called sent, in report and export', async () => {
  const { story, n } = await oneWithoutAnswer();
  story.now = T0 + 4 * DAY;
  await resolve(story, n, 'sent');
  expect((await reportOf(story, n)).delivery).toMatchObject({ pending: 0, unreported: 3 });
  const reader = await story.reader();
  const { campaign } = await reader.overview(n);
  const asked = { as: 'messages', format: 'ndjson', state: 'unreported' } as const;
  const rows: number[] = [];
  const pages = exportPages({ reader, campaign, ...asked, unreportedBefore: T0 + DAY }, (n) => rows.push(n));
  for await (const page of pages) expect(page).not.toContain('"pending"');
  expect(rows).toEqual([3]);
});

it('the time to the delivery is counted from when the message left', async () => {
  const { story, n } = await oneWithoutAnswer();
  story.now = T0 + 41_000;
  await reportTo(story, '254700000003');
  expect((await reportOf(story, n)).latency_ms.delivery.p50).toBe(46_340);
});

it('a report that is taken back again moves no time either', async () => {
  const { story, n } = await oneWithoutAnswer();
  story.now = T0 + DAY;
  await reportTo(story, '254700000003');
  story.now = T0 + 2 * DAY;
  const order = { now: story.now, by: 'test', ip: FORGER, since: null };
  expect(await story.ledger.voidWebhooks(order)).toMatchObject({ uncertain: 1 });
  const { campaign, balance } = await reportOf(story, n);
  expect(campaign.finished_at).toBe(time(T0 + 2_000));
  expect(balance).toMatchObject({ after: '97.60', unexplained: '0.80', shared_with: [] });
});

it('of a campaign in which all was uncertain the balance of its claim is not taken for the one afterwards', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 2 });
  await story.readBalance(100 * KES);
  await story.claim();
  story.now += 30_000;
  await story.record(n, { 1: { to: 'uncertain' }, 2: { to: 'uncertain' } });
  story.now += 1_000;
  await story.readBalance(98_400_000);
  story.now += DAY;
  await resolve(story, n, 'sent');
  const { campaign, balance, throughput } = await reportOf(story, n);
  expect(campaign).toMatchObject({ started_at: time(T0), finished_at: time(T0) });
  expect(balance).toMatchObject({ before: '100.00', after: '98.40', unexplained: '1.60' });
  expect(throughput.messages_per_second).toBeNull();
});

it('what really happened later still counts: sent again, written off, canceled', async () => {
  const { story, n } = await oneWithoutAnswer();
  const finished = async () => (await reportOf(story, n)).campaign.finished_at;
  story.now = T0 + DAY;
  await resolve(story, n, 'write_off');
  expect(await finished()).toBe(time(T0 + 31_000));
  const again = { now: story.now, by: 'test', before: story.now, decision: 'not_sent', line: 4 } as const;
  await story.ledger.resolve(n, again);
  expect(await finished()).toBeNull();
  await story.claim();
  story.now += 1_000;
  await story.record(n, { 3: { to: 'sent' } });
  expect(await finished()).toBe(time(T0 + DAY + 1_000));
  const left = await story.launch({ id: 'c-1', name: 'c', messages: 1 });
  story.now += DAY;
  await story.ledger.cancel(left, { now: story.now, by: 'test' });
  expect((await reportOf(story, left)).campaign.finished_at).toBe(time(story.now));
});
