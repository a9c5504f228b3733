import { readXlsx } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { campaignReport } from '../../src/reports/campaign-report.ts';
import { csvLine } from '../../src/reports/csv-line.ts';
import { exportPages, exportWorkbook } from '../../src/reports/export.ts';
import { figuresCsv, figuresJson } from '../../src/reports/figures.ts';
import { figuresXlsx } from '../../src/reports/workbook.ts';
import { reportHtml } from '../../src/reports/report-html.ts';
import { sentOverTime } from '../../src/reports/sent-over-time.ts';
import { accountStatement } from '../../src/reports/statement.ts';
import { reportRow, statementRows } from '../../src/reports/statement-rows.ts';
import { LedgerStory } from '../support/ledger-story.ts';

/* What an accountant opens: the rows of a statement, of a report, and of an export, and the report with pictures. */

const ZONE = 'Africa/Nairobi';
const HOSTILE = 'a<b>&"\u001b[31m';
const DAYS = { from: '2026-11-27', to: '2026-11-27', zone: ZONE, currency: 'KES' };

/** Four messages were sent in two minutes: three delivered, one not. One was rejected, and one is uncertain. */
async function story() {
  const told = await LedgerStory.begin();
  const n = await told.launch({ id: 'a-1', name: 'one', messages: 6, estimatedMicro: 6_000_000 });
  await told.claim();
  told.now += 60_000;
  await told.record(n, {
    1: { to: 'sent', costMicro: 805_000 },
    2: { to: 'sent', network: HOSTILE },
    5: { to: 'rejected' },
    6: { to: 'uncertain' },
  });
  told.now += 60_000;
  await told.record(n, { 3: { to: 'sent' }, 4: { to: 'sent' } });
  for (const seq of [1, 2, 3]) await told.report(`m${n}-${seq}`, 'delivered');
  await told.report(`m${n}-4`, 'undelivered', 'absent');
  const reader = await told.reader();
  const [campaign] = await reader.find('a-1');
  if (campaign === undefined) throw new Error('no such campaign');
  return { told, reader, campaign };
}

async function bytesOf(pages: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const page of pages) parts.push(page);
  return Buffer.concat(parts);
}

describe('the rows of a statement', () => {
  it('are one a campaign: counts, money and times, the same as the row of its report', async () => {
    const { told, reader, campaign } = await story();
    const rows = statementRows(await accountStatement({ reader, ...DAYS }), 'campaign');
    expect(figuresJson(rows)).toEqual([
      {
        campaign: 'one',
        id: 'a-1',
        first_sent: '2026-11-27T06:01:00.000Z',
        last_sent: '2026-11-27T06:02:00.000Z',
        planned: 6,
        sent: 4,
        delivered: 3,
        delivered_percent: 75,
        undelivered: 1,
        rejected: 1,
        uncertain: 1,
        estimated: '6.00',
        charged: '3.205',
        per_delivered: '1.0683',
        currency: 'KES',
      },
    ]);
    const report = await campaignReport({ reader, campaign, now: told.now, reportWaitMs: 3_600_000 });
    expect(figuresJson(reportRow(report))).toEqual(figuresJson(rows));
  });

  it('by network and by day add up to the same, and no control character of a network stays', async () => {
    const { reader } = await story();
    const statement = await accountStatement({ reader, ...DAYS });
    const [header, ...lines] = figuresCsv(statementRows(statement, 'network')).split('\n');
    expect(header).toBe(
      'network,sent,delivered,delivered_percent,undelivered,uncertain,charged,per_delivered,currency',
    );
    expect(lines).toEqual([
      '1,3,2,66.7,1,0,2.405,1.2025,KES',
      '"a<b>&""\uFFFD[31m",1,1,100,0,0,0.80,0.80,KES',
      ',0,0,,0,1,0.00,,KES',
      '',
    ]);
    expect(figuresJson(statementRows(statement, 'day'))).toMatchObject([
      { day: '2026-11-27', sent: 4, delivered: 3, undelivered: 1, uncertain: 1, charged: '3.205' },
    ]);
  });

  it('are a workbook in which text is text, money a number, and a time local', async () => {
    const { reader } = await story();
    const rows = statementRows(await accountStatement({ reader, ...DAYS }), 'campaign');
    const { sheets } = await readXlsx(await bytesOf(figuresXlsx(rows, { sheet: 'by campaign', zone: ZONE })));
    expect(sheets[0]?.name).toBe('by campaign');
    const [header, row] = sheets[0]?.rows ?? [];
    expect(header?.slice(0, 3)).toEqual(['campaign', 'id', 'first_sent']);
    const times = [new Date('2026-11-27T09:01:00Z'), new Date('2026-11-27T09:02:00Z')];
    expect(row).toEqual(['one', 'a-1', ...times, 6, 4, 3, 75, 1, 1, 1, 6, 3.205, 1.0683, 'KES']);
  });
});

describe('an export for a spreadsheet', () => {
  it('keeps the digits of numbers and ids as text in CSV', () => {
    expect(csvLine(['254712345678', '0712345678', '007', '12345678901', '0', '0.80', 5])).toBe(
      '"=""254712345678""","=""0712345678""","=""007""",12345678901,0,0.80,5\n',
    );
    // A spreadsheet shows 100000 for an id 1E5, and 43 for +43.
    expect(csvLine(['1E5', '12e-3', '+43', '+254712345678', 'E5', '-1200', '10.00'])).toBe(
      '"=""1E5""","=""12e-3""","=""+43""","=""+254712345678""",E5,-1200,10.00\n',
    );
  });

  it('is a workbook with the contacts’ own columns, and only of the messages that were asked for', async () => {
    const { reader, campaign } = await story();
    const wanted = { reader, campaign, as: 'messages', state: null, unreportedBefore: 0 } as const;
    const filter = { delivery: 'undelivered', reason: 'Absent', withFields: true };
    let count = 0;
    const counted = (rows: number) => void (count += rows);
    const pages = exportWorkbook({ ...wanted, ...filter }, { zone: ZONE, counted });
    const [sheet] = (await readXlsx(await bytesOf(pages))).sheets;
    const [header = [], ...rows] = sheet?.rows ?? [];
    expect([count, rows.length]).toEqual([1, 1]);
    const cells = Object.fromEntries(header.map((name, at) => [String(name), rows[0]?.[at]]));
    expect(cells).toMatchObject({
      mobile: '254700000004',
      delivery: 'undelivered',
      reason: 'absent',
      cost: 0.8,
      sent_at: new Date('2026-11-27T09:02:00Z'),
    });
    expect(header.slice(-campaign.settings.header.length)).toEqual(campaign.settings.header);
    for await (const page of exportPages({ ...wanted, reason: 'other', format: 'csv' }))
      expect(page).toMatch(/^campaign,[^\n]*\n$/);
  });
});

it('the report is one HTML file with three pictures, without address or script, and escapes all text', async () => {
  const { told, reader, campaign } = await story();
  const report = await campaignReport({ reader, campaign, now: told.now, reportWaitMs: 3_600_000 });
  const times = { campaign, first: Date.parse('2026-11-27T06:01Z'), last: Date.parse('2026-11-27T06:02Z') };
  const spans = await sentOverTime(reader, times);
  expect(spans.filter(({ sent }) => sent > 0)).toMatchObject([
    { from: times.first, sent: 2, delivered: 2 },
    { from: times.last, sent: 2, delivered: 1 },
  ]);
  const made = {
    text: 'Hi <<name>>,\nkaribu!',
    sender: 'DUKA & Co',
    madeAt: Date.parse('2026-11-28T06:00Z'),
    networks: { '1': 'Safaricom' },
  };
  const html = reportHtml({ report, spans, ...made }, ZONE);
  expect(html.match(/<svg /g)).toHaveLength(3);
  const words = html.replaceAll(/<[^>]*>/g, '\n').replaceAll(/\n+/g, '\n');
  for (const part of [
    'Hi &lt;&lt;name&gt;&gt;,\nkaribu!',
    'from DUKA &amp; Co',
    'Rows read',
    'Safaricom',
    'Percentages are of the 6 planned messages. Made 28 Nov 2026 09:00:00 (Africa/Nairobi).',
    // Three of six: one basis everywhere.
    '3 (50.0 %)',
    '3 · 50.0 %',
  ])
    expect(words).toContain(part);
  expect(html).not.toMatch(/<script|src=|href=|url\(|https?:/);
  expect(html).toContain('a&lt;b&gt;&amp;&quot;\uFFFD[31m');
  expect(html).toContain('KES 3.205');
  expect(html).not.toContain('\u001b');
});
