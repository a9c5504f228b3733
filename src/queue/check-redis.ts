import { Redis } from 'ioredis';
import { TumaError } from '../domain/errors.ts';
import { type RedisAddress, type RedisNode, showAddress } from './redis-address.ts';
import { type RedisClient, redisClient } from './redis-client.ts';
import { redisFailure } from './redis-failure.ts';
import { onceOptions, QUEUE_PREFIX } from './redis-options.ts';

/** The oldest Redis that works: BullMQ waits for fractions of a second, and older versions round them. */
const LEAST_VERSION = [6, 2] as const;
const KEY_SCRIPT = "return redis.call('EXISTS', KEYS[1])";

/** The facts about a Redis that `tuma doctor` shows. */
export interface RedisFacts {
  server: 'redis' | 'valkey';
  version: string;
  evictionPolicy: string;
}

/**
 * Asks a Redis whether the queue may rely on it; of a cluster, each primary. Throws redis_unsafe when it may evict keys
 * or is too old, redis_refused for what a person must mend, and redis_unreachable when nobody answers yet.
 */
export async function checkRedis(address: RedisAddress): Promise<RedisFacts> {
  const client = redisClient(onceOptions(address));
  const troubles: unknown[] = [];
  client.on('error', (error: unknown) => troubles.push(error));
  try {
    await client.connect();
    const [facts] = await Promise.all(primaries(client).map((each) => safeFacts(each, address)));
    // In a cluster a node that does not own the keys answers MOVED. As a script, because the queue needs them.
    await client.eval(KEY_SCRIPT, 1, `${QUEUE_PREFIX}:transactional:meta`);
    if (facts === undefined) throw new Error('no primary answers');
    return facts;
  } catch (error) {
    if (error instanceof TumaError) throw error;
    // ioredis keeps to itself why it cannot reach a node of a cluster.
    const ofNodes = await Promise.all(address.cluster?.map((node) => troubleAt(node, address)) ?? []);
    throw redisFailure(address, new AggregateError([error, ...troubles, ...ofNodes]));
  } finally {
    client.disconnect();
  }
}

/** Why one node of a cluster cannot be reached; null: it can. */
async function troubleAt(node: RedisNode, address: RedisAddress): Promise<unknown> {
  const { cluster: _, ...alone } = address;
  const client = new Redis(onceOptions({ ...alone, ...node }));
  let trouble: unknown = null;
  client.on('error', (error) => {
    trouble = error;
  });
  await client.connect().catch((error: unknown) => {
    trouble ??= error;
  });
  client.disconnect();
  return trouble;
}

function primaries(client: RedisClient): Redis[] {
  return client instanceof Redis ? [client] : client.nodes('master');
}

async function safeFacts(redis: Redis, address: RedisAddress): Promise<RedisFacts> {
  const info = await redis.info();
  refuseState(info, address);
  const facts = readFacts(info);
  refuseUnsafe(
    facts,
    address.cluster === undefined
      ? address
      : { host: redis.options.host ?? '', port: redis.options.port ?? 0 },
  );
  return facts;
}

/** Throws for a Redis that takes no jobs, or none yet. */
function refuseState(info: string, address: RedisAddress): void {
  const where = showAddress(address);
  if (field(info, 'redis_mode') === 'sentinel')
    throw new TumaError('redis_refused', {
      message: `What answers is a Sentinel (${where})`,
      hint: 'Write redis+sentinel://host,host,host/NAME in TUMA_REDIS_URL.',
    });
  if (field(info, 'loading') === '1') throw redisFailure(address, new Error('LOADING'));
  if (field(info, 'role') !== 'slave') return;
  // Sentinels name the old primary until the new one is chosen.
  if (address.sentinels === undefined) throw redisFailure(address, new Error('READONLY'));
  throw new TumaError('redis_unreachable', {
    message: `The Sentinels are changing the primary (${where})`,
    hint: 'Try again in a moment.',
  });
}

function readFacts(info: string): RedisFacts {
  const valkey = field(info, 'valkey_version');
  return {
    server: valkey === undefined ? 'redis' : 'valkey',
    version: valkey ?? field(info, 'redis_version') ?? 'unknown',
    evictionPolicy: field(info, 'maxmemory_policy') ?? 'unknown',
  };
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(info)?.[1];
}

/** Throws redis_unsafe for a Redis that could forget a job by itself, or that BullMQ cannot work with. */
export function refuseUnsafe(facts: RedisFacts, address: RedisAddress): void {
  const where = showAddress(address);
  if (isOlder(facts.version)) {
    throw new TumaError('redis_unsafe', {
      message: `The ${facts.server} at ${where} is ${facts.version}`,
      hint: `Tuma needs Redis ${LEAST_VERSION.join('.')} or newer, or Valkey.`,
    });
  }
  if (facts.evictionPolicy !== 'noeviction') {
    throw new TumaError('redis_unsafe', {
      message: `The ${facts.server} at ${where} may evict keys (maxmemory-policy ${facts.evictionPolicy})`,
      hint: 'Set maxmemory-policy to noeviction, or give Tuma a Redis of its own.',
    });
  }
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1]);
}
