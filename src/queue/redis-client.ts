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
 * A cluster whose `connect()` settles at the latest when the cluster is ready, or ends. ioredis connects again by itself
 * after a ready check that fails, as that of nodes that have just started does, but forgets the promise of that attempt
 * (https://github.com/redis/ioredis/pull/741): a worker of BullMQ would wait for it for ever.
 */
class SettlingCluster extends Cluster {
  /** One for all attempts. Only declared: ioredis calls `connect()` before a field of ours would be set. */
  declare private settled: Promise<void> | undefined;

  override async connect(): Promise<void> {
    this.settled ??= this.readyOrEnd();
    await Promise.race([super.connect(), this.settled]);
  }

  private async readyOrEnd(): Promise<void> {
    const settled = Promise.withResolvers<void>();
    const isReady = () => settled.resolve();
    const hasEnded = () => settled.reject(new Error(CLOSED));
    this.once('ready', isReady).once('end', hasEnded);
    try {
      await settled.promise;
    } finally {
      this.off('ready', isReady).off('end', hasEnded);
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
