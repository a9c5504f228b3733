import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createQueue } from '../../src/queue/bullmq-queue.ts';
import { checkRedis } from '../../src/queue/check-redis.ts';
import type { BatchJob, Queue } from '../../src/queue/queue.ts';
import { readPage } from '../support/markdown.ts';
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
});
afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.close()));
  await redis.close();
});

/** The rights that docs/security.md tells people to give. */
function documentedRights(): string[] {
  const [, words = ''] = /`ACL SETUSER queue on >PASSWORD ([^`]+)`/.exec(readPage('docs/security.md')) ?? [];
  return words.split(' ');
}

test('the queue works for a user of Redis who has its keys and nothing else [X11]', async () => {
  await redis.command('ACL', 'SETUSER', 'queue', 'on', '>hunter2', ...documentedRights());
  await redis.command('SET', 'neighbour', 'private');
  const address = { ...redis.address, username: 'queue', password: 'hunter2' };
  expect(await checkRedis(address)).toMatchObject({ evictionPolicy: 'noeviction' });
  const queue = createQueue({ connection: address, log, random: Math.random });
  queues.push(queue);
  const taken: number[] = [];
  queue.consume(async ({ batch }) => void taken.push(batch), { slots: 3 });
  await queue.add([job(1), job(2), { ...job(3), delayMs: 50 }]);
  await waitFor(() => taken.length === 3, { what: 'three batches' });
  const refused = async (...words: string[]) =>
    redis.command('ACL', 'DRYRUN', 'queue', ...words).then(String, String);
  expect(await refused('GET', 'neighbour')).toContain('no permissions');
  for (const words of [
    ['FLUSHALL'],
    ['CONFIG', 'SET', 'dir', '/'],
    ['KEYS', '*'],
    ['SAVE'],
    ['DEBUG', 'SLEEP', '1'],
  ])
    expect(await refused(...words), words[0]).toContain('no permissions');
});

test('rights that were taken away are said by name, and when they are back the work goes on [R11]', async () => {
  await redis.command('ACL', 'SETUSER', 'queue', 'on', '>hunter2', ...documentedRights());
  const address = { ...redis.address, username: 'queue', password: 'hunter2' };
  const queue = createQueue({ connection: address, log, random: Math.random });
  queues.push(queue);
  const taken: number[] = [];
  queue.consume(async ({ batch }) => void taken.push(batch), { slots: 3 });
  await queue.add([job(1)]);
  await waitFor(() => taken.length === 1, { what: 'the first batch' });
  await redis.command('ACL', 'SETUSER', 'queue', 'resetkeys');
  const failure = await queue.add([job(2)]).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'redis_refused' });
  expect((failure as Error).message).toMatch(/rights|permission/i);
  await redis.command('ACL', 'SETUSER', 'queue', ...documentedRights());
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
