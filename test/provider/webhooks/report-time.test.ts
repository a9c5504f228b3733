import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWebhookTime } from '../../../src/provider/webhooks/report-time.ts';

const at = (text: string, zone = 'Africa/Nairobi') => {
  const ms = parseWebhookTime(text, zone);
  return ms === null ? null : new Date(ms).toISOString();
};

describe('the time of a report', () => {
  it.each([
    ['2025-09-12 10:16:10', '2025-09-12T07:16:10.000Z'],
    ['2025-09-12T10:16:10', '2025-09-12T07:16:10.000Z'],
    ['2025/09/12 10:16', '2025-09-12T07:16:00.000Z'],
    ['2509121016', '2025-09-12T07:16:00.000Z'],
    ['250912101610', '2025-09-12T07:16:10.000Z'],
    ['202509121016', '2025-09-12T07:16:00.000Z'],
    ['20250912101610', '2025-09-12T07:16:10.000Z'],
  ])('without a zone is local: %s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it.each([
    ['2025-09-12T10:16:10+03:00', '2025-09-12T07:16:10.000Z'],
    ['2025-09-12T10:16:10.123456+0300', '2025-09-12T07:16:10.123Z'],
    ['2025-09-12T02:16:10-05:30', '2025-09-12T07:46:10.000Z'],
    ['2025-09-12T10:16:10+03', '2025-09-12T07:16:10.000Z'],
    ['2025-09-12T07:16:10Z', '2025-09-12T07:16:10.000Z'],
    ['2025-09-12 07:16:10 UTC', '2025-09-12T07:16:10.000Z'],
  ])('with an offset is that instant: %s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it.each([
    ['1757661370', '2025-09-12T07:16:10.000Z'],
    ['1757661370123', '2025-09-12T07:16:10.123Z'],
    ['1757661370.5', '2025-09-12T07:16:10.500Z'],
    ['1712010101', '2024-04-01T22:21:41.000Z'],
  ])('as seconds or milliseconds since 1970 is that instant: %s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it('follows the clocks of a zone that changes them', () => {
    expect(at('2025-07-01 12:00:00', 'Europe/Berlin')).toBe('2025-07-01T10:00:00.000Z');
    expect(at('2025-12-01 12:00:00', 'Europe/Berlin')).toBe('2025-12-01T11:00:00.000Z');
    expect(at('2025-03-30 03:30:00', 'Europe/Berlin')).toBe('2025-03-30T01:30:00.000Z');
    expect(at('2025-03-30 01:30:00', 'Europe/Berlin')).toBe('2025-03-30T00:30:00.000Z');
    expect(at('2025-10-26 02:50:00', 'Europe/Berlin')).toBe('2025-10-26T00:50:00.000Z');
    expect(at('2025-01-01 12:00:00', 'UTC')).toBe('2025-01-01T12:00:00.000Z');
    expect(at('2025-01-01 12:00:00')).toBe('2025-01-01T09:00:00.000Z');
  });

  it.each([
    '',
    'soon',
    '22s',
    '00:02:30',
    '2025-02-30 10:00:00',
    '2025-13-01 10:00:00',
    '12-09-2025',
    '0',
    '32',
  ])('is not made up: %j', (text) => {
    expect(at(text)).toBeNull();
  });

  it('before 2015 or after 2100 is a mistake of somebody', () => {
    expect(at('1970-01-01T00:00:00Z')).toBeNull();
    expect(at('2999-01-01T00:00:00Z')).toBeNull();
    expect(at('9999999999')).toBeNull();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseWebhookTime(text, 'Africa/Nairobi');
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[\d:+Z T.-]{0,30}$/), (text) => {
        parseWebhookTime(text, 'Africa/Nairobi');
      }),
    );
  });
});
