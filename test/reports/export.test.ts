import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { isoTime } from '../../src/reports/campaign-report.ts';
import { csvLine, csvLines } from '../../src/reports/csv-line.ts';
import { EXPORT_COLUMNS, type ExportRequest, exportPages } from '../../src/reports/export.ts';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { LedgerReader, MessageRow } from '../../src/ledger/contracts/reader.ts';
import { pairedCell } from '../../src/domain/text/paired-cell.ts';
import { printable, neutralise, unneutralised } from '../../src/domain/text/printable.ts';
import { LedgerStory, T0 } from '../support/ledger-story.ts';

async function exported(
  story: LedgerStory,
  n: number,
  options: Partial<ExportRequest> = {},
): Promise<string> {
  const reader = await story.reader();
  const { campaign } = await reader.overview(n);
  const request = {
    reader,
    campaign,
    format: 'csv',
    as: 'messages',
    state: null,
    unreportedBefore: T0,
    ...options,
  } as const;
  return (await pagesOf(exportPages(request))).join('');
}

async function pagesOf(pages: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

async function mixed(): Promise<{ story: LedgerStory; n: number }> {
  const story = await LedgerStory.begin();
  const n = await story.launch({
    rows: [
      { fields: ['+254700000001', 'Ann "A", Ltd'] },
      { fields: ['0700000002', '=cmd|calc'] },
      { fields: ['0700000003', 'line\nbreak'] },
      { fields: ['0700000004', '-5'], key: '@SUM(A1)' },
    ],
  });
  story.now += 1_000;
  await story.claim();
  story.now += 1_000;
  await story.record(n, {
    1: { to: 'sent' },
    2: { to: 'rejected' },
    3: { to: 'sent', costMicro: null },
    4: { to: 'uncertain' },
  });
  story.now += 1_000;
  await story.report(`m${n}-1`, 'undelivered', 'absent');
  return { story, n };
}

describe('an export of messages', () => {
  it('has the columns in the order that never changes, one row a message', async () => {
    const { story, n } = await mixed();
    const lines = (await exported(story, n)).split('\n');
    expect(lines[0]).toBe(
      'campaign,line,mobile,key,occurrence,state,delivery,reason,provider_words,messageid,network,segments,cost,currency,attempts,queued_at,sent_at,reported_at,batch,due_at,offset',
    );
    expect(lines[1]).toBe(
      `bf-1,2,"=""254700000001""",,,sent,undelivered,absent,,m${n}-1,1,1,0.80,KES,1,2026-11-27T06:00:00.000Z,2026-11-27T06:00:02.000Z,2026-11-27T06:00:03.000Z,1,,`,
    );
    expect(lines[2]).toMatch(/^bf-1,3,"=""254700000002""",,,rejected,,invalid mobile,,,,1,,KES,1,/);
    expect(lines[4]).toContain(",'@SUM(A1),");
  });

  it('is the same as NDJSON, with null for what is not known', async () => {
    const { story, n } = await mixed();
    const rows = (await exported(story, n, { format: 'ndjson' }))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows).toHaveLength(4);
    expect(Object.keys(rows[2] ?? {})).toEqual(EXPORT_COLUMNS.map(({ name }) => name));
    expect(rows[2]).toMatchObject({ line: 4, state: 'sent', cost: null, reported_at: null, segments: 1 });
    expect(rows[3]).toMatchObject({ key: '@SUM(A1)', state: 'uncertain', messageid: null, sent_at: null });
  });

  it('calls a message unreported that has been pending for too long, as the report does', async () => {
    const { story, n } = await mixed();
    const late = await exported(story, n, { unreportedBefore: story.now, state: 'unreported' });
    expect(parse(late, { columns: true })).toMatchObject([{ line: '4', delivery: 'unreported' }]);
  });
});

describe('an export of contacts', () => {
  it('gives the original rows back under the original header, whatever is in them', async () => {
    const { story, n } = await mixed();
    const text = await exported(story, n, { as: 'contacts', state: 'sent' });
    expect(parse(text)).toEqual([
      ['Phone', 'First name'],
      ['+254700000001', 'Ann "A", Ltd'],
      ['0700000003', 'line\nbreak'],
    ]);
  });

  it('gives the value of a cell that keeps both, and the shown text beside the messages', async () => {
    const story = await LedgerStory.begin();
    const due = pairedCell({ value: '2026-12-02', shown: '02/12/2026' });
    const n = await story.launch({ rows: [{ fields: ['0700000001', due] }] });
    const contacts = await exported(story, n, { as: 'contacts', state: 'queued' });
    expect(parse(contacts)[1]).toEqual(['0700000001', '2026-12-02']);
    const messages = await exported(story, n, { withFields: true });
    expect(parse(messages, { columns: true })).toMatchObject([{ 'First name': '02/12/2026' }]);
  });

  it('leaves out the cell that names the text of a reminder, so that the rows can be launched again', async () => {
    const story = await LedgerStory.begin();
    const remind = { column: 'due', atMinute: 540, format: null, keyed: false, offset: '0d' };
    const settings = { remind: { ...remind, series: ['-2d', '0d'], texts: { '0d': 'Today' } } };
    const n = await story.launch({ rows: [{ fields: ['0700000001', 'Ann', '0d'] }], settings });
    const as = { as: 'contacts', state: 'queued' } as const;
    expect(parse(await exported(story, n, as))).toEqual([
      ['Phone', 'First name'],
      ['0700000001', 'Ann'],
    ]);
  });

  it('leaves what would control a terminal in the rows, byte by byte, because they are uploaded again', async () => {
    const story = await LedgerStory.begin();
    const fields = ['0700000001', 'a\u001b]0;owned\u0007\u009b2J\u202eb\r\n\tc'];
    const n = await story.launch({ rows: [{ fields }], settings: { header: ['Phone', 'N\u202eame'] } });
    const as = { as: 'contacts', state: 'queued' } as const;
    expect(parse(await exported(story, n, as))).toEqual([['Phone', 'N\u202eame'], fields]);
    const ndjson = await exported(story, n, { ...as, format: 'ndjson' });
    expect(ndjson.trimEnd()).toMatch(/^[ -~]+$/);
    expect(JSON.parse(ndjson)).toEqual({ Phone: fields[0], 'N\u202eame': fields[1] });
  });

  it.each([
    ['rejected', ['0700000002']],
    ['undelivered', ['+254700000001']],
    ['pending', ['0700000003']],
    ['canceled', []],
  ])('takes only those of %s', async (state, phones) => {
    const { story, n } = await mixed();
    const rows: Record<string, string>[] = parse(await exported(story, n, { as: 'contacts', state }), {
      columns: true,
    });
    expect(rows.map((row) => row['Phone'])).toEqual(phones);
  });
});

it('what corrected contacts canceled is not among the rows to upload again: old dates, and people who were left out', async () => {
  const row = { state: 'canceled', sentAt: null, delivery: null } as MessageRow;
  const page = [
    { ...row, seq: 1, fields: ['0700000001', '2026-11-27'], reason: 'moved' },
    { ...row, seq: 2, fields: ['0700000002', '2026-11-27'], reason: 'no longer in the contacts' },
    { ...row, seq: 3, fields: ['0700000001', '2026-11-30'], reason: null },
  ];
  const request = {
    reader: { messages: () => Promise.resolve(page) } as unknown as LedgerReader,
    campaign: { settings: { header: ['phone', 'date'] } } as unknown as Campaign,
    format: 'csv' as const,
    state: 'canceled',
    unreportedBefore: 0,
  };
  let text = '';
  for await (const part of exportPages({ ...request, as: 'contacts' })) text += part;
  expect(text.split('\n')).toEqual(['phone,date', '0700000001,2026-11-30', '']);
});

it('an export of many pages has every message once, in order', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({
    id: 'many-1',
    name: 'many',
    rows: Array.from({ length: 5_000 }, () => ({})),
    startAt: T0 + 1e9,
  });
  const counted: number[] = [];
  const reader = await story.reader();
  const { campaign } = await reader.overview(n);
  const request = {
    reader,
    campaign,
    format: 'csv',
    as: 'messages',
    state: null,
    unreportedBefore: T0,
  } as const;
  const text = (await pagesOf(exportPages(request, (rows) => counted.push(rows)))).join('');
  const lines = parse(text, { columns: true, cast: false }).map((row) =>
    Number((row as { line: string }).line),
  );
  expect(lines).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 2));
  expect(counted.reduce((sum, rows) => sum + rows, 0)).toBe(5_000);
});

it.each([
  { format: 'csv' },
  { format: 'ndjson' },
  { format: 'csv', withFields: true },
  { format: 'csv', as: 'contacts', state: 'sent' },
] as const)('an export in pages is that of its rows one by one: %j', async (options) => {
  const story = await LedgerStory.begin();
  const texts = ['=1', 'a', 'a', '', '"', '00043', '43', 'line\nbreak', '\u001b[31m'];
  const rows = Array.from({ length: 300 }, (_, at) => ({
    key: `${texts[(at >> 1) % texts.length]}`,
    fields: [`0700000${at}`, texts[at % texts.length] ?? ''],
  }));
  const n = await story.launch({ rows });
  for (const seq of await story.claim()) {
    story.now += seq % 3;
    const sent = { to: 'sent', costMicro: seq % 4 === 0 ? null : 800_000, network: `${seq % 2}` } as const;
    await story.record(n, { [seq]: seq % 5 === 0 ? { to: 'rejected' } : sent });
    if (seq % 7 === 0) await story.report(`m${n}-${seq}`, 'delivered');
  }
  const reader = await story.reader();
  const all = await reader.messages({ campaign: n, afterSeq: 0, limit: 1_000, states: null });
  const of = async (messages: MessageRow[]) => {
    const one = { ...reader, messages: () => Promise.resolve(messages) };
    return exported(story, n, { ...options, reader: one });
  };
  const header = await of([]);
  let text = header;
  for (const row of all) text += (await of([row])).slice(header.length);
  expect(all).toHaveLength(300);
  expect(await exported(story, n, options)).toBe(text);
});

it('cells that repeat from row to row are written as in rows alone', () => {
  const cell = fc.constantFrom(null, 0, 7, '7', '', '=7', '007', 'a', 'a,"b"', ' a');
  fc.assert(
    fc.property(fc.array(fc.array(cell, { maxLength: 4 })), (rows) => {
      expect(csvLines(rows)).toBe(rows.map((cells) => csvLine(cells)).join(''));
    }),
  );
});

it('a time is written as the language writes it, whatever was written before', () => {
  const near = (at: number) => fc.integer({ min: at - 2 * 86_400_000, max: at + 2 * 86_400_000 });
  fc.assert(
    fc.property(fc.array(fc.oneof(near(T0), near(0), near(Date.UTC(10_000, 0)))), (times) => {
      expect(times.map(isoTime)).toEqual(times.map((at) => new Date(at).toISOString()));
    }),
  );
});

it.each([
  ['=1+1', "'=1+1"],
  ['+cmd', "'+cmd"],
  ['-2+3+cmd', "'-2+3+cmd"],
  ['@SUM(1)', "'@SUM(1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['＠x', "'＠x"],
  ['+254 712 345-678', '+254 712 345-678'],
  ['-5.50', '-5.50'],
  ['Ann', 'Ann'],
  ["'Ann", "'Ann"],
  ["'", "'"],
  ['', ''],
])('a spreadsheet shows %j as it is, and it is read back', (cell, safe) => {
  expect(neutralise(cell)).toBe(safe);
  expect(unneutralised(safe)).toBe(cell);
});

it('whatever is in the cells, a CSV reader gives back what the spreadsheet is shown', () => {
  const row = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      const text = rows.map((cells) => csvLine(cells)).join('');
      // A byte order mark at the very beginning belongs to the file, not to its first cell.
      fc.pre(!text.startsWith('\ufeff'));
      const read: string[][] = parse(text, { record_delimiter: '\n', relax_column_count: true });
      expect(read).toEqual(rows.map((cells) => cells.map((cell) => printable(neutralise(cell)))));
    }),
  );
});
