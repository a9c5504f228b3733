import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { TumaError } from '../domain/errors.ts';
import { tryFileLock } from '../system/file-lock.ts';
import { answers, knownAddress, newAddress, removeRecord, startServer } from './private-server.ts';
import type { QueueLog } from './queue.ts';
import type { RedisAddress } from './redis-address.ts';
import { producerOptions } from './redis-options.ts';

/** The name of a user's one connection to the private Redis, so that others see the user. */
const USER_NAME = 'tuma-user';
/** The longest wait for a connection that has just been made. */
const READY_MS = 1_000;
/** Longer than any pause of a healthy server that has so little to do. */
const SILENCE_MS = 5_000;
const RESTART_PAUSE_MS = 1_000;
const LOCK_PATIENCE_MS = 30_000;
const LOCK_POLL_MS = 20;

/** The settings of a private Redis. */
export interface PrivateRedisSetup {
  /** `TUMA_HOME`: an absolute path of a directory that is there. */
  home: string;
  log: QueueLog;
}

/**
 * Uses the private Redis of this home, and starts it under a lock if it does not answer. Its connections tell
 * who uses it, so that a killed process leaves nothing to clean up. The last user to close shuts it down.
 * Throws redis_missing when there is no server program, redis_unreachable when it does not start.
 */
export async function openPrivateRedis(setup: PrivateRedisSetup): Promise<PrivateRedis> {
  return underLock(setup.home, async () => {
    const redis = new PrivateRedis(setup, await usableAddress(setup));
    await redis.announce();
    return redis;
  });
}

/** The Redis that Tuma starts for itself when TUMA_REDIS_URL is not set. */
class PrivateRedis {
  /** Stays the same when the server is started again. */
  readonly address: RedisAddress;
  readonly #home: string;
  readonly #log: QueueLog;
  /** This connection says that this process uses the server. */
  readonly #presence: Redis;
  #restarting: Promise<void> | null = null;
  #isClosing = false;

  constructor({ home, log }: PrivateRedisSetup, address: RedisAddress) {
    this.address = address;
    this.#home = home;
    this.#log = log;
    this.#presence = new Redis({
      ...producerOptions(address, Math.random),
      connectionName: USER_NAME,
      lazyConnect: true,
    });
    this.#presence.on('error', () => undefined);
    this.#presence.on('close', () => this.#restart());
  }

  /** Connects, so that others see that the server is used. */
  async announce(): Promise<void> {
    await this.#presence.connect();
  }

  /** Lets go of the server, and shuts it down when nobody else uses it. Never rejects. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#restarting;
    try {
      await underLock(this.#home, () => this.#leave());
    } catch (error) {
      this.#log.warn({ reason: String(error) }, 'could not shut down the private Redis');
    } finally {
      this.#presence.disconnect();
    }
  }

  #restart(): void {
    if (this.#isClosing) return;
    this.#restarting ??= this.#startAgain().finally(() => {
      this.#restarting = null;
    });
  }

  async #startAgain(): Promise<void> {
    try {
      await underLock(this.#home, async () => {
        if (await answers(this.address, SILENCE_MS)) return;
        this.#log.warn({}, 'the private Redis is gone; starting it again');
        await startServer(this.#home, this.address);
      });
    } catch (error) {
      this.#log.warn({ reason: String(error) }, 'could not start the private Redis again');
      await sleep(RESTART_PAUSE_MS);
    }
  }

  async #leave(): Promise<void> {
    // The server may know this user a moment before the client is ready.
    if (this.#presence.status === 'connect')
      await once(this.#presence, 'ready', { signal: AbortSignal.timeout(READY_MS) }).catch(() => undefined);
    if (this.#presence.status !== 'ready') return;
    if ((await countOthers(this.#presence)) > 0) {
      await this.#presence.quit();
      return;
    }
    // The server closes the connection in place of an answer.
    await this.#presence.shutdown('NOSAVE').catch(() => undefined);
    removeRecord(this.#home);
  }
}

async function usableAddress({ home, log }: PrivateRedisSetup): Promise<RedisAddress> {
  const known = knownAddress(home);
  if (known !== null && (await answers(known, SILENCE_MS))) return known;
  const address = await newAddress(home);
  await startServer(home, address);
  log.debug({}, 'started the private Redis');
  return address;
}

async function countOthers(presence: Redis): Promise<number> {
  const own = await presence.client('ID');
  const clients = String(await presence.client('LIST')).split('\n');
  return clients.filter((line) => line.includes(` name=${USER_NAME} `) && !line.startsWith(`id=${own} `))
    .length;
}

/** Works while no other process of this machine works on the private Redis of this home. */
async function underLock<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  const path = join(home, 'redis.lock');
  const deadlineMs = performance.now() + LOCK_PATIENCE_MS;
  while (performance.now() < deadlineMs) {
    const lock = tryFileLock(path);
    if (lock !== null) return work().finally(() => lock.release());
    await sleep(LOCK_POLL_MS);
  }
  throw new TumaError('redis_unreachable', {
    message: 'Another process has been starting or stopping the private Redis for 30 s',
    hint: `End the process that holds ${path}, and try again.`,
  });
}
