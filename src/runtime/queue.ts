import type { Log } from '../campaign/env.ts';
import type { Config } from '../config/config.ts';
import { TumaError } from '../domain/errors.ts';
import { createQueue } from '../queue/bullmq-queue.ts';
import { checkRedis } from '../queue/check-redis.ts';
import { openPrivateRedis } from '../queue/private-redis.ts';
import { answers, knownAddress } from '../queue/private-server.ts';
import type { Queue } from '../queue/queue.ts';
import { type RedisAddress, showAddress } from '../queue/redis-address.ts';
import { findRedisServer } from '../queue/redis-server.ts';
import { makeFolder } from '../system/folder.ts';
import type { RedisCheck } from './contracts.ts';
import { configuredRedis } from './redis-address.ts';

const PATIENCE_MS = 1_000;

/** An open queue, and how it is closed. */
export interface OpenQueue {
  queue: Queue;
  close(): Promise<void>;
}

/**
 * Opens the queue on the configured Redis, or on a private one that is started for it. A configured Redis
 * that does not answer is waited for (`patient`, for `serve`) or refused with `redis_unreachable`; an unsafe
 * one is always refused.
 */
export async function openQueue(
  config: Config,
  { log, patient }: { log: Log; patient: boolean },
): Promise<OpenQueue> {
  const connection = await configuredRedis(config);
  if (connection !== null) {
    await checkConfigured(connection, { log, patient });
    const queue = createQueue({ connection, log, random: Math.random });
    return { queue, close: () => queue.close() };
  }
  await makeFolder(config.home);
  const redis = await openPrivateRedis({ home: config.home, log });
  const queue = createQueue({ connection: redis.address, log, random: Math.random });
  return {
    queue,
    close: async () => {
      await queue.close();
      await redis.close();
    },
  };
}

async function checkConfigured(
  connection: RedisAddress,
  { log, patient }: { log: Log; patient: boolean },
): Promise<void> {
  try {
    await checkRedis(connection);
  } catch (error) {
    const waits = patient && error instanceof TumaError && error.code === 'redis_unreachable';
    if (!waits) throw error;
    log.warn(
      { error: error.message },
      'Redis does not answer yet: sending waits for it, the collector does not',
    );
  }
}

/** Looks at the Redis that the queue would use, for doctor; starts nothing. */
export async function lookAtRedis(config: Config): Promise<RedisCheck> {
  try {
    const address = (await configuredRedis(config)) ?? (await runningPrivate(config));
    if (address === null) {
      const { file, version } = await findRedisServer();
      return { state: 'private', server: file, version };
    }
    const { server, version, evictionPolicy: policy } = await checkRedis(address);
    return { state: 'ready', where: showAddress(address), version: `${server} ${version}`, policy };
  } catch (error) {
    if (!(error instanceof TumaError)) throw error;
    return { state: 'problem', message: error.message, hint: error.hint };
  }
}

async function runningPrivate({ home }: Config): Promise<RedisAddress | null> {
  const address = knownAddress(home);
  return address !== null && (await answers(address, PATIENCE_MS)) ? address : null;
}
