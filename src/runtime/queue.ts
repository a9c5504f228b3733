import type { Log } from '../campaign/env.ts';
import type { Config } from '../config/config.ts';
import { TumaError } from '../domain/errors.ts';
import { createQueue } from '../queue/bullmq-queue.ts';
import { checkRedis } from '../queue/check-redis.ts';
import { openPrivateRedis } from '../queue/private-redis.ts';
import type { Queue } from '../queue/queue.ts';
import { type RedisAddress, redisAddress } from '../queue/redis-address.ts';
import { makeFolder } from '../system/folder.ts';

/** A queue that is open, and how it is let go. */
export interface OpenQueue {
  queue: Queue;
  close(): Promise<void>;
}

/**
 * Opens the queue on the configured Redis, or on a private one that is started for it. A configured Redis that does not
 * answer is waited for (`patient`, for `serve`) or refused with `redis_unreachable`; an unsafe one is always refused.
 */
export async function openQueue(
  config: Config,
  { log, patient }: { log: Log; patient: boolean },
): Promise<OpenQueue> {
  if (config.redisUrl !== null) {
    const connection = redisAddress(config.redisUrl.reveal());
    await checkConfigured(connection, { log, patient });
    return open({ connection, log }, async () => undefined);
  }
  await makeFolder(config.home);
  const redis = await openPrivateRedis({ home: config.home, log });
  return open({ connection: redis.address, log }, () => redis.close());
}

function open(
  { connection, log }: { connection: RedisAddress; log: Log },
  afterwards: () => Promise<void>,
): OpenQueue {
  const queue = createQueue({ connection, log, random: Math.random });
  return {
    queue,
    close: async () => {
      await queue.close();
      await afterwards();
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
