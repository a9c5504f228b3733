import { inspect } from 'node:util';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/config.ts';
import type { TumaError } from '../../src/domain/errors.ts';
import { BatchWorker } from '../../src/queue/batch-worker.ts';
import { createQueue } from '../../src/queue/bullmq-queue.ts';
import { checkRedis } from '../../src/queue/check-redis.ts';
import type { Queue } from '../../src/queue/queue.ts';
import type { RedisAddress } from '../../src/queue/redis-address.ts';
import { redisClient } from '../../src/queue/redis-client.ts';
import { QUEUE_PREFIX, workerOptions } from '../../src/queue/redis-options.ts';
import { configuredRedis } from '../../src/runtime/redis-address.ts';
import { addUntilTaken, jobOf } from '../support/queue-jobs.ts';
import {
  allSay,
  clusterAddress,
  keyHolder,
  makeCertificates,
  type PortRedis,
  startCluster,
  startPortRedis,
  startSentinels,
  startTlsRedis,
} from '../support/redis-forms.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const queues: Queue[] = [];

afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.close()));
});

/** The address as the program has it from its settings. */
async function address(env: Record<string, string>): Promise<RedisAddress> {
  const found = await configuredRedis(resolveConfig({ cwd: '/', env }));
  if (found === null) throw new Error('no Redis is configured');
  return found;
}

/** A queue whose batches are noted. */
function consuming(connection: RedisAddress): { queue: Queue; batches: number[] } {
  const queue = createQueue({ connection, log, random: Math.random });
  queues.push(queue);
  const batches: number[] = [];
  queue.consume(async ({ batch }) => void batches.push(batch), { slots: 2 });
  return { queue, batches };
}

/** What a person is told, by doctor and by a worker at its start. */
async function told(env: Record<string, string>): Promise<string> {
  const failure = await address(env)
    .then(checkRedis)
    .then(
      () => null,
      (error: unknown) => error as TumaError,
    );
  expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain('CANARY');
  return failure === null ? 'nothing' : `${failure.code}: ${failure.message}`;
}

function fileOf(text: string): string {
  const file = join(makeTempDir(), 'file');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

test('Redis by TLS: a CA of the office, a certificate of the client, a user with a password in a file', async () => {
  const office = await makeCertificates();
  const redis = await startTlsRedis(office);
  await redis.command('ACL', 'SETUSER', 'tuma', 'on', '>right-CANARY', '~{tuma}:*', '+@all');
  const env = {
    TUMA_REDIS_URL: `rediss://tuma@127.0.0.1:${redis.port}`,
    TUMA_REDIS_PASSWORD_FILE: fileOf('right-CANARY\n'),
    TUMA_REDIS_CA_FILE: office.ca,
    TUMA_REDIS_CERT_FILE: office.cert,
    TUMA_REDIS_KEY_FILE: office.key,
  };
  const { queue, batches } = consuming(await address(env));
  await addUntilTaken(queue, batches, 1);
  expect(await told(env)).toBe('nothing');
  const where = `(127.0.0.1:${redis.port})`;
  expect(await told({ ...env, TUMA_REDIS_PASSWORD_FILE: fileOf('wrong-CANARY') })).toBe(
    `redis_refused: Redis refuses the user or the password ${where}`,
  );
  expect(await told({ ...env, TUMA_REDIS_CA_FILE: (await makeCertificates()).ca })).toBe(
    `redis_refused: The certificate of Redis is not trusted ${where}`,
  );
  const stranger = await makeCertificates();
  expect(await told({ ...env, TUMA_REDIS_CERT_FILE: stranger.cert, TUMA_REDIS_KEY_FILE: stranger.key })).toBe(
    `redis_refused: Redis does not take Tuma's certificate ${where}`,
  );
  const { TUMA_REDIS_CERT_FILE: _, TUMA_REDIS_KEY_FILE: __, ...bare } = env;
  expect(await told(bare)).toBe(`redis_refused: Redis does not take Tuma's certificate ${where}`);
});

test('a certificate for another host is said to be one', async () => {
  const other = await makeCertificates('DNS:other.example');
  const redis = await startTlsRedis(other);
  const env = {
    TUMA_REDIS_CA_FILE: other.ca,
    TUMA_REDIS_CERT_FILE: other.cert,
    TUMA_REDIS_KEY_FILE: other.key,
  };
  expect(await told({ ...env, TUMA_REDIS_URL: `rediss://127.0.0.1:${redis.port}` })).toBe(
    `redis_refused: The certificate of Redis is for another host (127.0.0.1:${redis.port})`,
  );
});

test('behind Sentinels the queue follows a failover, and what the addresses lack is said', async () => {
  const { primary, replica, sentinels } = await startSentinels();
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const env = { TUMA_REDIS_URL: `redis+sentinel://${hosts}/office` };
  expect(await told(env)).toBe('nothing');
  expect(await told({ TUMA_REDIS_URL: `redis+sentinel://${hosts}/shop` })).toMatch(
    /^redis_refused: The Sentinels know no Redis by this name \("shop" of the Sentinels /,
  );
  expect(await told({ TUMA_REDIS_URL: `redis+sentinel://127.0.0.1:${primary.port}/office` })).toMatch(
    /^redis_refused: What answers is no Sentinel /,
  );
  expect(await told({ TUMA_REDIS_URL: `redis://127.0.0.1:${sentinels[0]?.port}` })).toMatch(
    /^redis_refused: What answers is a Sentinel /,
  );
  expect(await told({ TUMA_REDIS_URL: `redis://127.0.0.1:${replica.port}` })).toMatch(
    /^redis_refused: Redis refuses to write /,
  );
  const { queue, batches } = consuming(await address(env));
  await addUntilTaken(queue, batches, 1);
  await primary.kill();
  await waitFor(() => queue.add([jobOf(2)]).then(() => batches.includes(2)), {
    what: 'a batch at the replica',
  });
  expect(String(await replica.command('INFO', 'replication'))).toContain('role:master');
});

test('on a cluster the queue works, follows its keys to another node, and outlives the loss of all nodes', async () => {
  const nodes = await startCluster();
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const env = { TUMA_REDIS_URL: `redis+cluster://${hosts}` };
  expect(await told(env)).toBe('nothing');
  const { queue, batches } = consuming(await address(env));
  await addUntilTaken(queue, batches, 1);
  const from = await keyHolder(nodes);
  const [to, other] = nodes.filter((node) => node !== from);
  if (to === undefined) throw new Error('there is no other node');
  await moveSlot(from, to);
  await addUntilTaken(queue, batches, 2);
  expect(await keyHolder(nodes)).toBe(to);
  await other?.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  expect(await told(env)).toBe(
    `redis_unsafe: The redis at 127.0.0.1:${other?.port} may evict keys (maxmemory-policy allkeys-lru)`,
  );
  await to.kill();
  expect(await told(env)).toMatch(/^redis_unreachable: Redis does not answer at the cluster /);
  await Promise.all(nodes.map((node) => node.kill()));
  expect(await told(env)).toBe(
    `redis_unreachable: Redis does not answer at the cluster ${hosts.replaceAll(',', ', ')}`,
  );
  await expect(queue.add([jobOf(3)])).rejects.toMatchObject({ code: 'redis_unreachable' });
  await Promise.all(nodes.map((node) => node.start()));
  await waitFor(() => queue.add([jobOf(4)]).then(() => batches.includes(4)), {
    what: 'a batch after the outage',
  });
});

test('a connection to a cluster that is not complete yet is there when the cluster is', async () => {
  const nodes = await startCluster();
  for (const node of nodes) await node.command('CLUSTER', 'DELSLOTS', 0);
  await waitFor(() => allSay(nodes, 'cluster_state:fail'), { what: 'the nodes to miss a slot' });
  const options = { ...workerOptions(clusterAddress(nodes), Math.random), lazyConnect: true };
  const ended = redisClient(options);
  // Its ready check is on the wire.
  ended.once('connect', () => ended.disconnect());
  await expect(ended.connect()).rejects.toThrow('Connection is closed.');
  const client = redisClient(options);
  let attempts = 0;
  client.on('reconnecting', () => {
    attempts += 1;
  });
  const connected = client.connect();
  await waitFor(() => attempts > 2, { what: 'more attempts' });
  expect(client.listenerCount('end')).toBe(1);
  await nodes[0]?.command('CLUSTER', 'ADDSLOTS', 0);
  await connected;
  expect(client.status).toBe('ready');
  client.disconnect();
});

test('on a cluster a worker ends whose idle connection is between two attempts to connect', async () => {
  const nodes = await startCluster();
  const cluster = clusterAddress(nodes);
  const queue = createQueue({ connection: cluster, log, random: Math.random });
  queues.push(queue);
  const handler = Promise.withResolvers<void>();
  let isTaken = false;
  const handle = async () => {
    isTaken = true;
    await handler.promise;
  };
  // The next attempt to connect is half an hour away.
  const connection = workerOptions(cluster, () => 30_000);
  const worker = new BatchWorker('promotional', handle, { connection, prefix: QUEUE_PREFIX });
  await queue.add([jobOf(1)]);
  await waitFor(() => isTaken, { what: 'the batch to be taken' });
  const { blockingConnection } = worker.getBackend();
  const idle = (await blockingConnection?.client) as unknown as Cluster;
  await waitFor(() => idle.status === 'ready', { what: 'the connection' });
  idle.disconnect(true);
  await waitFor(() => idle.status === 'close', { what: 'the connection to be lost' });
  const finished = worker.finish(handler.promise);
  handler.resolve();
  await finished;
  await worker.finish(Promise.resolve());
  const main = await worker.getBackend().client;
  const haveEnded = () => [main, idle].every(({ status }) => status === 'end');
  await waitFor(haveEnded, { what: 'both connections to be cut' });
});

test('a Redis that is still loading is said to be, and is waited for', async () => {
  const folder = makeTempDir();
  const kept = ['--dir', folder, '--dbfilename', 'dump.rdb'];
  const old = await startPortRedis(kept);
  await old.command('EVAL', "for i = 1, 3000 do redis.call('SET', i, string.rep('x', 100)) end", 0);
  await old.command('SAVE');
  await old.close();
  // 20 ms a key: a minute.
  const slow = ['--key-load-delay', '20000', '--loading-process-events-interval-bytes', '1024'];
  const loading = await startPortRedis([...kept, ...slow]);
  expect(await told({ TUMA_REDIS_URL: `redis://127.0.0.1:${loading.port}` })).toBe(
    `redis_unreachable: Redis is still loading its data (127.0.0.1:${loading.port})`,
  );
  await loading.close();
});

test('a Redis that is no cluster is said to be none', async () => {
  const redis = await startPortRedis();
  expect(await told({ TUMA_REDIS_URL: `redis+cluster://127.0.0.1:${redis.port}` })).toMatch(
    /^redis_refused: This Redis is no cluster /,
  );
});

/** Gives the slot of the queue's keys, with the keys, to another node. */
async function moveSlot(from: PortRedis, to: PortRedis): Promise<void> {
  const slot = Number(await from.command('CLUSTER', 'KEYSLOT', '{tuma}'));
  const [fromId, toId] = [
    String(await from.command('CLUSTER', 'MYID')),
    String(await to.command('CLUSTER', 'MYID')),
  ];
  await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
  await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
  const moved = async () => {
    const keys = (await from.command('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
    if (keys.length > 0) await from.command('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...keys);
    return keys.length === 0;
  };
  await waitFor(moved, { what: 'the keys to be at the other node' });
  for (const node of [to, from]) await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
}
