import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type Cron, nextFiring, parseCron } from '../../../src/domain/time/cron.ts';
import { dueFirings, MOST_MISSED } from '../../../src/domain/time/schedule.ts';

const at = (iso: string) => Date.parse(iso);
const cron = (text: string) => parseCron(text) as Cron;

function firings(text: string, zone: string, { from, to }: { from: string; to: string }): string[] {
  const found: string[] = [];
  let next = nextFiring(cron(text), zone, at(from) - 1);
  while (next !== null && next < at(to)) {
    found.push(new Date(next).toISOString().slice(0, 16));
    next = nextFiring(cron(text), zone, next);
  }
  return found;
}

describe('cron', () => {
  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    // One value that there is makes no room for one that there is not.
    '0 9 1,32 * *',
    '0 9 0,1 * *',
    '0 9 * 1,13 *',
    '0 9 * 0,1 *',
    '5-1 * * * *',
    '*/0 * * * *',
    '1, * * * *',
    '0 0 30 2 *',
    '0 0 31 4 *',
    'a * * * *',
    '0 9 * * moon',
    '1/ * * * *',
    '1/2/3 * * * *',
    '1-2-3 * * * *',
    'a-5 * * * *',
    '5-a * * * *',
    '1e1 * * * *',
    '1.5 * * * *',
    '0 9 1 -jan *',
  ])('%j is refused', (text) => {
    expect(parseCron(text)).toBeNull();
  });

  it.each([
    ['0 9 * * mon', '2026-11-21T00:00Z', ['2026-11-23T06:00', '2026-11-30T06:00']],
    ['30 8 1,15 * *', '2026-12-01T00:00Z', ['2026-12-01T05:30', '2026-12-15T05:30']],
    ['0 9 * * 7', '2026-11-21T00:00Z', ['2026-11-22T06:00', '2026-11-29T06:00']],
    // Day of the month and weekday: either one.
    ['0 9 13 * fri', '2026-11-09T00:00Z', ['2026-11-13T06:00', '2026-11-20T06:00']],
    ['0 9 12 * fri', '2026-11-09T00:00Z', ['2026-11-12T06:00', '2026-11-13T06:00']],
    // What is listed in any order comes in its own.
    ['30,0 17,9 * * *', '2026-11-21T00:00Z', ['2026-11-21T06:00', '2026-11-21T06:30']],
    [' 0  9 * * MON ', '2026-11-21T00:00Z', ['2026-11-23T06:00', '2026-11-30T06:00']],
  ])('%j fires by the clock of Nairobi', (text, from, expected) => {
    const to = new Date(at(from) + 16 * 86_400_000).toISOString();
    expect(firings(text, 'Africa/Nairobi', { from, to }).slice(0, 2)).toEqual(expected);
  });

  it.each([
    ['*/5', [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55]],
    ['50/5', [50, 55]],
    ['10-30/10', [10, 20, 30]],
    ['7', [7]],
  ])('the minutes %s are these', (minutes, expected) => {
    expect(cron(`${minutes} 9 * * *`).minutes).toEqual(expected);
  });

  it('knows each month and each weekday by its name', () => {
    const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
    expect(months.map((name) => [...cron(`0 9 1 ${name} *`).months])).toEqual(
      months.map((_, index) => [index + 1]),
    );
    const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    expect(weekdays.map((name) => [...cron(`0 9 * * ${name}`).weekdays])).toEqual(
      weekdays.map((_, index) => [index]),
    );
  });

  it('waits for 29 February', () => {
    expect(nextFiring(cron('0 0 29 feb *'), 'UTC', at('2026-01-01T00:00Z'))).toBe(at('2028-02-29T00:00Z'));
  });

  it('fires once where the clock skips the time, at the next minute that exists', () => {
    // Berlin, 29 March 2026: 02:00 becomes 03:00 (01:00 UTC).
    const day = { from: '2026-03-28T23:00Z', to: '2026-03-29T22:00Z' };
    expect(firings('30 2 * * *', 'Europe/Berlin', day)).toEqual(['2026-03-29T01:00']);
    expect(firings('*/30 2 * * *', 'Europe/Berlin', day)).toEqual(['2026-03-29T01:00']);
  });

  it('fires once where the clock shows the time twice, the first time', () => {
    // Berlin, 25 October 2026: 03:00 becomes 02:00 (01:00 UTC).
    const day = { from: '2026-10-24T22:00Z', to: '2026-10-25T23:00Z' };
    expect(firings('30 2 * * *', 'Europe/Berlin', day)).toEqual(['2026-10-25T00:30']);
  });

  test('a daily job fires 365 times a year, whatever the zone and its changes', () => {
    const zones = [
      'Africa/Nairobi',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.nat(23), fc.nat(59), (zone, hour, minute) => {
        const found = firings(`${minute} ${hour} * * *`, zone, {
          from: '2026-01-01T12:00Z',
          to: '2027-01-01T12:00Z',
        });
        expect(new Set(found).size).toBe(found.length);
        expect(Math.abs(found.length - 365)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });
});

describe('what a recurring job owes', () => {
  const daily = { cron: cron('0 9 * * *'), zone: 'Africa/Nairobi' };
  const first = at('2026-11-21T06:00Z');
  const DAY = 86_400_000;
  const deadlineMs = 2 * 3_600_000;

  it('is nothing before its time', () => {
    expect(dueFirings(daily, { nextAt: first, now: first - 1, deadlineMs })).toEqual({
      fireAt: null,
      missed: [],
      missedCount: 0,
      nextAt: first,
    });
  });

  it('is one firing in time', () => {
    expect(dueFirings(daily, { nextAt: first, now: first + 5, deadlineMs })).toEqual({
      fireAt: first,
      missed: [],
      missedCount: 0,
      nextAt: first + DAY,
    });
  });

  it('is only the latest after a downtime, and the others are missed', () => {
    expect(dueFirings(daily, { nextAt: first, now: first + 3 * DAY + 60_000, deadlineMs })).toEqual({
      fireAt: first + 3 * DAY,
      missed: [first, first + DAY, first + 2 * DAY],
      missedCount: 3,
      nextAt: first + 4 * DAY,
    });
  });

  it('is none when the latest is older than the deadline, and that one is missed as well', () => {
    const owed = (lateMs: number) =>
      dueFirings(daily, { nextAt: first, now: first + DAY + lateMs, deadlineMs });
    expect(owed(deadlineMs)).toMatchObject({ fireAt: first + DAY, missed: [first] });
    expect(owed(deadlineMs + 1)).toEqual({
      fireAt: null,
      missed: [first, first + DAY],
      missedCount: 2,
      nextAt: first + 2 * DAY,
    });
  });

  it('lists a bounded number of missed ones, and counts all', () => {
    const year = dueFirings(daily, { nextAt: first, now: first + 365 * DAY, deadlineMs });
    expect(year.missed).toHaveLength(MOST_MISSED);
    expect(year.missed.at(-1)).toBe(first + 364 * DAY);
    expect(year).toMatchObject({ fireAt: first + 365 * DAY, missedCount: 365 });
  });
});
