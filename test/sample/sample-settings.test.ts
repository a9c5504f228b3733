import { expect, test } from 'vitest';
import { sampleConfig, samplePlace } from '../../src/sample/sample-settings.ts';

const AT = { url: 'http://127.0.0.1:9', collector: 0, dashboard: 0 };

test('on a Postgres the sample has a schema and a home of its own', () => {
  const place = samplePlace(['--database-url', 'postgres://me@localhost/sms?host=/tmp/socket']);
  const config = sampleConfig(place, AT);
  expect(config.postgres?.url).toBe('postgres://me@localhost/sms?host=%2Ftmp%2Fsocket&schema=tuma_sample');
  expect(config.home).not.toBe(sampleConfig(samplePlace([]), AT).home);
});

test.each([
  ['--database-url', 'postgres://me@localhost/sms?schema=tuma'],
  ['--database-url', 'sqlite:ledger.db'],
  ['--database-password-file', 'password'],
  ['--messaging-url', 'https://example.org'],
  ['--json'],
])('it takes no ledger that may be in use, and no other setting: %s %s', (...args) => {
  expect(() => samplePlace(args)).toThrow(expect.objectContaining({ code: 'usage' }));
});
