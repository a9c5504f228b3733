import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, MAX_DURATION_MS, parseDuration } from '../../../src/domain/time/time-words.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['1.5h', 5_400_000],
    ['180d', 15_552_000_000],
    [' 2 h ', 7_200_000],
    ['0s', 0],
    ['3650d', MAX_DURATION_MS],
  ])('reads %j', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    '',
    '30',
    's',
    '-30s',
    '1h30m',
    '30 seconds',
    '2H',
    '1e3s',
    '3651d',
    '1,5h',
    'NaNs',
    '999999999999s',
  ])('does not guess at %j', (text) => {
    expect(parseDuration(text)).toBeNull();
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0ms'],
    [1500, '1500ms'],
    [90_000, '90s'],
    [900_000, '15m'],
    [7_200_000, '2h'],
    [172_800_000, '2d'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('writes what is read back the same', () => {
    // A text holds nine digits: milliseconds that fit no larger unit are bounded by them.
    const spans = fc.oneof(
      fc.integer({ min: 0, max: 999_999_999 }),
      fc.integer({ min: 0, max: 3650 }).map((days) => days * 86_400_000),
    );
    fc.assert(fc.property(spans, (ms) => parseDuration(formatDuration(ms)) === ms));
  });
});
