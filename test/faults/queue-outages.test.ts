import { createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createQueue } from '../../src/queue/bullmq-queue.ts';
import type { Queue } from '../../src/queue/queue.ts';
import type { RedisAddress } from '../../src/queue/redis-address.ts';
import { startRedis } from '../support/redis.ts';
import { addUntilTaken, jobOf } from '../support/queue-jobs.ts';
import { waitFor } from '../support/wait-for.ts';

// These need their time; they run beside each other.

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
/** BullMQ's, of `jobOf(1)`. */
const LOCK_OF_1 = '{tuma}:promotional:b-1-1:lock';

function consume(queue: Queue): number[] {
  const batches: number[] = [];
  queue.consume(async ({ batch }) => void batches.push(batch), { slots: 2 });
  return batches;
}

/** A queue on a Redis of its own. */
async function openQueue() {
  const redis = await startRedis();
  return { redis, queue: createQueue({ connection: redis.address, log, random: Math.random }) };
}

// In BullMQ 6.0.7 to 6.3.2 a worker never woke again after an outage longer than drainDelay + 1 s (its issue 4585).
test.concurrent('after 20 s without Redis the same worker takes jobs again [R2]', async () => {
  const { redis, queue } = await openQueue();
  const batches = consume(queue);
  await addUntilTaken(queue, batches, 1);
  await redis.kill();
  await sleep(20_000);
  await redis.start();
  await addUntilTaken(queue, batches, 2);
  await queue.close();
});

test.concurrent('a handler whose lock was lost is told so while it runs [R8]', async () => {
  const { redis, queue } = await openQueue();
  const signals: AbortSignal[] = [];
  const gate = Promise.withResolvers<void>();
  queue.consume(
    async ({ signal }) => {
      signals.push(signal);
      await gate.promise;
    },
    { slots: 2 },
  );
  await queue.add([jobOf(1)]);
  await waitFor(() => signals.length === 1, { what: 'the job' });
  expect(signals[0]?.aborted).toBe(false);
  await redis.command('FLUSHALL');
  await waitFor(() => signals[0]?.aborted, { what: 'the abort' });
  gate.resolve();
  await queue.close();
});

test.concurrent('a job whose lock was lost is handed out a second time while its first handler runs, and not a third [R8]', async () => {
  const { redis, queue } = await openQueue();
  const batches: number[] = [];
  const first = Promise.withResolvers<void>();
  const handler = async ({ batch }: { batch: number }) => {
    batches.push(batch);
    if (batches.length === 1) await first.promise;
  };
  queue.consume(handler, { slots: 3 });
  await queue.add([jobOf(1)]);
  await waitFor(() => batches.length === 1, { what: 'the job' });
  expect(await redis.command('DEL', LOCK_OF_1)).toBe(1);
  await waitFor(() => batches.length === 2, { what: 'the job a second time' });
  await waitFor(async () => (await queue.size()) === 0, { what: 'the end of the second' });
  first.resolve();
  // The first one finds nothing to mark as done, and the worker lives on.
  // Added once: see addUntilTaken.
  await queue.add([jobOf(2)]);
  await waitFor(() => batches.includes(2), { what: 'batch 2 to be taken' });
  expect(batches).toEqual([1, 1, 2]);
  await queue.close();
});

test.concurrent('a job that could not be marked as done is handed out a second time when its handler has ended [R5 R8]', async () => {
  const redis = await startRedis();
  const troubles: string[] = [];
  const warn = ({ reason }: { reason?: string }) => void troubles.push(reason ?? '');
  const queue = createQueue({ connection: redis.address, log: { ...log, warn }, random: Math.random });
  const batches: number[] = [];
  queue.consume(
    async ({ batch }) => {
      if (batches.push(batch) === 1) expect(await redis.command('DEL', LOCK_OF_1)).toBe(1);
    },
    { slots: 3 },
  );
  await queue.add([jobOf(1)]);
  await waitFor(() => troubles.length > 0, { what: 'the trouble' });
  expect(troubles).toEqual([expect.stringMatching(/^Missing lock for job b-1-1/)]);
  expect(await queue.size()).toBe(1);
  await waitFor(() => batches.length === 2, { what: 'the job a second time' });
  await waitFor(async () => (await queue.size()) === 0, { what: 'the end of it' });
  expect(batches).toEqual([1, 1]);
  await queue.close();
});

test.concurrent('a connection that has gone dumb is noticed and made anew [R9]', async () => {
  const redis = await startRedis();
  const hole = await openBlackHole(redis.address);
  const address = { host: '127.0.0.1', port: hole.port };
  const queue = createQueue({ connection: address, log, random: Math.random });
  const batches = consume(queue);
  await addUntilTaken(queue, batches, 1);
  hole.swallow();
  await addUntilTaken(queue, batches, 2);
  expect(batches).toContain(2);
  await queue.close();
  hole.close();
});

test.concurrent('of a Redis that keeps its clients waiting, add says so soon; afterwards the work goes on [R8]', async () => {
  const { redis, queue } = await openQueue();
  const batches = consume(queue);
  await addUntilTaken(queue, batches, 1);
  // Far longer than any test: only the end of the pause lets a command through.
  await redis.command('CLIENT', 'PAUSE', 3_600_000, 'WRITE');
  await expect(queue.add([jobOf(2)])).rejects.toMatchObject({ code: 'redis_unreachable' });
  await redis.command('CLIENT', 'UNPAUSE');
  await addUntilTaken(queue, batches, 3);
  await queue.close();
});

/** A proxy before Redis that can stop to pass anything on without closing: what a dead network looks like. */
async function openBlackHole(
  target: RedisAddress,
): Promise<{ port: number; swallow(): void; close(): void }> {
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const upstream =
      target.path === undefined
        ? createConnection(target.port ?? 0, target.host)
        : createConnection(target.path);
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', quiet);
    sockets.push(client, upstream);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    swallow() {
      for (const socket of sockets) socket.unpipe().resume().removeAllListeners('end');
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
