import { describe, expect, it } from 'vitest';
import type { CampaignReport } from '../../src/reports/campaign-report.ts';
import { figuresCsv } from '../../src/reports/figures.ts';
import { reportRow } from '../../src/reports/statement-rows.ts';
import { reportTable } from '../../src/cli/text/report-table.ts';
import { duration, percent } from '../../src/reports/report-words.ts';
import { grouped } from '../../src/domain/money.ts';

const REPORT: CampaignReport = {
  campaign: {
    id: 'bf-1',
    name: 'black-friday',
    kind: 'promotional',
    state: 'finished',
    reason: null,
    created_at: '2026-11-27T06:00:00.000Z',
    started_at: '2026-11-27T06:00:05.000Z',
    finished_at: '2026-11-27T06:41:12.000Z',
  },
  rows: { read: 12_500, planned: 12_000, unchanged: 0, duplicate: 300, invalid: 150, suppressed: 50 },
  messages: {
    queued: 0,
    sending: 0,
    sent: 11_800,
    rejected: 150,
    uncertain: 50,
    skipped: 0,
    canceled: 0,
    written_off: 10,
    taken_back: 0,
  },
  decisions: [],
  delivery: { pending: 200, delivered: 11_000, undelivered: 500, unreported: 100, conflict: 0 },
  reasons: [
    { state: 'sent', reason: 'absent subscriber', count: 500, retry_helps: false, provider_words: null },
    {
      state: 'rejected',
      reason: 'gave up after 5',
      count: 150,
      retry_helps: true,
      provider_words: 'Invalid number (0712)',
    },
  ],
  segments: { planned: 13_000, one: 11_000, two: 1_000, more: 0 },
  cost: {
    currency: 'KES',
    estimated: '10400.00',
    charged: '9840.00',
    unknown: 3,
    unknown_price: '2.40',
    at_stake: '32.00',
    written_off_price: '8.00',
    unpriced: 0,
    spent: '9882.40',
    saved: '40.00',
    per_delivered: null,
    by_network: [
      { network: '63902', sent: 8_000, delivered: 7_800, charged: '6400.00' },
      { network: null, sent: 3_800, delivered: 3_200, charged: '3440.00' },
    ],
  },
  balance: { before: '20000.00', after: '10120.00', unexplained: '40.00', shared_with: [], top_ups: [] },
  latency_ms: {
    send: { p50: 120, p95: 400, p99: 900 },
    delivery: { p50: 4200, p95: 61_000, p99: 7_300_000 },
  },
  throughput: {
    messages_per_second: 48.2,
    first_sent_at: '2026-11-27T06:00:00.000Z',
    last_sent_at: '2026-11-27T06:03:20.000Z',
  },
};

const plain = { zone: 'Africa/Nairobi', width: 100, paint: (_style: string, text: string) => text };

describe('the page', () => {
  const page = reportTable(REPORT, plain);

  it('tells the whole story in plain words', () => {
    expect(page).toMatchInlineSnapshot(`
      "black-friday  finished
      bf-1 · promotional · Africa/Nairobi
      sent 27 Nov 2026 09:00:05 – 09:41:12 (41 min 7 s)

      Messages  12,000 planned
        Delivered                11,000   91.7 %  ██████████████████████░░
        Not delivered               500    4.2 %  █░░░░░░░░░░░░░░░░░░░░░░░
        Report to come              200    1.7 %  █░░░░░░░░░░░░░░░░░░░░░░░
        No report came              100    0.8 %  █░░░░░░░░░░░░░░░░░░░░░░░
        Rejected                    150    1.3 %  █░░░░░░░░░░░░░░░░░░░░░░░  refused; not sent
        Uncertain                    40    0.3 %  █░░░░░░░░░░░░░░░░░░░░░░░  sent or not: nobody knows
        Written off                  10    0.1 %  █░░░░░░░░░░░░░░░░░░░░░░░

      Why
        not delivered               500  absent subscriber
        rejected                    150  gave up after 5  a retry can help
                                         “Invalid number (0712)”

      Cost
        Charged                   KES 9,840.00  estimated KES 10,400.00
        Cost not known                       3  sent, up to KES 2.40 more
        Uncertain                           40  sent or not, up to KES 32.00 more
        Written off                         10  sent or not, up to KES 8.00 more
        Spent, at most            KES 9,882.40  if all of that was charged
        Saved                        KES 40.00  not sent: opted out or dead
          network 63902           KES 6,400.00  8,000 sent
          network not known       KES 3,440.00  3,800 sent
        Balance before           KES 20,000.00
        Balance after            KES 10,120.00
        Unexplained                  KES 40.00  went without a known charge

      Contacts
        Rows read                12,500
          planned                12,000
          duplicate                 300
          invalid                   150
          opted out or dead          50
        Segments                 13,000  11,000 of one segment, 1,000 of two

      Speed
        Sent                       48.2  a second
        Answered within          120 ms  for half, 400 ms for 95 %
        Delivered within          4.2 s  for half, 1 min 1 s for 95 %

      Try the rejected again:   tuma retry bf-1
      Decide the uncertain:     tuma resolve bf-1 --evidence"
    `);
  });

  it('leaves the bars out of a narrow terminal, and fits it', () => {
    const lines = reportTable(REPORT, { ...plain, width: 79 }).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.join('')).not.toContain('█');
  });

  it('cannot be made to control the terminal by a name or by words of the provider [X35]', () => {
    const hostile = structuredClone(REPORT);
    hostile.campaign.name = 'x\u001b]0;owned\u0007';
    hostile.reasons[0] = {
      state: 'rejected',
      reason: 'no\u001b[2Jroute\r',
      count: 1,
      retry_helps: false,
      provider_words: 'x\u001b[2J',
    };
    hostile.cost.by_network[0] = { network: '\u009b31m', sent: 1, delivered: 1, charged: '1.00' };
    expect(reportTable(hostile, plain)).not.toMatch(/[\p{Cc}--\n]/v);
  });

  it('does not divide by nothing', () => {
    const empty = structuredClone(REPORT);
    empty.rows = { read: 0, planned: 0, unchanged: 0, duplicate: 0, invalid: 0, suppressed: 0 };
    expect(reportTable(empty, plain)).not.toMatch(/NaN|Infinity/);
  });

  it('does not say of money that was not taken that it went', () => {
    const less = structuredClone(REPORT);
    less.balance.unexplained = '-40.00';
    expect(reportTable(less, plain)).toMatch(/Unexplained +KES -40\.00 {2}less was taken than was charged/);
  });

  it('says that a top-up hides what is not known', () => {
    const hidden = structuredClone(REPORT);
    hidden.balance = {
      ...hidden.balance,
      unexplained: null,
      top_ups: [{ at: '2026-11-27T06:00:00.000Z', amount: '50.00' }],
    };
    expect(reportTable(hidden, plain)).toMatch(
      /Unexplained +not known {2}a top-up hides what messages of unknown cost/,
    );
    hidden.balance = { before: '10.00', after: null, unexplained: null, shared_with: [], top_ups: [] };
    expect(reportTable(hidden, plain)).not.toContain('Unexplained');
  });

  it('takes what is less than the last digit of a balance for neither a charge nor a top-up', () => {
    for (const unexplained of ['0.0037', '-0.0037']) {
      const rounded = structuredClone(REPORT);
      rounded.balance.unexplained = unexplained;
      expect(reportTable(rounded, plain)).toMatch(
        /Unexplained +KES -?0\.0037 {2}less than 0\.01: the balance is told with two decimals/,
      );
    }
  });

  it('says why it is paused and how to go on', () => {
    const paused = structuredClone(REPORT);
    Object.assign(paused.campaign, { state: 'paused', reason: 'balance', finished_at: null });
    expect(reportTable(paused, plain)).toMatch(
      /black-friday {2}paused: not enough credit[^]*tuma resume bf-1$/m,
    );
    paused.campaign.reason = 'budget';
    expect(reportTable(paused, plain)).toMatch(/tuma resume bf-1 --budget AMOUNT$/);
  });
});

describe('the words', () => {
  it('never round a part to all, or something to nothing', () => {
    expect([percent(0), percent(0.00001), percent(0.5), percent(0.99999), percent(1)]).toEqual([
      '0.0 %',
      '< 0.1 %',
      '50.0 %',
      '> 99.9 %',
      '100.0 %',
    ]);
  });

  it('group the digits of an amount and change none', () => {
    expect(['0.80', '999.00', '1234567.805', '-12345.00'].map(grouped)).toEqual([
      '0.80',
      '999.00',
      '1,234,567.805',
      '-12,345.00',
    ]);
  });

  it('write a span in two units at most', () => {
    expect([0, 850, 4_200, 59_960, 200_000, 18_120_000, 183_600_000].map(duration)).toEqual([
      '0 ms',
      '850 ms',
      '4.2 s',
      '1 min 0 s',
      '3 min 20 s',
      '5 h 2 min',
      '2 d 3 h',
    ]);
  });
});

describe('the CSV form', () => {
  it('is the row of a statement, with nothing for null, and neutralises formulas [X13]', () => {
    const hostile = structuredClone(REPORT);
    hostile.campaign.name = '=HYPERLINK("http://evil")';
    const lines = figuresCsv(reportRow(hostile)).split('\n');
    expect(lines[0]).toBe(
      'campaign,id,first_sent,last_sent,planned,sent,delivered,delivered_percent,undelivered,rejected,uncertain,estimated,charged,per_delivered,currency',
    );
    expect(lines[1]).toMatch(/^"'=HYPERLINK\(""http:\/\/evil""\)",/);
    expect(lines[1]).toMatch(/,KES$/);
    expect(lines).toHaveLength(3);
  });
});
