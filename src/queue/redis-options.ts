import type { RedisAddress } from './redis-address.ts';
import type { ClientOptions } from './redis-client.ts';

/** All keys of the queue begin with this; the braces keep them in one slot of a Redis Cluster. */
export const QUEUE_PREFIX = '{tuma}';

const CONNECT_TIMEOUT_MS = 5_000;
const COMMAND_TIMEOUT_MS = 5_000;
/** Longer than BullMQ's longest blocking read (10 s); a longer silence means a half-open connection. */
const SOCKET_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;
/** ioredis keeps a timer of 2 s after a disconnect, and with it the process that wants to end. */
const DISCONNECT_TIMEOUT_MS = 100;
const FIRST_RETRY_MS = 50;
const MOST_RETRY_MS = 2_000;

/** For adding jobs: a command fails within 5 s and never waits for a Redis that is away. */
export function producerOptions(address: RedisAddress, random: () => number) {
  return {
    ...common(address, random),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
  } satisfies ClientOptions;
}

/** For taking jobs: waits for Redis for ever, as BullMQ demands of a worker's connections. */
export function workerOptions(address: RedisAddress, random: () => number) {
  return { ...common(address, random), maxRetriesPerRequest: null } satisfies ClientOptions;
}

/** For a question or two: one connection, no second try. */
export function onceOptions(address: RedisAddress, timeoutMs = CONNECT_TIMEOUT_MS) {
  return {
    ...address,
    lazyConnect: true,
    enableOfflineQueue: false,
    // It would wait for a Redis that is loading its data, or for a cluster that is down.
    enableReadyCheck: false,
    disableClientInfo: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: timeoutMs,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    commandTimeout: timeoutMs,
    sentinelRetryStrategy: () => null,
    sentinelCommandTimeout: timeoutMs,
  } satisfies ClientOptions;
}

function common(address: RedisAddress, random: () => number) {
  return {
    ...address,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    // A name for CLIENT LIST, which the rights of deploy/redis-acl.conf do not allow.
    disableClientInfo: true,
    retryStrategy: (times) => retryMs(times, random),
    sentinelRetryStrategy: (times) => retryMs(times, random),
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
    // Only a new connection notices a promoted replica (or the reverse); BullMQ sets no such rule.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  } satisfies ClientOptions;
}

function retryMs(times: number, random: () => number): number {
  const ceiling = Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(times, 10));
  return Math.ceil(ceiling * (0.5 + random() / 2));
}
