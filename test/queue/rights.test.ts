import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createQueue } from '../../src/queue/bullmq-queue.ts';
import { checkRedis } from '../../src/queue/check-redis.ts';
import type { BatchJob, Queue } from '../../src/queue/queue.ts';
import { ROOT } from '../support/processes.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const job = (batch: number): BatchJob => ({ batch, epoch: 1, kind: 'promotional', delayMs: 0 });

/** Every word of five letters or more that a dump may hold: those of Redis, of BullMQ, and the two kinds. */
const WORDS = new Set(
  [
    'REDIS redis ctime stream bullmq version maxLenEvents marker events event added waiting jobId timestamp priority',
    'delay attempts removeOnFail removeOnComplete batch epoch promotional transactional',
  ].flatMap((line) => line.split(' ')),
);

const directory = makeTempDir();
let redis: TestRedis;
const queues: Queue[] = [];

beforeEach(async () => {
  redis = await startRedis({ args: ['--dir', directory, '--dbfilename', 'dump.rdb'] });
  await redis.command('ACL', 'SETUSER', 'tuma', ...rightsOfTheFile());
});
afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.close()));
  await redis.close();
});

/** The user of deploy/redis-acl.conf, with a password. */
const RIGHTS = readFileSync(join(ROOT, 'deploy/redis-acl.conf'), 'utf8').replace('>PASSWORD', '>hunter2');
const USER = { username: 'tuma', password: 'hunter2' };

function rightsOfTheFile(): string[] {
  const [, words = ''] = /^user tuma (.+)$/m.exec(RIGHTS) ?? [];
  return words.split(' ');
}

test('the queue works for a user of Redis who has its keys and nothing else [X11]', async () => {
  await redis.command('SET', 'neighbour', 'private');
  const address = { ...redis.address, ...USER };
  expect(await checkRedis(address)).toMatchObject({ evictionPolicy: 'noeviction' });
  const queue = createQueue({ connection: address, log, random: Math.random });
  queues.push(queue);
  const taken: number[] = [];
  queue.consume(async ({ batch }) => void taken.push(batch), { slots: 3 });
  await queue.add([job(1), job(2), { ...job(3), delayMs: 50 }]);
  await waitFor(() => taken.length === 3, { what: 'three batches' });
  // Not even a command that ioredis or BullMQ would do without.
  expect(await redis.command('ACL', 'LOG')).toEqual([]);
  const refused = async (...words: string[]) =>
    redis.command('ACL', 'DRYRUN', 'tuma', ...words).then(String, String);
  expect(await refused('GET', 'neighbour')).toContain('no permissions');
  expect(await refused('GET', '{tuma}:promotional:meta')).toBe('OK');
  for (const words of [
    ['FLUSHALL'],
    ['RANDOMKEY'],
    ['SCAN', '0'],
    ['PUBLISH', 'channel', 'text'],
    ['CONFIG', 'SET', 'dir', '/'],
    ['KEYS', '*'],
    ['SAVE'],
    ['DEBUG', 'SLEEP', '1'],
  ])
    expect(await refused(...words), words[0]).toContain('no permissions');
});

test('the file is one that Redis reads, and allows each command of the scripts of BullMQ [X11]', async () => {
  const file = join(directory, 'rights.conf');
  writeFileSync(file, RIGHTS);
  const other = await startRedis({ file });
  expect(await checkRedis({ ...other.address, ...USER })).toMatchObject({ evictionPolicy: 'noeviction' });
  await other.close();
  const scripts = globSync('node_modules/bullmq/dist/esm/commands/**/*.lua', { cwd: ROOT });
  const calls = scripts.flatMap((path) => [
    ...readFileSync(join(ROOT, path), 'utf8').matchAll(/call\(\s*["'](\w+)["']/g),
  ]);
  const commands = new Set(calls.map(([, name = '']) => `+${name.toLowerCase()}`));
  expect(commands.size).toBeGreaterThan(30);
  expect([...commands].filter((command) => !rightsOfTheFile().includes(command))).toEqual([]);
});

test('rights that were taken away are said by name, and when they are back the work goes on [R11]', async () => {
  const address = { ...redis.address, ...USER };
  const queue = createQueue({ connection: address, log, random: Math.random });
  queues.push(queue);
  const taken: number[] = [];
  queue.consume(async ({ batch }) => void taken.push(batch), { slots: 3 });
  await queue.add([job(1)]);
  await waitFor(() => taken.length === 1, { what: 'the first batch' });
  await redis.command('ACL', 'SETUSER', 'tuma', 'resetkeys');
  const failure = await queue.add([job(2)]).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'redis_refused' });
  expect((failure as Error).message).toMatch(/rights|permission/i);
  await redis.command('ACL', 'SETUSER', 'tuma', ...rightsOfTheFile());
  await waitFor(() => queue.add([job(3)]).then(() => taken.includes(3)), { what: 'a batch after that' });
});

test('a dump of Redis holds numbers of batches, and no word beside [X9]', async () => {
  const queue = createQueue({ connection: redis.address, log, random: Math.random });
  queues.push(queue);
  await queue.add([job(4_711), { ...job(4_712), kind: 'transactional' }]);
  await redis.command('CONFIG', 'SET', 'rdbcompression', 'no');
  await redis.command('SAVE');
  const dump = readFileSync(join(directory, 'dump.rdb'), 'latin1');
  const payloads = dump.match(/\{"v":[^}]*\}/g)?.toSorted();
  expect(payloads).toEqual(['{"v":1,"batch":4711,"epoch":1}', '{"v":1,"batch":4712,"epoch":1}']);
  // Shorter ones may be bytes that happen to be letters.
  const words = new Set(dump.match(/[a-z]{6,}/gi));
  expect([...words].filter((word) => !WORDS.has(word))).toEqual([]);
});
