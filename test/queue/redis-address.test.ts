import { expect, test } from 'vitest';
import { redisAddress, showAddress } from '../../src/queue/redis-address.ts';

test.each([
  ['redis://queue', { host: 'queue', port: 6379 }],
  ['redis://127.0.0.1:7000/3', { host: '127.0.0.1', port: 7000, db: 3 }],
  ['redis://[::1]:7000', { host: '::1', port: 7000 }],
  ['redis://:p%40ss@queue', { host: 'queue', port: 6379, password: 'p@ss' }],
  ['redis://tuma:secret@queue/', { host: 'queue', port: 6379, username: 'tuma', password: 'secret' }],
  ['rediss://queue:6380', { host: 'queue', port: 6380, tls: { servername: 'queue' } }],
  ['unix:///var/run/redis.sock', { path: '/var/run/redis.sock' }],
  ['unix:///with%20space/redis.sock', { path: '/with space/redis.sock' }],
  ['unix://:secret@localhost/var/run/redis.sock', { path: '/var/run/redis.sock', password: 'secret' }],
  ['/var/run/redis.sock', { path: '/var/run/redis.sock' }],
])('%s is read', (url, address) => {
  expect(redisAddress(url)).toEqual(address);
});

test.each([
  '',
  'queue',
  'queue:6379',
  'http://queue',
  'redis://',
  'redis://queue/x',
  'redis://queue/1/2',
  'unix:',
  'redis://:100%@queue',
])('%j is refused', (url) => {
  expect(() => redisAddress(url)).toThrow('TUMA_REDIS_URL');
});

test('what is shown of an address, or said of a wrong one, has no password', () => {
  expect(showAddress(redisAddress('redis://tuma:CANARY@queue:7000'))).toBe('queue:7000');
  try {
    redisAddress('redis://tuma:CANARY@queue:7000/wrong');
    expect.unreachable();
  } catch (error) {
    expect(JSON.stringify(error) + String(error)).not.toContain('CANARY');
  }
});
