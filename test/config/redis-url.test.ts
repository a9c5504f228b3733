import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/config.ts';
import { readRedisUrl } from '../../src/config/redis-url.ts';

const node = (host: string, port = 6379) => ({ host, port });

test.each([
  ['redis://queue', { nodes: [node('queue')] }],
  ['redis://127.0.0.1:7000/3', { nodes: [node('127.0.0.1', 7000)], db: 3 }],
  ['redis://[::1]:7000', { nodes: [node('::1', 7000)] }],
  ['redis://:p%40ss@queue', { nodes: [node('queue')], password: 'p@ss' }],
  ['redis://tuma:secret@queue/', { nodes: [node('queue')], username: 'tuma', password: 'secret' }],
  ['rediss://queue:6380', { nodes: [node('queue', 6380)], tls: true }],
  ['unix:///var/run/redis.sock', { path: '/var/run/redis.sock' }],
  ['unix:/var/run/redis.sock', { path: '/var/run/redis.sock' }],
  ['unix:///with%20space/redis.sock', { path: '/with space/redis.sock' }],
  ['unix://:secret@localhost/var/run/redis.sock', { path: '/var/run/redis.sock', password: 'secret' }],
  ['/var/run/redis%20.sock', { path: '/var/run/redis%20.sock' }],
  [
    'redis+sentinel://tuma:secret@a,b:7000,[::1]/office/2',
    {
      kind: 'sentinel',
      nodes: [node('a', 26_379), node('b', 7000), node('::1', 26_379)],
      service: 'office',
      db: 2,
      username: 'tuma',
      password: 'secret',
    },
  ],
  [
    'rediss+sentinel://a/office',
    { kind: 'sentinel', tls: true, nodes: [node('a', 26_379)], service: 'office' },
  ],
  ['redis+cluster://a,b:7000', { kind: 'cluster', nodes: [node('a'), node('b', 7000)] }],
  ['rediss+cluster://tuma@a', { kind: 'cluster', tls: true, nodes: [node('a')], username: 'tuma' }],
])('%s is read', (url, parts) => {
  expect(readRedisUrl(url)).toEqual({
    value: {
      kind: 'one',
      tls: false,
      nodes: [],
      path: null,
      service: null,
      username: null,
      password: null,
      db: null,
      ...parts,
    },
  });
});

test.each([
  ['', 'is not the address'],
  ['queue:6379', 'is not the address'],
  ['http://queue', 'is not the address'],
  ['redis://', 'is not the address'],
  ['redis://queue/x', 'is not the address'],
  ['redis://queue/1/2', 'is not the address'],
  ['redis://queue:99999', 'is not the address'],
  ['redis://queue?family=6', 'is not the address'],
  ['unix:', 'is not the address'],
  ['unix://redis.sock', 'is not the address'],
  ['redis://:100%@queue', 'is not the address'],
  ['redis+sentinel://a,,b/office', 'is not the address'],
  ['redis://a,b', 'names several hosts'],
  ['redis+sentinel://a,b', 'lacks the name'],
  ['redis+cluster://a,b/1', 'no numbered databases'],
])('%j is refused: it %s', (url, problem) => {
  expect(readRedisUrl(url)).toEqual({ problem: expect.stringContaining(problem) });
});

describe('what does not go together is one sentence, without any part of the address', () => {
  const [URL, PASSWORD, SENTINEL] = [
    'TUMA_REDIS_URL',
    'TUMA_REDIS_PASSWORD_FILE',
    'TUMA_REDIS_SENTINEL_PASSWORD_FILE',
  ];
  const [CA, CERT, KEY] = ['TUMA_REDIS_CA_FILE', 'TUMA_REDIS_CERT_FILE', 'TUMA_REDIS_KEY_FILE'];
  test.each([
    [{ [PASSWORD]: 'p' }, 'needs TUMA_REDIS_URL'],
    [{ [URL]: 'redis://:CANARY@queue', [PASSWORD]: 'p' }, 'both give the password'],
    [{ [URL]: 'redis://CANARY@queue' }, 'a user without a password'],
    [{ [URL]: 'redis://queue', [CA]: 'ca' }, 'certificates need TLS'],
    [{ [CERT]: 'cert', [KEY]: 'key' }, 'certificates need TLS'],
    [{ [URL]: 'rediss://queue', [CERT]: 'cert' }, 'must be given together'],
    [{ [URL]: 'redis+cluster://queue', [SENTINEL]: 'p' }, 'leads to Sentinels'],
    [{ [URL]: 'redis://:CANARY@a,b' }, 'names several hosts'],
  ])('%j', (env, problem) => {
    const refused = () => resolveConfig({ cwd: '/', env });
    expect(refused).toThrow(problem);
    expect(refused).toThrow(/^A setting is wrong: /);
    try {
      refused();
    } catch (error) {
      expect(inspect(error, { depth: 10 })).not.toContain('CANARY');
    }
  });
});
