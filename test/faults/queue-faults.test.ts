import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createQueue } from '../../src/queue/bullmq-queue.ts';
import { checkRedis, refuseUnsafe } from '../../src/queue/check-redis.ts';
import type { Queue, TakenJob } from '../../src/queue/queue.ts';
import type { RedisAddress } from '../../src/queue/redis-address.ts';
import { startProxy } from './proxy.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { freePort } from '../support/free-port.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { addUntilTaken, jobOf } from '../support/queue-jobs.ts';
import { waitFor } from '../support/wait-for.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

let redis: TestRedis;
const queues: Queue[] = [];

beforeEach(async () => {
  redis = await startRedis();
});
afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.close()));
  await redis.close();
});

function open(address: RedisAddress = redis.address): Queue {
  const queue = createQueue({ connection: address, log, random: Math.random });
  queues.push(queue);
  return queue;
}

/** For a proxy. */
function whereTo({ address: { path, port } }: TestRedis): string | number {
  return path ?? port ?? 0;
}

/** Consumes and notes the batches. */
function consume(
  queue: Queue,
  handler: (taken: TakenJob) => Promise<void> = () => Promise.resolve(),
): number[] {
  const batches: number[] = [];
  queue.consume(
    async (taken) => {
      batches.push(taken.batch);
      await handler(taken);
    },
    { slots: 2 },
  );
  return batches;
}

test('a Redis that was killed and came back empty is worked with again [R1]', async () => {
  const queue = open();
  const batches = consume(queue);
  await addUntilTaken(queue, batches, 1);
  await redis.kill();
  await expect(queue.add([jobOf(2)])).rejects.toMatchObject({ code: 'redis_unreachable' });
  await redis.start();
  await addUntilTaken(queue, batches, 3);
});

test('after a FLUSHALL in the midst of the work, new jobs are taken [R3]', async () => {
  const queue = open();
  const gate = Promise.withResolvers<void>();
  const batches = consume(queue, () => gate.promise);
  await queue.add([jobOf(1), jobOf(2), jobOf(3), jobOf(4)]);
  await waitFor(() => batches.length === 2, { what: 'the first jobs' });
  await redis.command('FLUSHALL');
  expect(await queue.size()).toBe(0);
  gate.resolve();
  await addUntilTaken(queue, batches, 5);
  expect(batches).not.toContain(4);
});

test('out of memory, add rejects and says so; the job in progress ends in peace [R5]', async () => {
  const queue = open();
  const gate = Promise.withResolvers<void>();
  let hasEnded = false;
  const batches = consume(queue, async () => {
    await gate.promise;
    hasEnded = true;
  });
  await queue.add([jobOf(1)]);
  await waitFor(() => batches.length === 1, { what: 'the first job' });
  await redis.command('CONFIG', 'SET', 'maxmemory', 1);
  const failure = await queue.add([jobOf(2)]).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'redis_refused', message: expect.stringContaining('out of memory') });
  gate.resolve();
  await waitFor(() => hasEnded, { what: 'the handler' });
  await waitFor(async () => (await queue.size()) === 0, { what: 'the job to be marked as done' });
  await redis.command('CONFIG', 'SET', 'maxmemory', 0);
  await addUntilTaken(queue, batches, 3);
});

test('a Redis that may evict keys is refused with the remedy [R6]', async () => {
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  await expect(checkRedis(redis.address)).rejects.toMatchObject({
    code: 'redis_unsafe',
    message: expect.stringContaining('allkeys-lru'),
    hint: expect.stringContaining('noeviction'),
  });
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  expect(await checkRedis(redis.address)).toMatchObject({ evictionPolicy: 'noeviction' });
});

test('a read-only replica refuses clearly, and is worked with again once it is promoted [R7]', async () => {
  const queue = open();
  const batches = consume(queue);
  await addUntilTaken(queue, batches, 1);
  await redis.command('REPLICAOF', '127.0.0.1', 1);
  const failure = await queue.add([jobOf(2)]).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'redis_refused',
    message: expect.stringContaining('refuses to write'),
  });
  await redis.command('REPLICAOF', 'NO', 'ONE');
  const added = () => queue.add([jobOf(3)]).then(() => batches.includes(3));
  await waitFor(added, { what: 'a job after the promotion' });
});

test('behind an address that leads to another primary now, the connections to the old one are given up [R7]', async () => {
  const proxy = await startProxy(whereTo(redis));
  const queue = open({ host: '127.0.0.1', port: proxy.port });
  const batches = consume(queue);
  await addUntilTaken(queue, batches, 1);
  const primary = await startRedis();
  proxy.leadTo(whereTo(primary));
  // It stays a replica for good, and closes nothing: whoever goes on talking to it never writes again.
  await redis.command('REPLICAOF', '127.0.0.1', 1);
  const added = () => queue.add([jobOf(2)]).then(() => batches.includes(2));
  // What waits for a job there finds out after 5 s.
  await waitFor(added, { what: 'a job at the new one' });
  await waitFor(async () => (await queue.size()) === 0, { what: 'the job to end' });
});

test('of a Redis that stands still, add says so soon; afterwards the work goes on [R8]', async () => {
  const queue = open();
  const batches = consume(queue);
  await addUntilTaken(queue, batches, 1);
  await redis.signal('SIGSTOP');
  await expect(queue.add([jobOf(2)])).rejects.toMatchObject({ code: 'redis_unreachable' });
  await redis.signal('SIGCONT');
  await waitFor(() => queue.add([jobOf(3)]).then(() => batches.includes(3)), { what: 'the next job' });
});

test('connections killed again and again make the work slow, not wrong [R10]', async () => {
  const queue = open();
  const batches = consume(queue);
  for (let batch = 1; batch <= 4; batch += 1) {
    await redis.command('CLIENT', 'KILL', 'TYPE', 'normal').catch(quiet);
    await waitFor(() => queue.add([jobOf(batch)]).then(() => batches.includes(batch)), {
      what: `batch ${batch}`,
    });
  }
});

test('a wrong password is refused by name, and is in no error [R11]', async () => {
  const guarded = await startRedis({ args: ['--requirepass', 'right-CANARY'] });
  const wrong = { ...guarded.address, password: 'wrong-CANARY' };
  const attempts = [
    () => checkRedis(wrong),
    () => checkRedis(guarded.address),
    () => open(wrong).add([jobOf(1)]),
  ];
  for (const attempt of attempts) {
    const failure = await attempt().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'redis_refused', message: expect.stringContaining('password') });
    expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain('CANARY');
  }
  const right = { ...guarded.address, password: 'right-CANARY' };
  await open(right).add([jobOf(1)]);
  await guarded.close();
});

test('a SCRIPT FLUSH does not stop the work [R11]', async () => {
  const queue = open();
  const batches = consume(queue);
  await addUntilTaken(queue, batches, 1);
  await redis.command('SCRIPT', 'FLUSH');
  await addUntilTaken(queue, batches, 2);
});

test('a consumer that starts before its Redis begins to work when it is there [R12]', async () => {
  await redis.kill();
  const queue = open();
  const batches = consume(queue);
  await expect(queue.size()).rejects.toMatchObject({ code: 'redis_unreachable' });
  await expect(checkRedis(redis.address)).rejects.toMatchObject({ code: 'redis_unreachable' });
  await redis.start();
  await waitFor(() => queue.add([jobOf(1)]).then(() => batches.includes(1)), { what: 'the first job' });
});

test('a Redis that is too old is refused', () => {
  const facts = { server: 'redis', version: '5.0.14', evictionPolicy: 'noeviction' } as const;
  expect(() => refuseUnsafe(facts, redis.address)).toThrow('5.0.14');
});

test('a node of a cluster is refused until it holds the keys of the queue [R14]', async () => {
  const [port, busPort] = [await freePort(), await freePort()];
  const args = [
    '--cluster-enabled',
    'yes',
    '--port',
    port,
    '--cluster-port',
    busPort,
    '--dir',
    makeTempDir(),
  ];
  const real = await startRedis({ args: args.map(String) });
  // This node holds no slots yet.
  await expect(checkRedis(real.address)).rejects.toMatchObject({ code: 'redis_refused' });
  await real.command('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
  const isUp = async () => String(await real.command('CLUSTER', 'INFO')).includes('cluster_state:ok');
  await waitFor(isUp, { what: 'the cluster' });
  expect(await checkRedis(real.address)).toMatchObject({ evictionPolicy: 'noeviction' });
  const batches = consume(open(real.address));
  await addUntilTaken(open(real.address), batches, 1);
});
