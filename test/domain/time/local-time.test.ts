import * as fc from 'fast-check';
import { DateTime, Settings } from 'luxon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseLocalTime } from '../../../src/domain/time/local-time.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const instant = (text: string, zone: string) => {
  const ms = parseLocalTime(text, zone);
  return ms === null ? null : new Date(ms).toISOString().replace(':00.000Z', 'Z');
};

describe('parseLocalTime', () => {
  it.each([
    ['2026-11-27T09:00', 'Africa/Nairobi', '2026-11-27T06:00Z'],
    ['2026-11-27 09:00', 'Africa/Nairobi', '2026-11-27T06:00Z'],
    [' 2026-11-27T09:00:00 ', 'Africa/Nairobi', '2026-11-27T06:00Z'],
    ['2026-11-27T09:00+01:00', 'Africa/Nairobi', '2026-11-27T08:00Z'],
    ['2026-11-27T09:00Z', 'Africa/Nairobi', '2026-11-27T09:00Z'],
    ['2024-02-29T00:00', 'UTC', '2024-02-29T00:00Z'],
  ])('reads %j in %s', (text, zone, expected) => {
    expect(instant(text, zone)).toBe(expected);
  });

  it('is not by the clock of the machine', () => {
    Settings.defaultZone = 'Asia/Kathmandu';
    onTestFinished(() => void (Settings.defaultZone = 'system'));
    expect(instant('2026-11-27T09:00', 'Africa/Nairobi')).toBe('2026-11-27T06:00Z');
    expect(instant('2026-11-27T23:30', 'UTC')).toBe('2026-11-27T23:30Z');
  });

  it('keeps seconds', () => {
    expect(parseLocalTime('2026-11-27T09:00:07', 'UTC')).toBe(Date.parse('2026-11-27T09:00:07Z'));
  });

  it.each([
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:00Z'],
    ['2026-03-08T02:00', 'America/New_York', '2026-03-08T07:00Z'],
    ['2026-03-08T01:59', 'America/New_York', '2026-03-08T06:59Z'],
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:30Z'],
    ['2026-03-22T02:59', 'Africa/Casablanca', '2026-03-22T02:00Z'],
  ])('takes %s, which %s skips, for the next minute that exists [S7]', (text, zone, expected) => {
    expect(instant(text, zone)).toBe(expected);
  });

  it.each([
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30Z'],
    ['2026-11-01T02:00', 'America/New_York', '2026-11-01T07:00Z'],
    ['2026-04-05T01:45', 'Australia/Lord_Howe', '2026-04-04T14:45Z'],
    ['2026-02-15T02:30', 'Africa/Casablanca', '2026-02-15T01:30Z'],
  ])('takes %s, which may come twice in %s, for the first [S7]', (text, zone, expected) => {
    expect(instant(text, zone)).toBe(expected);
  });

  it.each([
    '',
    'tomorrow',
    '09:00',
    '2026-11-27',
    '2026-02-30T09:00',
    '2026-02-29T09:00',
    '2026-13-01T09:00',
    '2026-11-27T24:01',
    '2026-11-27T09:60',
    '27-11-2026T09:00',
    '2026-11-27T9:00',
    '2026-11-27T09:00+3',
    '2026-W48-5T09:00',
    '1e3',
  ])('does not guess at %j', (text) => {
    expect(parseLocalTime(text, 'Africa/Nairobi')).toBeNull();
  });

  it('shows the same wall clock again wherever that minute exists', () => {
    const zones = fc.constantFrom(
      'Africa/Casablanca',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    );
    const minutes = fc.integer({
      min: Date.parse('2020-01-01') / 60_000,
      max: Date.parse('2036-01-01') / 60_000,
    });
    fc.assert(
      fc.property(zones, minutes, (zone, minute) => {
        const existing = DateTime.fromMillis(minute * 60_000, { zone });
        const text = existing.toFormat("yyyy-MM-dd'T'HH:mm");
        const read = parseLocalTime(text, zone) ?? Number.NaN;
        expect(DateTime.fromMillis(read, { zone }).toFormat("yyyy-MM-dd'T'HH:mm")).toBe(text);
        expect(read).toBeLessThanOrEqual(existing.toMillis());
      }),
      { numRuns: fuzzRuns(1_000) },
    );
  });
});
