import { Queue as BullQueue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TumaError } from '../../src/domain/errors.ts';
import { readBatchJob } from '../../src/queue/batch-payload.ts';
import { createQueue } from '../../src/queue/bullmq-queue.ts';
import type { BatchJob, Queue, QueueLog, TakenJob } from '../../src/queue/queue.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { waitFor } from '../support/wait-for.ts';

const promotional = (batch: number, epoch = 1, delayMs = 0): BatchJob => ({
  batch,
  epoch,
  kind: 'promotional',
  delayMs,
});
const byNumber = (left: number, right: number) => left - right;
const transactional = (batch: number): BatchJob => ({ ...promotional(batch), kind: 'transactional' });

let redis: TestRedis;
let logged: string[] = [];
const opened: Queue[] = [];
const log: QueueLog = {
  debug: () => undefined,
  info: (fields, message) => logged.push(`info ${message} ${JSON.stringify(fields)}`),
  warn: (fields, message) => logged.push(`warn ${message} ${JSON.stringify(fields)}`),
  error: (fields, message) => logged.push(`error ${message} ${JSON.stringify(fields)}`),
};

/** Takes jobs and holds each of them until the gate is open. */
function holdingJobs(queue: Queue) {
  const gate = Promise.withResolvers<void>();
  const taken: number[] = [];
  const hold = async ({ batch }: TakenJob) => {
    taken.push(batch);
    await gate.promise;
  };
  return { consumer: queue.consume(hold, { slots: 1 }), taken, gate };
}

function open(): Queue {
  const queue = createQueue({ connection: redis.address, log, random: Math.random });
  opened.push(queue);
  return queue;
}

beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  logged = [];
  await redis.command('FLUSHALL');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((queue) => queue.close()));
});

describe('a queue', () => {
  test('gives every job that was added to a handler, once', async () => {
    const queue = open();
    const taken: number[] = [];
    queue.consume(async ({ batch }) => void taken.push(batch), { slots: 4 });
    await queue.add([promotional(1), transactional(2), promotional(3)]);
    await waitFor(() => taken.length === 3, { what: 'three jobs' });
    expect(taken.toSorted(byNumber)).toEqual([1, 2, 3]);
    await waitFor(async () => (await queue.size()) === 0, { what: 'an empty queue' });
  });

  test('ignores a job that is there, and takes the same job again once it is done', async () => {
    const queue = open();
    await queue.add([promotional(7)]);
    await queue.add([promotional(7), promotional(7, 2)]);
    expect(await queue.size()).toBe(2);
    const taken: string[] = [];
    queue.consume(async ({ batch, epoch }) => void taken.push(`${batch}-${epoch}`), { slots: 2 });
    await waitFor(() => taken.length === 2, { what: 'both epochs' });
    await waitFor(async () => (await queue.size()) === 0, { what: 'an empty queue' });
    await queue.add([promotional(7)]);
    await waitFor(() => taken.length === 3, { what: 'the job again' });
    expect(taken.toSorted()).toEqual(['7-1', '7-1', '7-2']);
  });

  test('holds a delayed job back until its time', async () => {
    const queue = open();
    const taken: number[] = [];
    queue.consume(async ({ batch }) => void taken.push(batch), { slots: 2 });
    const addedMs = performance.now();
    await queue.add([promotional(1, 1, 300), promotional(2)]);
    await waitFor(() => taken.length === 2, { what: 'both jobs' });
    expect(taken).toEqual([2, 1]);
    expect(performance.now() - addedMs).toBeGreaterThanOrEqual(299);
  });

  test('runs no more than its slots of each kind, so that transactional jobs wait behind no promotional ones', async () => {
    const queue = open();
    const running = new Set<number>();
    let most = 0;
    const gate = Promise.withResolvers<void>();
    queue.consume(
      async ({ batch }) => {
        running.add(batch);
        most = Math.max(most, running.size);
        await gate.promise;
        running.delete(batch);
      },
      { slots: 2 },
    );
    await queue.add([1, 2, 3, 4, 5].map((batch) => promotional(batch)));
    await waitFor(() => running.size === 2, { what: 'two promotional jobs' });
    await queue.add([transactional(100), transactional(101), transactional(102)]);
    await waitFor(() => running.size === 4, { what: 'two transactional jobs beside them' });
    expect([...running].filter((batch) => batch < 100)).toHaveLength(2);
    gate.resolve();
    await waitFor(async () => (await queue.size()) === 0, { what: 'an empty queue' });
    expect(most).toBe(4);
  });

  test('drops the job of a handler that throws, logs it, and goes on', async () => {
    const queue = open();
    const taken: number[] = [];
    queue.consume(
      async ({ batch }) => {
        taken.push(batch);
        if (batch === 1) throw new Error('planted');
      },
      { slots: 2 },
    );
    await queue.add([promotional(1)]);
    await waitFor(() => logged.some((line) => line.startsWith('error')), { what: 'the log line' });
    await queue.add([promotional(2)]);
    await waitFor(() => taken.includes(2), { what: 'the next job' });
    await waitFor(async () => (await queue.size()) === 0, { what: 'an empty queue' });
    expect(taken).toEqual([1, 2]);
  });

  test('closes only after the handlers in progress have returned, and takes nothing more', async () => {
    const queue = open();
    const { consumer, taken, gate } = holdingJobs(queue);
    await queue.add([promotional(1), promotional(2)]);
    await waitFor(() => taken.length === 1, { what: 'the first job' });
    let isClosed = false;
    const closing = consumer.close().then(() => {
      isClosed = true;
    });
    await queue.add([promotional(3)]);
    expect(isClosed).toBe(false);
    // The one that runs counts, too: the sweep would offer everything again each second.
    expect(await queue.size()).toBe(3);
    gate.resolve();
    await closing;
    expect(taken).toEqual([1]);
    expect(await queue.size()).toBe(2);
  });

  test('restart aborts the jobs in progress and takes new ones with new workers', async () => {
    const queue = open();
    const signals: AbortSignal[] = [];
    const gate = Promise.withResolvers<void>();
    const consumer = queue.consume(
      async ({ signal }) => {
        signals.push(signal);
        await gate.promise;
      },
      { slots: 3 },
    );
    await queue.add([promotional(1)]);
    await waitFor(() => signals.length === 1, { what: 'the first job' });
    expect(signals[0]?.aborted).toBe(false);
    await consumer.restart();
    expect(signals[0]?.aborted).toBe(true);
    await queue.add([promotional(2)]);
    await waitFor(() => signals.length === 2, { what: 'the second job' });
    expect(consumer.idleMs()).toBeLessThan(10_000);
    await consumer.restart();
    expect(signals[1]?.aborted).toBe(true);
    gate.resolve();
  });

  test('holds ids only: no key or value in Redis has anything else [X9]', async () => {
    const queue = open();
    await queue.add([promotional(41, 2), promotional(42, 3, 60_000), transactional(43)]);
    expect(await queue.size()).toBe(3);
    const client = new Redis({ ...redis.address });
    const texts: string[] = [];
    for (const key of await client.keys('*')) {
      expect(key).toMatch(/^\{tuma\}:(promotional|transactional):/);
      if ((await client.type(key)) === 'hash') texts.push(JSON.stringify(await client.hgetall(key)));
    }
    client.disconnect();
    const jobs = texts.filter((text) => text.includes('"data"')).map((text) => JSON.parse(text));
    expect(jobs.map((job) => String(job.data)).toSorted()).toEqual([
      '{"v":1,"batch":41,"epoch":2}',
      '{"v":1,"batch":42,"epoch":3}',
      '{"v":1,"batch":43,"epoch":1}',
    ]);
    expect([...new Set(jobs.flatMap((job) => Object.keys(job)))].toSorted()).toEqual(
      expect.arrayContaining(['data', 'name', 'opts', 'timestamp']),
    );
  });
});

describe('a job that Tuma did not write', () => {
  const strange: unknown[] = [
    { v: 2, batch: 1, epoch: 1 },
    { v: 1, batch: '1', epoch: 1 },
    { v: 1, batch: 1, epoch: 1, text: 'Hello' },
    { v: 1, batch: 1e99, epoch: 1 },
    { v: 1, batch: -1, epoch: 1 },
    JSON.parse('{"__proto__":{"v":1,"batch":1,"epoch":1}}'),
    [1, 1],
    null,
    'text',
  ];

  test('is ignored, logged without its content, and removed [X12 R13]', async () => {
    const taken: TakenJob[] = [];
    const forger = new BullQueue('promotional', { connection: redis.address, prefix: '{tuma}' });
    for (const [index, data] of strange.entries()) {
      await forger.add('batch', data, { jobId: `forged-${index}`, removeOnComplete: true });
    }
    // The right shape under an id of another batch.
    await forger.add('batch', { v: 1, batch: 5, epoch: 1 }, { jobId: 'b-6-1' });
    const queue = open();
    queue.consume(async (job) => void taken.push(job), { slots: 3 });
    await queue.add([promotional(99)]);
    await waitFor(async () => (await queue.size()) === 0, { what: 'an empty queue' });
    expect(taken.map(({ batch }) => batch)).toEqual([99]);
    expect(logged.filter((line) => line.includes('did not write'))).toHaveLength(strange.length + 1);
    expect(logged.join()).not.toContain('Hello');
    await forger.close();
  });

  test('is known by what it holds, under the id of a batch as well [X12]', () => {
    const read = (data: object) => readBatchJob({ id: 'b-5-1', data });
    const ours = { v: 1, batch: 5, epoch: 1 };
    expect(read(ours)).toEqual(ours);
    for (const other of [{ v: 2 }, { text: 'Hello' }, { epoch: '1' }, { batch: 6 }])
      expect(read({ ...ours, ...other })).toBeNull();
    expect(readBatchJob({ id: 'b--5-1', data: { ...ours, batch: -5 } })).toBeNull();
  });

  test('bad JSON, and an id without a job, do not stop the jobs behind them [R13]', async () => {
    const queue = open();
    await queue.add([promotional(1)]);
    await redis.command('HSET', '{tuma}:promotional:b-1-1', 'data', '{"v":1,"batch":');
    await redis.command('LPUSH', '{tuma}:promotional:wait', 'b-77-1');
    const taken: number[] = [];
    queue.consume(async ({ batch }) => void taken.push(batch), { slots: 3 });
    await queue.add([promotional(2), promotional(3)]);
    await waitFor(() => taken.includes(2) && taken.includes(3), { what: 'the jobs behind' });
    await waitFor(async () => (await queue.size()) === 0, { what: 'an empty queue' });
    expect(taken.toSorted(byNumber)).toEqual([2, 3]);
    // The id of the broken job is free again, so the sweep can bring its batch back.
    await queue.add([promotional(1)]);
    await waitFor(() => taken.includes(1), { what: 'the batch of the broken job' });
  });
});

test('without Redis, add and size reject clearly and soon, and the consumer waits and says so [R12]', async () => {
  const absent = createQueue({ connection: { path: '/nonexistent/redis.sock' }, log, random: Math.random });
  absent.consume(() => Promise.resolve(), { slots: 2 });
  const failure = await absent.add([promotional(1)]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TumaError);
  expect(failure).toMatchObject({
    code: 'redis_unreachable',
    hint: expect.stringContaining('TUMA_REDIS_URL'),
  });
  await expect(absent.size()).rejects.toMatchObject({ code: 'redis_unreachable' });
  expect(logged.filter((line) => line.includes('does not answer'))).toHaveLength(1);
  await absent.close();
});
