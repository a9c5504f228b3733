import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './redis-address.ts';

/** A connection to a Redis, or those to the nodes of a cluster. */
export type RedisClient = Redis | Cluster;

/** The options of ioredis, and the nodes where it is a cluster. */
export type ClientOptions = Omit<RedisOptions, 'replyMapping' | 'port'> &
  Pick<RedisAddress, 'port' | 'cluster'>;

/** Of a slow machine with TLS; ioredis waits for one second. */
const SLOTS_TIMEOUT_MS = 5_000;
/** BullMQ knows by these words that a connection was lost. */
const CLOSED = 'Connection is closed.';

/**
 * A cluster whose `connect()` settles when the cluster is ready or has ended, at the latest. Nodes that have just started
 * fail the ready check of ioredis. It then connects again by itself, but forgets the promise of the failed attempt
 * (https://github.com/redis/ioredis/pull/741), and a worker of BullMQ would wait for that promise for ever.
 */
class SettlingCluster extends Cluster {
  /** One for all attempts. Only declared: ioredis calls `connect()` before a field of ours would be set. */
  declare private settled: Promise<void> | undefined;

  override async connect(): Promise<void> {
    this.settled ??= this.readyOrEnd();
    await Promise.race([super.connect(), this.settled]);
  }

  private async readyOrEnd(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const rejectClosed = () => reject(new Error(CLOSED));
    this.once('ready', resolve).once('end', rejectClosed);
    try {
      await promise;
    } finally {
      this.off('ready', resolve).off('end', rejectClosed);
      this.settled = undefined;
    }
  }
}

/** Makes the client that these options ask for; it connects at once, unless `lazyConnect`. */
export function redisClient({ cluster, ...options }: ClientOptions): RedisClient {
  if (cluster === undefined) return new Redis(options);
  const { retryStrategy, enableOfflineQueue = true, lazyConnect = false, ...both } = options;
  const { enableReadyCheck = true } = options;
  // BullMQ puts its own defaults into every options, and a node has its own host and port.
  const { host: _, port: __, ...redisOptions } = both;
  return new SettlingCluster(cluster, {
    redisOptions,
    enableOfflineQueue,
    lazyConnect,
    enableReadyCheck,
    clusterRetryStrategy: retryStrategy ?? null,
    slotsRefreshTimeout: SLOTS_TIMEOUT_MS,
    // A certificate is for the name; ioredis would ask for the address that it stands for.
    ...(redisOptions.tls === undefined
      ? {}
      : { dnsLookup: (name: string, done: (error: null, address: string) => void) => done(null, name) }),
  });
}
