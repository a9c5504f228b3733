import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/processes.ts';
import { errorOf, jobFile, mobile, openPlace } from './harness.ts';

/* Reminders, corrected contacts and recurring jobs by the command line, against the sandbox. */

const env = { TUMA_RATE: 'unlimited', TUMA_ZONE: 'Africa/Nairobi' };
/** Noon in Nairobi: no test runs into the next day. */
const NOW = Date.UTC(2026, 10, 27, 9);
const place = openPlace({ env, now: NOW });
/** With the time of the machine, because the script of the sample has it too. */
const today = openPlace({ env });
const DAY_MS = 86_400_000;
const dateIn = (days: number) => new Date(NOW + days * DAY_MS).toISOString().slice(0, 10);

/** Rows of [person, key, days from today]. */
function due(rows: [number, string, number][]): string {
  const lines = rows.map(([who, key, days]) => `${mobile(who)},Person ${who},${key},${dateIn(days)}\n`);
  return `phone,name,invoice,due\n${lines.join('')}`;
}

interface Reminders {
  calendar: { date: string; count: number }[];
  past: { count: number; lines: number[] };
  upload: Record<string, unknown> | null;
}

describe('the sample jobs/reminder.yaml', () => {
  test('runs as it is: the calendar, the launch, a corrected CSV, and the ledger verified', async () => {
    for (const folder of ['jobs', 'templates']) mkdirSync(today().path(folder));
    for (const file of ['jobs/reminder.yaml', 'templates/reminder.txt'])
      cpSync(join(ROOT, file), today().path(file));
    const script = join(ROOT, 'scripts/reminder-dates.mjs');
    execFileSync(process.execPath, [script, today().path('jobs/reminder.csv'), '90']);
    const text = await today().tuma(['plan', 'jobs/reminder.yaml']);
    expect([text.code, text.stderr]).toEqual([0, '']);
    expect(text.stdout).toMatch(/\nrows +90 read, 90 to send\n/);
    expect(text.stdout).toMatch(/\ncalendar +\w{3} \d+ \w{3,4} \d{4} +\d+\n/);
    const launched = await today().json(['launch', 'jobs/reminder.yaml', '--yes']);
    expect(launched.campaign).toMatchObject({ name: 'invoice-reminder', state: 'running' });
    expect(launched.messages).toMatchObject({ queued: 90, sent: 0 });
    const status = await today().tuma(['status', 'invoice-reminder']);
    expect(status.stdout).toMatch(
      /\nnext due\t\w{3} \d.*\(\d\d:\d\d UTC\), in \d+ [dh] \d+ [hm]: \d+ reminders?\n/,
    );
    const again = await today().tuma(['launch', 'jobs/reminder.yaml', '--yes']);
    expect(again.stderr).toContain('open already');
    execFileSync(process.execPath, [script, today().path('jobs/reminder.csv'), '100']);
    const corrected = await today().json(['launch', 'jobs/reminder.yaml', '--yes']);
    expect(corrected.campaign.id).toBe(launched.campaign.id);
    expect(await today().json(['verify'])).toBeTruthy();
    expect(today().sandbox.stats().accepted).toBe(0);
  });
});

describe('a reminder job', () => {
  const job = (changes: Record<string, string | null> = {}) =>
    jobFile({
      name: 'rent',
      contacts: './due.csv',
      key: 'invoice',
      remind: '{ column: due, offset: -2d, at: "09:00" }',
      budget: '1.50',
      ...changes,
    });
  let id = '';

  test('names what is wrong with a date by its line, and what is past', async () => {
    place().write('rent.yaml', job({ message: '"Hi <<name>>, due <<due>>."' }));
    // As a spreadsheet keeps it.
    const dayNumber = (Date.parse(dateIn(14)) - Date.UTC(1899, 11, 30)) / 86_400_000;
    const csv = `${due([
      [1, 'a', 10],
      [2, 'b', 12],
      [3, 'c', 1],
    ])}${mobile(4)},Person 4,d,03/04/2027\n${mobile(5)},Person 5,e,soon\n${mobile(6)},Person 6,f,\n${mobile(7)},Person 7,g,${dayNumber}\n`;
    // Neither a duplicate nor one that is past will be read by anybody.
    const silent = `${mobile(7)},Person 7,g,${dayNumber}\n${mobile(8)},Person 8,h,${dayNumber - 30}\n`;
    place().write('due.csv', `${csv}${silent}`);
    const plan = await place().json(['plan', 'rent.yaml']);
    expect(plan.rows).toMatchObject({ read: 9, planned: 5, invalid: 3, duplicate: 1 });
    expect(plan['reasons']).toEqual(
      expect.arrayContaining([
        { kind: 'invalid', code: 'ambiguous_date', text: 'ambiguous date', facts: {}, count: 1, lines: [5] },
        { kind: 'invalid', code: 'not_a_date', text: 'not a date', facts: {}, count: 1, lines: [6] },
        {
          kind: 'invalid',
          code: 'missing',
          text: 'missing due',
          facts: { field: 'due' },
          count: 1,
          lines: [7],
        },
      ]),
    );
    const { calendar, past, upload } = plan['reminders'] as Reminders;
    expect(calendar).toEqual([
      { date: dateIn(8), count: 1 },
      { date: dateIn(10), count: 1 },
      { date: dateIn(12), count: 1 },
    ]);
    expect(plan['warnings']).toEqual([
      {
        code: 'budget_short',
        text: expect.stringContaining('the budget of KES 1.50 is 0.90 below'),
        facts: { currency: 'KES', budget: '1.50', missing: '0.90' },
      },
    ]);
    expect([past, upload]).toEqual([{ count: 2, lines: [4, 10] }, null]);
    const { stdout } = await place().tuma(['plan', 'rent.yaml']);
    expect(stdout).toMatch(/\nrows +9 read, 3 to send, 6 not\n/);
    expect(stdout).toMatch(/\n +2 {2}too late: the time of the reminder is past \(line /);
  });

  test('is launched, and a plan of other contacts tells what they would change', async () => {
    const rows = Array.from({ length: 20 }, (_, who): [number, string, number] => [who, `k${who}`, 10]);
    place().write('due.csv', due(rows));
    const launched = await place().json(['launch', 'rent.yaml', '--yes']);
    id = launched.campaign.id;
    expect(launched.messages).toMatchObject({ queued: 20 });
    rows[0] = [0, 'k0', 15];
    place().write('due.csv', due([...rows.slice(0, 19), [30, 'k30', 12]]));
    const plan = await place().json(['plan', 'rent.yaml']);
    expect((plan['reminders'] as Reminders).upload).toEqual({
      campaign: id,
      new: 1,
      unchanged: 18,
      moved: 1,
      already_reminded: 0,
      brought_back: 0,
      retimed: 0,
      stays_canceled: 0,
      canceled: 1,
      missing: 1,
      open: 20,
    });
    expect(plan.rows).toMatchObject({ read: 20, planned: 2, unchanged: 18 });
    // What two rows cost says nothing of a budget for all twenty.
    expect(plan).toMatchObject({ cost: { upper: '1.60' }, warnings: [] });
    const text = await place().tuma(['plan', 'rent.yaml']);
    expect(text.stdout).toContain(`corrects   ${id}: 1 new, 18 unchanged, 1 moved, 1 canceled`);
  });

  test('is corrected by a launch, and its rows add up over both uploads', async () => {
    const corrected = await place().json(['launch', 'rent.yaml', '--yes']);
    expect(corrected.campaign.id).toBe(id);
    expect(corrected.rows).toEqual({
      read: 40,
      planned: 22,
      unchanged: 18,
      duplicate: 0,
      invalid: 0,
      suppressed: 0,
    });
    expect(corrected.messages).toMatchObject({ queued: 20, canceled: 2 });
    expect(await place().json(['verify', id])).toBeTruthy();
    expect(
      place()
        .campaigns()
        .filter(({ name }) => name === 'rent'),
    ).toHaveLength(1);
  });

  test('counts and costs what a corrected CSV brings back', async () => {
    place().write('back.yaml', job({ name: 'back', contacts: './back.csv', budget: null }));
    const rows = Array.from({ length: 20 }, (_, who): [number, string, number] => [who, `b${who}`, 10]);
    place().write('back.csv', due(rows));
    await place().json(['launch', 'back.yaml', '--yes']);
    place().write('back.csv', due(rows.slice(0, 1)));
    await place().json(['launch', 'back.yaml', '--yes', '--cancel-missing']);
    place().write('back.csv', due(rows));
    const plan = await place().json(['plan', 'back.yaml']);
    expect(plan).toMatchObject({
      rows: { read: 20, planned: 0, unchanged: 20 },
      cost: { lower: '15.20', upper: '15.20' },
      reminders: { upload: { unchanged: 20, brought_back: 19 } },
    });
    const { stdout } = await place().tuma(['plan', 'back.yaml']);
    expect(stdout).toMatch(/\nrows +20 read, 19 to send\n/);
    expect(stdout).toMatch(/: 0 new, 20 unchanged \(19 brought back\), 0 moved, 0 canceled\n/);
    const beyond = await place().tuma(['launch', 'back.yaml', '--yes', '--max-cost', '15']);
    expect(beyond.code).not.toBe(0);
    const launched = await place().json(['launch', 'back.yaml', '--yes']);
    expect(launched.messages).toMatchObject({ queued: 20, canceled: 0 });
    await place().tuma(['cancel', 'back', '--yes']);
  });

  test('loses more than a tenth of its reminders only when that is meant', async () => {
    place().write('due.csv', `${due([[0, 'k0', 15]])}${mobile(1)},Person 1,k1,31/02/2027\n`);
    const refused = await place().tuma(['launch', 'rent.yaml', '--yes', '--json']);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(errorOf(refused)).toMatchObject({
      code: 'cancel_missing',
      message: expect.stringContaining('19 of 20'),
      hint: expect.stringMatching(
        /^Rows that cannot be used count as left out: .*rejects(?:-\d+)?\.csv\. If that is right, add --cancel-missing/,
      ),
    });
    expect(await place().json(['status', 'rent'])).toMatchObject({ messages: { queued: 20 } });
    expect(
      place()
        .campaigns()
        .every(({ state }) => state !== 'draft'),
    ).toBe(true);
    const meant = await place().json(['launch', 'rent.yaml', '--yes', '--cancel-missing']);
    expect(meant.messages).toMatchObject({ queued: 1, canceled: 21 });
    expect(await place().json(['verify', id])).toBeTruthy();
  });

  test('is still another campaign when its job file or template changed', async () => {
    place().write('rent.yaml', job({ message: '"Dear <<name>>."' }));
    const refused = await place().tuma(['launch', 'rent.yaml', '--yes', '--json']);
    expect([refused.code, errorOf(refused).code]).toEqual([2, 'campaign_changed']);
    await place().tuma(['cancel', id, '--yes']);
  });

  test('with only moments that are past is no campaign', async () => {
    place().write('past.yaml', job({ name: 'past' }));
    place().write('due.csv', due([[0, 'a', 0]]));
    const refused = await place().tuma(['launch', 'past.yaml', '--yes', '--json']);
    expect([refused.code, errorOf(refused).code]).toEqual([6, 'no_usable_row']);
    const both = await place().tuma(['launch', 'past.yaml', '--yes', '--json', '--at', '2030-01-01T09:00']);
    expect(both.code).toBe(2);
  });
});

describe('a recurring job', () => {
  test('is a schedule with its next firing, sends nothing itself, and ends when it is canceled', async () => {
    place().write('people.csv', `phone,name\n${mobile(1)},Ann\n${mobile(2)},Ben\n`);
    const news = jobFile({ name: 'news', contacts: './people.csv', every: '{ cron: "0 9 * * mon" }' });
    place().write('news.yaml', news);
    const plan = await place().tuma(['plan', 'news.yaml']);
    expect(plan.stdout).toMatch(
      /\nfires +Mon \d.*, 09:00 \(06:00 UTC\), in \d+ [dhm](.*\n +Mon .*){2}\n +and so on/,
    );
    const launched = await place().json(['launch', 'news.yaml', '--yes']);
    expect(launched.campaign.state).toBe('scheduled');
    const status = await place().tuma(['status', 'news']);
    expect(status.stdout).toMatch(/\nnext\tMon \d.*, 09:00 \(06:00 UTC\), in \d+ [dhm]/);
    expect((await place().json(['status', 'news']))['schedule']).toEqual({
      next_at: expect.stringMatching(/T06:00:00\.000Z$/),
      fired: 0,
      missed: 0,
      latest: [],
    });
    expect((await place().tuma(['status'])).stdout).toMatch(/starts in \d+ [dhm]/);
    const again = await place().tuma(['launch', 'news.yaml', '--yes', '--at', '2030-01-01T09:00']);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('`every`')]);
    await place().json(['cancel', 'news', '--yes']);
    expect((await place().json(['status', 'news']))['schedule']).toMatchObject({ next_at: null });
    expect(await place().json(['verify'])).toBeTruthy();
    expect(place().sandbox.stats().accepted).toBe(0);
  });

  test('with fields that never come is refused with its place', async () => {
    place().write('never.yaml', jobFile({ name: 'never', every: '{ cron: "0 9 31 2 *" }' }));
    const refused = await place().tuma(['plan', 'never.yaml', '--json']);
    expect([refused.code, errorOf(refused).where]).toEqual([6, 'never.yaml:7:16']);
    place().write('both.yaml', jobFile({ every: '{ cron: "0 9 * * *" }', start: '2026-12-01T09:00' }));
    const both = await place().tuma(['plan', 'both.yaml', '--json']);
    expect([both.code, errorOf(both).message]).toEqual([6, '`every` is given beside `start`; keep one']);
  });
});

describe('a start', () => {
  test('is told by both clocks in the plan; one that was missed is warned of there, and not launched', async () => {
    place().write('people.csv', `phone,name\n${mobile(1)},Ann\n`);
    const startOf = (start: string) =>
      place().write(
        'once.yaml',
        jobFile({ name: 'once', contacts: './people.csv', budget: '0.01', start, rate: '1/s' }),
      );
    startOf('2020-11-27T09:00');
    const plan = await place().json(['plan', 'once.yaml'], { code: 2 });
    expect(plan).toMatchObject({
      refused: true,
      start: { at: '2020-11-27T06:00:00.000Z', missed: true, firings: [] },
      warnings: [
        { code: 'budget_short', text: expect.stringContaining('0.79 below') },
        { code: 'start_missed', text: expect.stringContaining('a launch is refused: the start') },
      ],
    });
    const refused = await place().tuma(['launch', 'once.yaml', '--yes', '--json']);
    expect([refused.code, errorOf(refused)]).toMatchObject([
      6,
      { code: 'job_invalid', where: 'once.yaml:8:8' },
    ]);
    startOf('2036-11-27T09:00');
    const launched = await place().tuma(['launch', 'once.yaml', '--yes']);
    expect(launched.stderr).toMatch(/\nstart +Thu 27 Nov 2036, 09:00 \(06:00 UTC\), in \d+ d \d+ h\n/);
    expect(launched.stderr).toMatch(/ it ends about Thu 27 Nov 2036, 09:00 \(Africa\/Nairobi\)\n/);
    expect(launched.stderr).toMatch(/\nIt starts Thu 27 Nov 2036, 09:00 \(06:00 UTC\), in \d+ d \d+ h\.\n/);
    const moved = await place().tuma(['launch', 'once.yaml', '--yes', '--at', '2036-11-28T09:00']);
    expect(moved.stderr).toMatch(
      /--at changes nothing, because the campaign is open already\. To begin anew: tuma cancel \w{8}, /,
    );
    await place().json(['cancel', 'once', '--yes']);
  });
});

describe('a series of reminders', () => {
  const job = (remind: string, name = 'visits') =>
    jobFile({ name, contacts: './visits.csv', key: 'invoice', remind, budget: null });

  test('reminds of each offset, and its next moments are listed; a moved date moves them all', async () => {
    place().write('visits.yaml', job('{ column: due, offsets: [-7d, -2d, 0d], at: "09:00" }'));
    const rows: [number, string, number][] = [
      [1, 'a', 30],
      [2, 'b', 31],
      [3, 'c', 5],
    ];
    place().write('visits.csv', due(rows));
    const { stdout } = await place().tuma(['plan', 'visits.yaml']);
    expect(stdout).toMatch(/\nrows +9 reminders of 3 rows read, 8 to send, 1 not\n/);
    const launched = await place().json(['launch', 'visits.yaml', '--yes']);
    expect(launched.messages).toMatchObject({ queued: 8, skipped: 1 });
    const before = await place().json(['status', 'visits']);
    expect((before['due'] as { messages: number }[]).map(({ messages }) => messages)).toEqual(
      Array.from({ length: 8 }, () => 1),
    );
    rows[0] = [1, 'a', 40];
    place().write('visits.csv', due(rows));
    const moved = await place().tuma(['plan', 'visits.yaml']);
    expect(moved.stdout).toContain(': 0 new, 6 unchanged, 3 moved, 0 canceled');
    const corrected = await place().json(['launch', 'visits.yaml', '--yes']);
    expect(corrected.messages).toMatchObject({ queued: 8, canceled: 3, skipped: 1 });
    expect(await place().json(['verify', launched.campaign.id])).toBeTruthy();
    await place().tuma(['cancel', 'visits', '--yes']);
  });

  test('is refused with two offsets of one day, or beside one', async () => {
    for (const [remind, words] of [
      ['{ column: due, offsets: [-7d, -1w] }', 'names the same moment twice'],
      ['{ column: due, offset: -1d, offsets: [-7d] }', 'is given beside `offset`; keep one'],
      ['{ column: due, offsets: [] }', 'must not be empty'],
    ] as const) {
      place().write('visits.yaml', job(remind));
      const { code, stderr } = await place().tuma(['plan', 'visits.yaml']);
      expect(code).toBe(6);
      expect(stderr).toContain(words);
    }
  });

  test('each may have a text of its own, which is checked at its place and sent', async () => {
    const own = (message: string) =>
      job(
        `\n  column: due\n  at: "00:00"\n  offsets:\n    - -1d\n    - { offset: 0d, message: "${message}" }`,
        'talks',
      );
    place().write('visits.yaml', own('Today: <<nmae>>'));
    place().write('visits.csv', due([[7, 'today', 1]]));
    const wrong = await place().tuma(['plan', 'visits.yaml']);
    expect(wrong.stderr).toMatch(/visits\.yaml:\d+:\d+/);
    expect(wrong.stderr).toContain('nmae');
    place().write('visits.yaml', own('Today <<name>>.'));
    const plan = await place().json(['plan', 'visits.yaml']);
    expect(plan['warnings']).toEqual([]);
    expect(JSON.stringify(plan['examples'])).toContain('Today Person 7.');
    expect(plan.rows).toMatchObject({ read: 2, planned: 2 });
  });
});
