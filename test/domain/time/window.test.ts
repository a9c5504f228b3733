import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { type SendWindow, windowState } from '../../../src/domain/time/window.ts';
import { parseDays, parseMinuteOfDay } from '../../../src/domain/time/window-words.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const WORKING_HOURS: SendWindow = { fromMinute: 480, toMinute: 1080, days: [1, 2, 3, 4, 5, 6] };
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const HOUR = 3_600_000;

/** The state with its instant as the wall clock of the zone shows it. */
function stateAt(window: SendWindow | null, zone: string, local: string): string {
  const state = windowState(window, zone, DateTime.fromISO(local, { zone }).toMillis());
  const until = state.open ? state.closesAt : state.opensAt;
  const shown =
    until === null ? 'for ever' : DateTime.fromMillis(until, { zone }).toFormat("yyyy-MM-dd'T'HH:mm ccc");
  return `${state.open ? 'open until' : 'closed until'} ${shown}`;
}

describe('windowState', () => {
  it.each([
    ['a minute before', '2026-11-27T07:59', 'closed until 2026-11-27T08:00 Fri'],
    ['at the first minute', '2026-11-27T08:00', 'open until 2026-11-27T18:00 Fri'],
    ['in the day', '2026-11-27T12:00', 'open until 2026-11-27T18:00 Fri'],
    ['in the last second', '2026-11-27T17:59:59.999', 'open until 2026-11-27T18:00 Fri'],
    ['at the minute of the end', '2026-11-27T18:00', 'closed until 2026-11-28T08:00 Sat'],
    ['on Saturday night, over the Sunday', '2026-11-28T18:00', 'closed until 2026-11-30T08:00 Mon'],
    ['on Sunday', '2026-11-29T12:00', 'closed until 2026-11-30T08:00 Mon'],
    ['just before midnight', '2026-11-27T23:59:59', 'closed until 2026-11-28T08:00 Sat'],
  ])('of 08:00–18:00 mon-sat in Nairobi %s', (_, local, expected) => {
    expect(stateAt(WORKING_HOURS, 'Africa/Nairobi', local)).toBe(expected);
  });

  it('is by the clock of the campaign, not of the machine', () => {
    const now = Date.parse('2026-11-27T06:30:00Z');
    expect(windowState(WORKING_HOURS, 'Africa/Nairobi', now).open).toBe(true);
    expect(windowState(WORKING_HOURS, 'Europe/London', now).open).toBe(false);
  });

  it('is open for ever without a window and with one that never closes', () => {
    expect(windowState(null, 'Africa/Nairobi', 0)).toEqual({ open: true, closesAt: null });
    const always = { fromMinute: 0, toMinute: 1440, days: EVERY_DAY };
    expect(windowState(always, 'Africa/Nairobi', 0)).toEqual({ open: true, closesAt: null });
  });

  it.each([
    ['from midnight', { fromMinute: 0, toMinute: 1080 }, 'open until 2026-11-27T18:00 Fri'],
    ['until midnight', { fromMinute: 840, toMinute: 1440 }, 'closed until 2026-11-27T14:00 Fri'],
  ])('of every day %s is no window that never closes', (_, minutes, expected) => {
    expect(stateAt({ ...minutes, days: EVERY_DAY }, 'Africa/Nairobi', '2026-11-27T12:00')).toBe(expected);
  });

  it('takes whole days in a row for one opening', () => {
    const weekdays = { fromMinute: 0, toMinute: 1440, days: [1, 2, 3, 4, 5] };
    expect(stateAt(weekdays, 'Africa/Nairobi', '2026-11-24T12:00')).toBe('open until 2026-11-28T00:00 Sat');
    expect(stateAt(weekdays, 'Africa/Nairobi', '2026-11-28T12:00')).toBe('closed until 2026-11-30T00:00 Mon');
  });

  it('waits a week for a day that has just passed', () => {
    const sundays = { ...WORKING_HOURS, days: [7] };
    expect(stateAt(sundays, 'Africa/Nairobi', '2026-11-29T18:00')).toBe('closed until 2026-12-06T08:00 Sun');
  });

  describe('when the clock is changed [S7]', () => {
    it.each([
      ['New York, spring', 'America/New_York', '2026-03-07T20:00', 'closed until 2026-03-08T08:00 Sun', 11],
      ['New York, autumn', 'America/New_York', '2026-10-31T20:00', 'closed until 2026-11-01T08:00 Sun', 13],
      [
        'Lord Howe, spring by half an hour',
        'Australia/Lord_Howe',
        '2026-10-03T20:00',
        'closed until 2026-10-04T08:00 Sun',
        11.5,
      ],
      [
        'Lord Howe, autumn by half an hour',
        'Australia/Lord_Howe',
        '2026-04-04T20:00',
        'closed until 2026-04-05T08:00 Sun',
        12.5,
      ],
      [
        'Casablanca, Ramadan begins',
        'Africa/Casablanca',
        '2026-02-14T20:00',
        'closed until 2026-02-15T08:00 Sun',
        13,
      ],
      [
        'Casablanca, Ramadan is over',
        'Africa/Casablanca',
        '2026-03-21T20:00',
        'closed until 2026-03-22T08:00 Sun',
        11,
      ],
    ])('opens at 08:00 of the new clock: %s', (_, zone, local, expected, hours) => {
      const window = { ...WORKING_HOURS, days: EVERY_DAY };
      expect(stateAt(window, zone, local)).toBe(expected);
      const now = DateTime.fromISO(local, { zone }).toMillis();
      const state = windowState(window, zone, now);
      expect(state.open ? Number.NaN : (state.opensAt - now) / HOUR).toBe(hours);
    });

    it('opens at the next minute that exists when its first is skipped', () => {
      const early = { fromMinute: 150, toMinute: 300, days: EVERY_DAY };
      expect(stateAt(early, 'America/New_York', '2026-03-08T01:00')).toBe(
        'closed until 2026-03-08T03:00 Sun',
      );
    });

    it('leaves out a day on which all its minutes are skipped', () => {
      const skipped = { fromMinute: 125, toMinute: 175, days: EVERY_DAY };
      expect(stateAt(skipped, 'America/New_York', '2026-03-08T01:00')).toBe(
        'closed until 2026-03-09T02:05 Mon',
      );
      const onSundays = { ...skipped, days: [7] };
      expect(stateAt(onSundays, 'America/New_York', '2026-03-08T01:00')).toBe(
        'closed until 2026-03-15T02:05 Sun',
      );
    });

    it('opens once when its minutes come twice', () => {
      const night = { fromMinute: 75, toMinute: 105, days: EVERY_DAY };
      const zone = 'America/New_York';
      const first = Date.parse('2026-11-01T01:15:00-04:00');
      expect(windowState(night, zone, first)).toEqual({ open: true, closesAt: first + HOUR / 2 });
      const second = windowState(night, zone, first + HOUR);
      expect(second).toEqual({ open: false, opensAt: Date.parse('2026-11-02T01:15:00-05:00') });
    });
  });

  it('always names a moment that is later, and at which the state really changes', () => {
    const zones = fc.constantFrom(
      'Africa/Nairobi',
      'Africa/Casablanca',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Apia',
    );
    const windows = fc.record({
      minutes: fc.uniqueArray(fc.integer({ min: 0, max: 1440 }), { minLength: 2, maxLength: 2 }),
      days: fc.subarray(EVERY_DAY, { minLength: 1 }),
    });
    const moments = fc.integer({ min: Date.parse('2025-01-01'), max: Date.parse('2035-01-01') });
    fc.assert(
      fc.property(zones, windows, moments, (zone, { minutes, days }, now) => {
        const [fromMinute = 0, toMinute = 0] = [...minutes].sort((left, right) => left - right);
        const window = { fromMinute, toMinute, days };
        const state = windowState(window, zone, now);
        const change = state.open ? state.closesAt : state.opensAt;
        if (change === null) return;
        expect(change).toBeGreaterThan(now);
        expect(windowState(window, zone, change - 1).open).toBe(state.open);
        expect(windowState(window, zone, change).open).toBe(!state.open);
      }),
      { numRuns: fuzzRuns(1_000) },
    );
  });

  it('never opens outside the hours that the wall clock shows', () => {
    const zones = fc.constantFrom('Africa/Casablanca', 'America/New_York', 'Australia/Lord_Howe');
    const moments = fc.integer({ min: Date.parse('2025-01-01'), max: Date.parse('2030-01-01') });
    fc.assert(
      fc.property(zones, moments, (zone, now) => {
        const local = DateTime.fromMillis(now, { zone });
        const inside = local.hour >= 8 && local.hour < 18 && local.weekday !== 7;
        expect(windowState(WORKING_HOURS, zone, now).open).toBe(inside);
      }),
      { numRuns: fuzzRuns(1_000) },
    );
  });
});

describe('parseDays', () => {
  it.each([
    ['mon-sat', [1, 2, 3, 4, 5, 6]],
    ['mon-sun', [1, 2, 3, 4, 5, 6, 7]],
    ['sun', [7]],
    ['Fri, MON ,wed', [1, 3, 5]],
    ['fri-mon', [1, 5, 6, 7]],
    ['mon-tue,tue-wed', [1, 2, 3]],
    ['tue-tue', [2]],
  ])('reads %j', (text, days) => {
    expect(parseDays(text)).toEqual(days);
  });

  it.each(['', 'monday', 'mon-', '-mon', 'mon-wed-fri', 'mon;tue', 'mon,', '1-5', 'weekdays'])(
    'does not guess at %j',
    (text) => {
      expect(parseDays(text)).toBeNull();
    },
  );
});

describe('parseMinuteOfDay', () => {
  it.each([
    ['08:00', 480],
    ['8:05', 485],
    ['00:00', 0],
    ['23:59', 1439],
    ['24:00', 1440],
  ])('reads %j', (text, minute) => {
    expect(parseMinuteOfDay(text)).toBe(minute);
  });

  it.each(['', '8', '8:0', '24:01', '25:00', '08:60', '-1:00', '08:00:00', '8am', '480'])(
    'does not guess at %j',
    (text) => {
      expect(parseMinuteOfDay(text)).toBeNull();
    },
  );
});
