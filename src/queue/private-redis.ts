import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { withFileLock } from './file-lock.ts';
import { answers, endServer, newAddress, startServer } from './private-server.ts';
import { Complaints, type QueueLog } from './queue-log.ts';
import type { RedisAddress } from './redis-address.ts';
import { producerOptions } from './redis-options.ts';
import { knownAddress, type ServerPlace, serverPlace } from './server-place.ts';

/** The name of the one connection by which each user of the private Redis is known to the others. */
const USER_NAME = 'tuma-user';
/** Longer than any pause of a healthy server that has so little to do. */
const SILENCE_MS = 5_000;
const EXIT_GRACE_MS = 3_000;
/** Longer than the longest pause between two attempts to connect. */
const CONNECT_MS = 3_000;
const RESTART_PAUSE_MS = 1_000;

/** The Redis that Tuma starts for itself when TUMA_REDIS_URL is not set. */
export interface PrivateRedis {
  /** Stays the same for the life of this object, also when the server is started again. */
  address: RedisAddress;
  /**
   * Starts the server again if it does not answer. It is called by itself when the connection is lost; a watchdog may
   * call it too.
   */
  ensure(): Promise<void>;
  /** Lets go of the server, and shuts it down when nobody else uses it. Never rejects. */
  close(): Promise<void>;
}

/** What a private Redis is opened with. */
export interface PrivateRedisSetup {
  /** `TUMA_HOME`: an absolute path of a directory that is there. */
  home: string;
  log: QueueLog;
  /** Uniform in [0, 1): spreads the attempts to connect again. */
  random?: () => number;
}

/**
 * Uses the private Redis of this home, and starts it under a lock if it does not answer. Who uses it is known by the
 * connections to it, so that a killed process leaves nothing behind to clean up; the last one to close shuts it down.
 * Throws redis_missing when there is no server program, redis_unreachable when it does not start.
 */
export async function openPrivateRedis(setup: PrivateRedisSetup): Promise<PrivateRedis> {
  const place = serverPlace(setup.home);
  return withFileLock(place.lock, async () => {
    const address = await usableAddress(place, setup.log);
    const shared = new SharedRedis(setup, { place, address });
    await shared.announce();
    return shared;
  });
}

class SharedRedis implements PrivateRedis {
  readonly address: RedisAddress;
  readonly #place: ServerPlace;
  readonly #log: QueueLog;
  readonly #complaints: Complaints;
  /** Its being there says that this process uses the server. */
  readonly #presence: Redis;
  #ensuring: Promise<void> | null = null;
  #isClosing = false;

  constructor(
    { log, random = Math.random }: PrivateRedisSetup,
    server: { place: ServerPlace; address: RedisAddress },
  ) {
    this.address = server.address;
    this.#place = server.place;
    this.#log = log;
    this.#complaints = new Complaints(log);
    this.#presence = new Redis({
      ...producerOptions(server.address, random),
      connectionName: USER_NAME,
      lazyConnect: true,
    });
    this.#presence.on('error', () => undefined);
    this.#presence.on('close', () => this.#keepAlive());
  }

  /** Connects, so that others see that the server is used. */
  async announce(): Promise<void> {
    await this.#presence.connect();
  }

  async ensure(): Promise<void> {
    if (this.#isClosing) return;
    this.#ensuring ??= this.#startAgain().finally(() => {
      this.#ensuring = null;
    });
    return this.#ensuring;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#ensuring?.catch(() => undefined);
    try {
      await withFileLock(this.#place.lock, () => this.#leave());
    } catch (error) {
      this.#log.warn({ reason: String(error) }, 'could not shut down the private Redis');
    } finally {
      this.#presence.disconnect();
    }
  }

  #keepAlive(): void {
    if (this.#isClosing || this.#ensuring !== null) return;
    this.ensure().catch((error: unknown) => {
      this.#complaints.about(toError(error), 'could not start the private Redis again');
    });
  }

  async #startAgain(): Promise<void> {
    await withFileLock(this.#place.lock, async () => {
      if (await answers(this.address, SILENCE_MS)) return;
      this.#log.warn({}, 'the private Redis is gone; starting it again');
      await endServer(this.#place, 0);
      await startServer(this.#place, this.address);
    }).catch(async (error: unknown) => {
      await sleep(RESTART_PAUSE_MS);
      throw error;
    });
  }

  async #leave(): Promise<void> {
    if (!(await this.#isPresent())) return;
    if ((await countOthers(this.#presence)) > 0) {
      await this.#presence.quit();
      return;
    }
    // The server closes the connection in place of an answer.
    await this.#presence.shutdown('NOSAVE').catch(() => undefined);
    await endServer(this.#place, EXIT_GRACE_MS);
  }

  /** A server that was just started again is connected to a moment later: left alone it would stay when its last user has gone. */
  async #isPresent(): Promise<boolean> {
    const isReady = () => this.#presence.status === 'ready';
    if (isReady() || !(await answers(this.address, SILENCE_MS)) || isReady()) return isReady();
    const ready = once(this.#presence, 'ready', { signal: AbortSignal.timeout(CONNECT_MS) });
    return ready.then(isReady, isReady);
  }
}

async function usableAddress(place: ServerPlace, log: QueueLog): Promise<RedisAddress> {
  const known = knownAddress(place);
  if (known !== null && (await answers(known, SILENCE_MS))) return known;
  await endServer(place, 0);
  const address = await newAddress(place);
  await startServer(place, address);
  log.debug({}, 'started the private Redis');
  return address;
}

async function countOthers(presence: Redis): Promise<number> {
  const own = await presence.client('ID');
  const clients = String(await presence.client('LIST')).split('\n');
  return clients.filter((line) => line.includes(` name=${USER_NAME} `) && !line.startsWith(`id=${own} `))
    .length;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
