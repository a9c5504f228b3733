import { expect, test } from 'vitest';
import { readEndpointUrl, shownAddress } from '../../src/domain/alert-endpoint.ts';

test.each([
  ['https://example.org/hook?key=1#part', 'https://example.org/hook?key=1'],
  ['https://10.0.0.7/alerts', 'https://10.0.0.7/alerts'],
  ['http://127.0.0.1:5678/alerts', 'http://127.0.0.1:5678/alerts'],
  ['http://[::1]:5678/', 'http://[::1]:5678/'],
  [' http://localhost/x ', 'http://localhost/x'],
])('%s gets alerts', (text, url) => {
  expect(readEndpointUrl(text)).toEqual({ url });
});

test.each([
  ['ftp://example.org', 'unreadable'],
  ['example.org/hook', 'unreadable'],
  ['', 'unreadable'],
  ['http://example.org/hook', 'not_https'],
  ['http://10.0.0.7/hook', 'not_https'],
  ['http://127.0.0.1.example.org/', 'not_https'],
  ['http://localhost.example.org/', 'not_https'],
  ['http://169.254.169.254/latest', 'not_https'],
  ['https://user:word@example.org/', 'credentials'],
  [`https://example.org/${'x'.repeat(2_000)}`, 'too_long'],
])('%s gets none', (text, problem) => {
  expect(readEndpointUrl(text)).toEqual({ problem });
});

test('an address is shown without its path and query', () => {
  expect(shownAddress('https://hooks.example.org/services/T0/B0/key')).toBe('https://hooks.example.org/…');
  expect(shownAddress('https://example.org/?key=1')).toBe('https://example.org/…');
  expect(shownAddress('https://example.org/')).toBe('https://example.org/');
});
