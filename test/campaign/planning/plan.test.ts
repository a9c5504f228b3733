import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type PlanInput, type PlanSink, planContacts } from '../../../src/campaign/planning/plan.ts';
import type { ReminderPlan } from '../../../src/campaign/planning/plan-reminders.ts';
import { type ContactsFile, openContacts } from '../../../src/contacts/contacts-file.ts';
import type { Reject, Rejects } from '../../../src/contacts/rejects.ts';
import { ReminderTally } from '../../../src/domain/reminder-tally.ts';
import { compileTemplate } from '../../../src/domain/text/template.ts';
import type { NewMessage } from '../../../src/ledger/contracts/records.ts';
import type { NewReminder, ReminderComparison } from '../../../src/ledger/contracts/schedules.ts';
import { makeTempDir } from '../../support/temp-home.ts';

type Row = NewMessage | NewReminder;

/** What the ledger was given, and what became of the rows. */
interface Planned {
  tally: Awaited<ReturnType<typeof planContacts>>;
  added: Row[];
  rejected: string[];
}

/** Plans "Hi <<name>>" for a CSV, before a ledger that takes every row unless the test says otherwise. */
async function plan(
  csv: string,
  given: Partial<PlanInput> = {},
  sink: Partial<PlanSink> = {},
): Promise<Planned> {
  const path = join(makeTempDir(), 'c.csv');
  writeFileSync(path, csv);
  await using contacts = await openContacts({ path, countries: ['KE'] });
  const added: Row[] = [];
  const rejected: string[] = [];
  const add = (rows: Row[]) => {
    added.push(...rows);
    return sink.add?.(rows) ?? Promise.resolve([]);
  };
  const tally = await planContacts({
    contacts,
    template: compileTemplate({ source: 'Hi <<name>>', file: 't', header: contacts.header, columns: {} }),
    countries: ['KE'],
    fieldsOf: ({ cells }) => cells,
    keyColumns: [],
    otherMobileColumns: [],
    optOutText: '',
    reminders: null,
    rejects: {
      add: ({ row, reason, detail }: Reject) => rejected.push(`${row.line} ${reason}: ${detail}`),
    } as unknown as Rejects,
    signal: new AbortController().signal,
    ...given,
    sink: { suppressed: null, ...sink, add },
  });
  return { tally, added, rejected };
}

const mobileOf = (last: number) => `2547000000${String(last).padStart(2, '0')}`;
const HEADER = 'phone,name,invoice,tuma_line,tuma_reason,tuma_detail';
const ROWS = [
  `${mobileOf(2)}, Ann , F1 ,,,`,
  'nobody,Bob,F2,,,',
  `${mobileOf(4)},Cy`,
  `${mobileOf(5)},Di,,,,`,
  `${mobileOf(6)},,F6,,,`,
  `${mobileOf(7)},Ed,F7,3,duplicate,`,
  `${mobileOf(8)},Fay,F8,,,`,
  `${mobileOf(9)},Gil,F9,,,`,
  `${mobileOf(10)},Hal,F10,,,`,
];
const CSV = `${[HEADER, ...ROWS].join('\n')}\n`;

it('every row becomes a message or is rejected, once, with its own reason', async () => {
  const leftOut = [
    { line: 9, keptLine: 2 },
    { line: 8, suppression: 'dead number' as const },
  ];
  const { tally, added, rejected } = await plan(CSV, { keyColumns: [2] }, { add: async () => leftOut });
  expect(added.map(({ line, mobile, key }) => ({ line, mobile, key }))).toEqual([
    { line: 2, mobile: mobileOf(2), key: 'F1' },
    { line: 8, mobile: mobileOf(8), key: 'F8' },
    { line: 9, mobile: mobileOf(9), key: 'F9' },
    { line: 10, mobile: mobileOf(10), key: 'F10' },
  ]);
  expect(added[0]).toMatchObject({ fields: [mobileOf(2), 'Ann', 'F1'], segments: 1, occurrence: '' });
  expect(rejected.map((words) => words.split(':', 1)[0])).toEqual([
    '3 not a number',
    '4 too few cells',
    '5 missing invoice',
    '6 missing name',
    '7 duplicate',
    '8 dead number',
    '9 duplicate',
  ]);
  expect(rejected.at(-1)).toContain('the same as line 2');
  expect(tally).toMatchObject({ read: 9, planned: 2, rejected: { invalid: 4, duplicate: 2, suppressed: 1 } });
  expect(tally.examples.map(({ line, text }) => [line, text])).toEqual([
    [2, 'Hi Ann'],
    [10, 'Hi Hal'],
  ]);
});

it('asked apart, who must not be written to is never handed to the ledger', async () => {
  const asked: string[] = [];
  const suppressed = async (mobiles: string[]) => {
    asked.push(...mobiles);
    return new Map([[mobileOf(9), 'opted out' as const]]);
  };
  const { tally, added, rejected } = await plan(CSV, {}, { suppressed });
  expect(asked).toEqual([2, 5, 8, 9, 10].map(mobileOf));
  expect(added.map(({ line }) => line)).toEqual([2, 5, 8, 10]);
  expect(rejected.at(-1)).toBe('9 opted out: this number asked for no more messages');
  expect(tally).toMatchObject({ read: 9, planned: 4, rejected: { suppressed: 1 } });
});

it('who opted out with any of several phones gets nothing on another one, and each phone is counted', async () => {
  const csv = `phone,name,other\n${mobileOf(1)},Ann,${mobileOf(9)}\nn/a,Bob,${mobileOf(2)}\n,Cy,${mobileOf(9)}\n${mobileOf(3)},Di,\n`;
  const suppressed = async () => new Map([[mobileOf(9), 'opted out' as const]]);
  const { tally, added, rejected } = await plan(csv, { otherMobileColumns: [2] }, { suppressed });
  expect(added.map(({ line, mobile, others }) => [line, mobile, others])).toEqual([
    [3, mobileOf(2), undefined],
    [5, mobileOf(3), undefined],
  ]);
  expect(rejected.map((each) => each.split(':')[0])).toEqual(['2 opted out', '4 opted out']);
  expect([...tally.mobiles]).toEqual([
    [0, 2],
    [2, 2],
  ]);
});

it('the opt-out text of the provider is counted in the segments, and is no part of what is said', async () => {
  const optOutText = `\n${'Opt out by *456*9*5#. '.repeat(8)}`;
  const { added, tally } = await plan(CSV, { optOutText });
  expect(added[0]?.segments).toBe(2);
  expect(tally.examples[0]).toEqual({ line: 2, text: 'Hi Ann', segments: 2 });
});

/** Contacts whose chunks come at once: nothing but the calls under way takes time. */
function atOnce(chunks: number, size: number): ContactsFile {
  const rows = async function* () {
    for (let chunk = 0; chunk < chunks; chunk += 1)
      yield Array.from({ length: size }, (_, index) => {
        const line = 2 + chunk * size + index;
        return { line, cells: [String(254_700_000_000 + line), 'Ann'], raw: '', problem: null };
      });
  };
  return { header: ['phone', 'name'], mobileColumn: 0, rows } as unknown as ContactsFile;
}

it.each([false, true])('thousands of rows come each once, in order (asked apart: %s)', async (apart) => {
  const lines = Array.from({ length: 12_345 }, (_, index) => index + 2);
  const suppressed = apart ? async () => new Map() : null;
  const sizes: number[] = [];
  const underWay: number[] = [0];
  let under = 0;
  const add = async (rows: Row[]) => {
    sizes.push(rows.length);
    underWay.push((under += 1));
    await new Promise(setImmediate);
    under -= 1;
    return rows.filter(({ line }) => line % 1_000 === 0).map(({ line }) => ({ line, keptLine: 2 }));
  };
  const { tally, added } = await plan('phone,name\n', { contacts: atOnce(5, 2_469) }, { suppressed, add });
  expect(added.map(({ line }) => line)).toEqual(lines);
  expect(Math.max(...sizes)).toBe(500);
  expect(Math.max(...underWay)).toBeLessThanOrEqual(17);
  expect(tally).toMatchObject({ read: 12_345, planned: 12_333, rejected: { duplicate: 12 } });
});

it('what the ledger refuses fails the plan, and so does a person who stops it: nothing is under way then', async () => {
  const full = async () => Promise.reject(new Error('disk full'));
  await expect(plan(CSV, {}, { add: full })).rejects.toThrow('disk full');
  const stopping = new AbortController();
  let under = 0;
  const add = async () => {
    under += 1;
    stopping.abort();
    await new Promise((done) => setTimeout(done, 20));
    under -= 1;
    return [];
  };
  const contacts = atOnce(2, 500);
  const stopped = plan('phone,name\n', { contacts, signal: stopping.signal }, { add });
  await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  expect(under).toBe(0);
});

/** A reminder at the hour that the row's name says; `now` is 10. */
function remindersOf(changes: Partial<ReminderPlan>): ReminderPlan {
  return {
    occurrenceOf: ([, hour = '']) =>
      /^\d+$/.test(hour)
        ? { ok: true, date: `d${hour}`, notBefore: Number(hour), notAfter: Number(hour) + 9 }
        : { ok: false, reason: 'not a date', detail: '' },
    isPast: ({ notBefore }) => notBefore < 10,
    rule: { column: 'due', offset: '0d', atMinute: 540, format: null, keyed: false },
    series: null,
    compare: null,
    remindedBefore: null,
    tally: new ReminderTally({ zone: 'UTC', keyed: false }),
    ...changes,
  };
}

const DUE = `phone,name\n${['9', '11', 'soon', '12', '8'].map((hour, index) => `${mobileOf(index)},${hour}`).join('\n')}\n`;

it('a reminder has the moment of its own row; what is past, or was said before, is planned and skipped', async () => {
  const remindedBefore = async (rows: readonly Row[]) => rows.map(({ line }) => line === 5 || line === 6);
  const reminders = remindersOf({ remindedBefore });
  const { added, tally, rejected } = await plan(DUE, { reminders });
  expect(added.map((row) => [row.line, row.occurrence, 'skip' in row ? row.skip : ''])).toEqual([
    [2, 'd9', 'moment past'],
    [3, 'd11', null],
    [5, 'd12', 'already reminded'],
    [6, 'd8', 'already reminded'],
  ]);
  expect(added[1]).toMatchObject({ notBefore: 11, notAfter: 20, fields: [mobileOf(1), '11'] });
  expect(rejected).toEqual(['4 not a date: ']);
  expect(tally).toMatchObject({ read: 5, planned: 4, segments: { planned: 1 } });
  expect(reminders.tally).toMatchObject({ past: { count: 1, lines: [2] }, remindedBefore: 2 });
  expect(reminders.tally.calendar()).toEqual([{ date: '1970-01-01', count: 1 }]);
});

it('each row of corrected contacts is counted by what the campaign says of that very row', async () => {
  const said = new Map<string, ReminderComparison>([
    [mobileOf(0), { verdict: 'already reminded', goes: false, kept: null, open: [], there: null }],
    [mobileOf(1), { verdict: 'unchanged', goes: true, kept: null, open: [], there: null }],
    [mobileOf(4), { verdict: 'unchanged', goes: true, kept: 7, open: [7], there: null }],
  ]);
  const unknown: ReminderComparison = { verdict: 'new', goes: true, kept: null, open: [], there: null };
  const compare = async (rows: readonly Row[]) => rows.map(({ mobile }) => said.get(mobile) ?? unknown);
  const reminders = remindersOf({ compare });
  const suppressed = async () => new Map([[mobileOf(9), 'opted out' as const]]);
  const csv = `phone,name\n${mobileOf(9)},11\n${DUE.slice(DUE.indexOf('\n') + 1)}`;
  const { added, tally } = await plan(csv, { reminders }, { suppressed });
  expect(added.map(({ line }) => line)).toEqual([3, 4, 6, 7]);
  // One that comes back and one that is new cost; one that stays does not, nor one that was reminded.
  expect(tally).toMatchObject({ read: 6, planned: 2, unchanged: 2, segments: { planned: 2 } });
  expect(reminders.tally.upload(1)).toMatchObject({
    new: 1,
    unchanged: 2,
    already_reminded: 1,
    brought_back: 1,
    stays_canceled: 0,
  });
  expect(reminders.tally.past.count).toBe(0);
});

it('a number of another country is a rejected row, unless its country is allowed', async () => {
  const csv = 'mobile,name\n0712345678,Ann\n+255712345678,Asha\n+44 7400 123456,Bob\n';
  const home = await plan(csv);
  expect(home.rejected).toEqual([
    '3 abroad: TZ: The number is of TZ; allowed: KE (`countries` in the job file, or TUMA_COUNTRIES).',
    '4 abroad: GB: The number is of GB; allowed: KE (`countries` in the job file, or TUMA_COUNTRIES).',
  ]);
  const both = await plan(csv, { countries: ['KE', 'TZ'] });
  expect(both.rejected).toHaveLength(1);
  expect([...both.tally.countries]).toEqual([
    ['KE', { messages: 1, segments: 1, networks: new Map() }],
    ['TZ', { messages: 1, segments: 1, networks: new Map() }],
  ]);
});

it('counts the segments of each known network apart', async () => {
  const networkOf = new Map([
    [mobileOf(2), '1'],
    [mobileOf(8), '2'],
    [mobileOf(9), '1'],
  ]);
  const networks = async (mobiles: string[]) => mobiles.map((mobile) => networkOf.get(mobile) ?? null);
  for (const suppressed of [null, async () => new Map()]) {
    const leftOut = [{ line: 9, keptLine: 2 }];
    const { tally } = await plan(CSV, {}, { networks, suppressed, add: async () => leftOut });
    const { segments, networks: counted } = tally.countries.get('KE') ?? {};
    expect(segments).toBe(4);
    expect(Object.fromEntries(counted ?? [])).toEqual({
      1: { messages: 1, segments: 1 },
      2: { messages: 1, segments: 1 },
    });
  }
});

it('a series makes a reminder of each offset, and rejects a row once', async () => {
  const occurrenceOf = (_: readonly string[], offset = '0d') =>
    ({ ok: true, date: 'd', notBefore: 20 + Number.parseInt(offset, 10), notAfter: 29 }) as const;
  const reminders = remindersOf({ series: ['-12d', '-2d', '0d'], occurrenceOf });
  const leftOut = [5, 5, 5].map((line) => ({ line, keptLine: 2 }));
  const csv = `phone,name\n${mobileOf(1)},Ann\n${mobileOf(2)},Bob\nnobody,Cy\n${mobileOf(1)},Ann\n`;
  const { added, tally, rejected } = await plan(csv, { reminders }, { add: async () => leftOut });
  expect(added.slice(0, 3).map((row) => [row.key, 'skip' in row ? row.skip : ''])).toEqual([
    ['(-12d)', 'moment past'],
    ['(-2d)', null],
    ['(0d)', null],
  ]);
  expect(rejected).toEqual(['4 not a number: no digits', '5 duplicate: the same as line 2'].map(matching));
  expect(tally).toMatchObject({ read: 12, planned: 6, rejected: { invalid: 3, duplicate: 3 } });
  expect(tally.reasons().map(({ count, lines }) => [count, lines])).toEqual([
    [3, [4]],
    [3, [5]],
  ]);
});

/** Only the line and the reason of a reject. */
const matching = (words: string) =>
  expect.stringMatching(new RegExp(`^${words.split(':', 1)[0]}:`)) as string;
