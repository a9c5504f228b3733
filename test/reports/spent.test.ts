import { expect, it } from 'vitest';
import { campaignReport } from '../../src/reports/campaign-report.ts';
import { reportTable } from '../../src/cli/text/report-table.ts';
import { accountStatement } from '../../src/reports/statement.ts';
import { statementTable } from '../../src/reports/statement-table.ts';
import { LedgerStory } from '../support/ledger-story.ts';

/* What a campaign has spent is charged, and the most that everything else may have cost: docs/money.md. */

const DAY = '2026-11-27';
const PLAIN = { zone: 'UTC', width: 100, paint: (_: string, text: string) => text };

const micro = (amount: string | undefined) => Math.round(Number(amount) * 1_000_000);

/**
 * The first four left before any price was known, of which one showed it; then it rose. Sent, of unknown cost, uncertain and
 * written off, of one segment and of two.
 */
async function mixed(): Promise<{ story: LedgerStory; n: number }> {
  const story = await LedgerStory.begin();
  const segments = [1, 1, 2, 1, 1, 2, 1, 1];
  const n = await story.launch({ rows: segments.map((count) => ({ segments: count })) });
  await story.claim({ priceMicro: null });
  await story.record(n, {
    1: { to: 'sent', costMicro: null },
    2: { to: 'uncertain' },
    3: { to: 'uncertain' },
    4: { to: 'sent', costMicro: 800_000 },
    ...Object.fromEntries([5, 6, 7, 8].map((seq) => [seq, { to: 'queued' }])),
  });
  await story.claim({ priceMicro: 800_000 });
  await story.record(n, {
    5: { to: 'sent', costMicro: 805_000 },
    6: { to: 'sent', costMicro: null },
    7: { to: 'uncertain' },
    8: { to: 'rejected' },
  });
  const order = { now: story.now, by: 'test', before: story.now, decision: 'write_off' } as const;
  for (const line of [4, 8]) await story.ledger.resolve(n, { ...order, line });
  return { story, n };
}

async function toldOf(story: LedgerStory, n: number) {
  const reader = await story.reader();
  const overview = await reader.overview(n);
  const { campaign } = overview;
  const report = await campaignReport({ reader, campaign, now: story.now, reportWaitMs: 1e9 });
  const statement = await accountStatement({ reader, from: DAY, to: DAY, zone: 'UTC', currency: 'KES' });
  return { reader, overview, report, statement };
}

it('spent is charged and the most that all else may have cost, to the cent, in status, report and statement', async () => {
  const { story, n } = await mixed();
  const { reader, overview, report, statement } = await toldOf(story, n);
  const { charged, unknown_price, at_stake, written_off_price, spent } = report.cost;
  expect(report.cost).toMatchObject({ charged: '1.605', unknown: 2, spent: '7.24' });
  // Of one segment and of two, at 0.805 a segment; then one; then two and one.
  expect({ unknown_price, at_stake, written_off_price }).toEqual({
    unknown_price: '2.415',
    at_stake: '0.805',
    written_off_price: '2.415',
  });
  const parts = [charged, unknown_price, at_stake, written_off_price];
  expect(parts.reduce((sum, part) => sum + micro(part), 0)).toBe(micro(spent));
  expect(overview.spentMicro).toBe(micro(spent));
  const total = statement.accounts[0]?.total;
  expect(total).toMatchObject({ charged, unknown_price, at_stake, written_off_price });
  expect(total).toMatchObject({ unknown: 2, uncertain: 1, written_off: 2 });
  expect(await reader.violations(null)).toEqual([]);
});

it('what was written off keeps its amount and its place: in the report, in the statement and its lists', async () => {
  const { story, n } = await mixed();
  const { report, statement } = await toldOf(story, n);
  expect(reportTable(report, PLAIN)).toMatch(/Written off +2 {2}sent or not, up to KES 2\.415 more/);
  expect(reportTable(report, PLAIN)).toMatch(/Spent, at most +KES 7\.24 /);
  const page = statementTable(statement, PLAIN);
  expect(page).toMatch(/Written off +2 {2}sent or not, up to KES 2\.415 more/);
  expect(page).toMatch(/^Campaign +sent +charged +estimated +not known +uncertain +written off$/m);
  expect(page).toMatch(/^2026-11-27 +4 +1\.605 +2 +1 +2 +– +–$/m);
});

it('written off or not, a campaign has spent the same', async () => {
  const { story, n } = await mixed();
  const before = (await toldOf(story, n)).overview.spentMicro;
  await story.ledger.resolve(n, { now: story.now, by: 'test', before: story.now, decision: 'write_off' });
  const { overview, report } = await toldOf(story, n);
  expect(overview.spentMicro).toBe(before);
  expect(report.cost).toMatchObject({ at_stake: '0.00', written_off_price: '3.22', spent: '7.24' });
});

it("the most is the dearest network's price, though only the cheapest showed what a message of that length costs", async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ rows: [1, 2, 1, 2].map((segments) => ({ segments })) });
  await story.claim({ priceMicro: null });
  await story.record(n, {
    1: { to: 'sent', costMicro: 1_000_000, network: '3' },
    2: { to: 'sent', costMicro: 1_600_000, network: '1', segments: 2 },
    3: { to: 'uncertain' },
    4: { to: 'uncertain' },
  });
  const { overview, report, statement } = await toldOf(story, n);
  expect(report.cost).toMatchObject({ charged: '2.60', at_stake: '3.00', spent: '5.60' });
  expect(overview.spentMicro).toBe(5_600_000);
  expect(statement.accounts[0]?.total.at_stake).toBe('3.00');
});

it('where no price is known, people are told so, and not that nothing is at stake', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ rows: [{}, {}, {}] });
  await story.claim({ priceMicro: null });
  const lost = { to: 'uncertain' } as const;
  await story.record(n, { 1: { to: 'sent', costMicro: null }, 2: lost, 3: lost });
  const { overview, report, statement } = await toldOf(story, n);
  expect(overview).toMatchObject({ spentMicro: 0, unpriced: 3 });
  expect(report.cost).toMatchObject({ at_stake: '0.00', spent: '0.00' });
  const table = reportTable(report, PLAIN);
  expect(table).toMatch(/Cost not known +1 {2}sent, no price is known/);
  expect(table).toMatch(/Uncertain +2 {2}sent or not, no price is known\n +Spent, at most +not known /);
  const page = statementTable(statement, PLAIN);
  expect(page).toMatch(/Uncertain +2 {2}sent or not, no price is known$/m);
});

it('where some of them left at a known price, that is what those may have cost, and no sum of all', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ rows: [{}, {}, {}] });
  await story.claim({ priceMicro: null });
  const back = { to: 'queued' } as const;
  await story.record(n, { 1: { to: 'uncertain' }, 2: back, 3: back });
  // Started again, with TUMA_PRICE.
  await story.claim({ priceMicro: 800_000 });
  await story.record(n, { 2: { to: 'uncertain' }, 3: { to: 'sent', costMicro: null } });
  const { overview, report, statement } = await toldOf(story, n);
  expect(overview).toMatchObject({ spentMicro: 1_600_000, unpriced: 1 });
  expect(report.cost).toMatchObject({ at_stake: '0.80', spent: '1.60', unpriced: 1 });
  const table = reportTable(report, PLAIN);
  expect(table).toMatch(/Uncertain +2 {2}sent or not, up to KES 0\.80 more where a price is known$/m);
  expect(table).toMatch(/Spent, at most +not known {2}no price is known for 1 message$/m);
  expect(statement.accounts[0]?.total.unpriced).toBe(1);
  expect(statementTable(statement, PLAIN)).toContain(
    'sent or not, up to KES 0.80 more where a price is known',
  );
});

it('of an account that pays nothing for its messages the price is known: 0.00', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ rows: [{}, {}, {}] });
  await story.claim({ priceMicro: null });
  await story.record(n, {
    1: { to: 'sent', costMicro: 0 },
    2: { to: 'sent', costMicro: null },
    3: { to: 'uncertain' },
  });
  const { overview, report, statement } = await toldOf(story, n);
  expect(overview).toMatchObject({ spentMicro: 0, unpriced: 0 });
  const table = reportTable(report, PLAIN);
  expect(table).toMatch(
    /Cost not known +1 {2}sent, up to KES 0\.00 more\n +Uncertain +1 {2}sent or not, up to KES 0\.00 more/,
  );
  expect(table).toMatch(/Spent, at most +KES 0\.00 /);
  expect(table + statementTable(statement, PLAIN)).not.toContain('no price is known');
});
