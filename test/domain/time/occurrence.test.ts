import { describe, expect, it } from 'vitest';
import {
  type Occurrence,
  occurrenceReader,
  isPast,
  offsetOf,
  parseOffset,
  type ReminderRule,
  rowKey,
} from '../../../src/domain/time/occurrence.ts';
import { ReminderTally } from '../../../src/domain/reminder-tally.ts';
import { sendingHours } from '../../../src/domain/time/window.ts';

const RULE: ReminderRule = { column: 'due', offset: '-2d', atMinute: 540, format: null, keyed: false };
const iso = (instant: number) => new Date(instant).toISOString().slice(0, 16);
const SHOWN = { line: 2, mobile: '254700000001', key: '', dueAt: 0, wasAt: null };
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

function read(cell: string, rule: Partial<ReminderRule>, hours: Parameters<typeof occurrenceReader>[1]) {
  return occurrenceReader({ ...RULE, ...rule }, hours)(cell) as Occurrence;
}

describe('the moment of a reminder', () => {
  it.each([
    ['2026-11-27', -2, 540, 'Africa/Nairobi', '2026-11-25T06:00'],
    ['2026-03-01', -1, 540, 'UTC', '2026-02-28T09:00'],
    ['2028-03-01', -1, 0, 'UTC', '2028-02-29T00:00'],
    ['2026-01-01', -7, 1439, 'America/New_York', '2025-12-26T04:59'],
    // Berlin skips 02:30 on 29 March, and has it twice on 25 October.
    ['2026-03-29', 0, 150, 'Europe/Berlin', '2026-03-29T01:00'],
    ['2026-10-25', 0, 150, 'Europe/Berlin', '2026-10-25T00:30'],
  ])('of %s, %i days, minute %i in %s is %s', (date, days, atMinute, zone, expected) => {
    const found = read(date, { offset: `${days}d`, atMinute }, { window: null, zone });
    expect([found.date, iso(found.notBefore)]).toEqual([date, expected]);
  });

  it('moves to the next opening of the window, never out of it', () => {
    const window = { fromMinute: 480, toMinute: 1080, days: [1, 2, 3, 4, 5, 6], marginMinutes: 10 };
    const hours = { window, zone: 'Africa/Nairobi' };
    // 22 November 2026 is a Sunday.
    expect(iso(read('2026-11-24', {}, hours).notBefore)).toBe('2026-11-23T05:00');
    expect(iso(read('2026-11-27', { atMinute: 1075 }, hours).notBefore)).toBe('2026-11-26T05:00');
    expect(iso(read('2026-11-27', { atMinute: 60 }, hours).notBefore)).toBe('2026-11-25T05:00');
  });

  it('is too late when its day is over: at the end of the window, or at midnight', () => {
    const zone = 'Africa/Nairobi';
    expect(iso(read('2026-11-27', {}, { window: null, zone }).notAfter)).toBe('2026-11-25T21:00');
    const window = { fromMinute: 480, toMinute: 1080, days: EVERY_DAY };
    expect(iso(read('2026-11-27', {}, { window, zone }).notAfter)).toBe('2026-11-25T15:00');
  });

  it.each([
    ['2026-11-27 14:30', '2026-11-25T11:30'],
    ['2026-11-27T14:30:00', '2026-11-25T11:30'],
    ['2:30 PM', '2026-11-25T11:30'],
    ['12:05 am', '2026-11-24T21:05'],
    ['46353.604166667', '2026-11-25T11:30'],
    ['46353', 'not a time'],
    ['2026-11-27', 'not a time'],
    ['24:00', 'not a time'],
    ['13:00 pm', 'not a time'],
    ['14:60', 'not a time'],
    ['14:30+03:00', 'not a time'],
    ['', 'not a time'],
  ])('with a column of times, %j gives %s', (time, expected) => {
    const found = occurrenceReader(RULE, { window: null, zone: 'Africa/Nairobi' })('2026-11-27', time);
    expect(found.ok ? iso(found.notBefore) : found.reason).toBe(expected);
  });

  it('is none where the cell is no date', () => {
    expect(read('soon', {}, { window: null, zone: 'UTC' })).toMatchObject({
      ok: false,
      reason: 'not a date',
    });
  });

  it.each([
    [' -1d ', '-1d'],
    ['-2d', '-2d'],
    ['0d', '0d'],
    ['-0d', '0d'],
    ['+3d', '3d'],
    ['-1w', '-7d'],
    ['-2h', '-2h'],
    ['-0 h', '0h'],
    ['2', null],
    ['100d', '100d'],
    ['1000d', null],
    ['-2 days', null],
    ['-30m', null],
    ['', null],
  ])('the offset %j is %j', (text, offset) => {
    expect(parseOffset(text)).toBe(offset);
  });

  it.each([
    ['-2d', '2 days before'],
    ['-1h', '1 hour before'],
    ['0d', 'on the day'],
    ['0h', 'at the time'],
    ['3d', '3 days after'],
  ])('%s is %s', (offset, words) => {
    expect(offsetOf('INV-1', { ...RULE, offset })).toBe(words);
    expect(offsetOf(`INV (-7d) (${offset})`, { ...RULE, series: ['-7d', offset] })).toBe(words);
    expect(offsetOf('', { ...RULE, series: ['-7d', offset] })).toBeNull();
  });

  it.each([
    // Two hours before 00:30 is of the day before.
    ['2026-11-27', '00:30', '-2h', 'Africa/Nairobi', '2026-11-26T19:30', '2026-11-26T21:00'],
    ['2026-11-27', '14:30', '-2h', 'Africa/Nairobi', '2026-11-27T09:30', '2026-11-27T11:30'],
    ['2026-11-27', '14:30', '0h', 'Africa/Nairobi', '2026-11-27T11:30', '2026-11-27T21:00'],
    ['2026-11-27', '14:30', '3h', 'Africa/Nairobi', '2026-11-27T14:30', '2026-11-27T21:00'],
    // Berlin's clocks go from 02:00 to 03:00 on 29 March, and from 03:00 to 02:00 on 25 October.
    ['2026-03-29', '03:30', '-2h', 'Europe/Berlin', '2026-03-28T23:30', '2026-03-29T01:30'],
    ['2026-10-25', '03:30', '-2h', 'Europe/Berlin', '2026-10-25T00:30', '2026-10-25T02:30'],
    ['2026-10-25', '14:30', '-24h', 'Europe/Berlin', '2026-10-24T13:30', '2026-10-24T22:00'],
    ['2026-10-25', '14:30', '-1d', 'Europe/Berlin', '2026-10-24T12:30', '2026-10-24T22:00'],
  ])('of %s %s, %s in %s is from %s to %s', (date, time, offset, zone, from, to) => {
    const found = occurrenceReader({ ...RULE, offset }, { window: null, zone })(date, time) as Occurrence;
    expect([found.date, iso(found.notBefore), iso(found.notAfter)]).toEqual([date, from, to]);
  });

  it('in hours, what the window moves to the event or behind it is too late', () => {
    const window = { fromMinute: 480, toMinute: 1080, days: EVERY_DAY };
    const reader = occurrenceReader({ ...RULE, offset: '-2h' }, { window, zone: 'Africa/Nairobi' });
    const seen = ['07:00', '08:00', '08:30', '19:00', '20:30'].map((time) => {
      const found = reader('2026-11-27', time) as Occurrence;
      return [iso(found.notBefore), isPast(found, Date.parse('2026-11-20'))];
    });
    expect(seen).toEqual([
      ['2026-11-27T05:00', true],
      ['2026-11-27T05:00', true],
      ['2026-11-27T05:00', false],
      ['2026-11-27T14:00', false],
      ['2026-11-28T05:00', true],
    ]);
  });
});

describe('the margin at the end of the hours', () => {
  const window = { fromMinute: 480, toMinute: 1080, days: EVERY_DAY, marginMinutes: 10 };
  const state = (time: string) => sendingHours(window, 'UTC', Date.parse(`2026-11-21T${time}Z`));

  it('closes before the window does, until the next opening', () => {
    expect(state('17:49:59')).toEqual({ open: true, closesAt: Date.parse('2026-11-21T17:50Z') });
    const tomorrow = { open: false, opensAt: Date.parse('2026-11-22T08:00Z') };
    expect([state('17:50'), state('17:59'), state('18:00')]).toEqual([tomorrow, tomorrow, tomorrow]);
  });

  it('is nothing to a window that never closes', () => {
    expect(sendingHours(null, 'UTC', 0)).toEqual({ open: true, closesAt: null });
    const always = { fromMinute: 0, toMinute: 1440, days: EVERY_DAY, marginMinutes: 10 };
    expect(sendingHours(always, 'UTC', 0)).toEqual({ open: true, closesAt: null });
  });
});

describe('the tally of reminders', () => {
  it('counts each day of the zone, in order', () => {
    const tally = new ReminderTally({ zone: 'Africa/Nairobi', keyed: false });
    for (const time of ['2026-11-25T22:00Z', '2026-11-25T06:00Z', '2026-11-26T06:00Z'])
      tally.addMoment(Date.parse(time));
    expect(tally.calendar()).toEqual([
      { date: '2026-11-25', count: 1 },
      { date: '2026-11-26', count: 2 },
    ]);
  });

  it('tells what is missing from what was moved', () => {
    const keyed = new ReminderTally({ zone: 'UTC', keyed: true });
    keyed.addCompared({ verdict: 'moved', kept: null, open: [1] }, SHOWN);
    keyed.addCompared({ verdict: 'unchanged', kept: 2, open: [2] }, SHOWN);
    expect(keyed.upload(3)).toEqual({
      new: 0,
      unchanged: 1,
      moved: 1,
      already_reminded: 0,
      brought_back: 0,
      retimed: 0,
      stays_canceled: 0,
      canceled: 1,
      missing: 1,
      open: 3,
    });
    const plain = new ReminderTally({ zone: 'UTC', keyed: false });
    plain.addCompared({ verdict: 'new', kept: null, open: [1] }, SHOWN);
    expect(plain.upload(2)).toMatchObject({ new: 1, moved: 0, canceled: 2, missing: 1 });
  });

  it('without a key: of several dates of a person those are missing that no new one stands for', () => {
    const half = new ReminderTally({ zone: 'UTC', keyed: false });
    half.addCompared({ verdict: 'unchanged', kept: 1, open: [1, 2, 3] }, SHOWN);
    // What it names is sent already, and of the dates to come it names none.
    half.addCompared({ verdict: 'unchanged', kept: null, open: [4] }, SHOWN);
    expect(half.upload(4)).toMatchObject({ canceled: 3, missing: 3 });
    const moved = new ReminderTally({ zone: 'UTC', keyed: false });
    moved.addCompared({ verdict: 'new', kept: null, open: [1, 2, 3] }, SHOWN);
    // Meanwhile the first of them went out.
    moved.addCompared({ verdict: 'new', kept: null, open: [2, 3] }, SHOWN);
    expect(moved.upload(2)).toMatchObject({ new: 2, missing: 0 });
  });
});

it('the key of a row is that of its reminder without the part of the series', () => {
  const series: ReminderRule = { ...RULE, series: ['-2d', '0d'] };
  expect(rowKey('INV-1 (-2d)', series)).toBe('INV-1');
  expect(rowKey('(0d)', series)).toBe('');
  expect(rowKey('INV-1 (5d)', series)).toBe('INV-1 (5d)');
  expect(rowKey('INV-1 (0d)', RULE)).toBe('INV-1 (0d)');
  expect(rowKey('INV-1', undefined)).toBe('INV-1');
});
