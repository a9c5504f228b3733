import { Redis } from 'ioredis';
import { TumaError } from '../domain/errors.ts';
import { type RedisAddress, showAddress } from './redis-address.ts';
import { redisFailure } from './redis-failure.ts';
import { onceOptions, QUEUE_PREFIX } from './redis-options.ts';

/** The oldest Redis that works: BullMQ waits for fractions of a second, and older versions round them. */
const LEAST_VERSION = [6, 2] as const;

/** The facts about a Redis that `tuma doctor` shows. */
export interface RedisFacts {
  server: 'redis' | 'valkey';
  version: string;
  evictionPolicy: string;
}

/**
 * Asks a Redis whether the queue may rely on it. Throws redis_unsafe when it may evict keys or is too old,
 * redis_refused for a wrong password or node of a cluster, and redis_unreachable when nobody answers.
 */
export async function checkRedis(address: RedisAddress): Promise<RedisFacts> {
  const client = new Redis(onceOptions(address));
  let connectionError: unknown;
  client.on('error', (error) => {
    connectionError = error;
  });
  try {
    await client.connect();
    const facts = readFacts(await client.info());
    refuseUnsafe(facts, address);
    // In a cluster a node that does not own the keys answers MOVED.
    await client.exists(`${QUEUE_PREFIX}:transactional:meta`);
    return facts;
  } catch (error) {
    if (error instanceof TumaError) throw error;
    throw redisFailure(address, new AggregateError([error, connectionError]));
  } finally {
    client.disconnect();
  }
}

function readFacts(info: string): RedisFacts {
  const field = (name: string) => new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(info)?.[1];
  const valkey = field('valkey_version');
  return {
    server: valkey === undefined ? 'redis' : 'valkey',
    version: valkey ?? field('redis_version') ?? 'unknown',
    evictionPolicy: field('maxmemory_policy') ?? 'unknown',
  };
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
