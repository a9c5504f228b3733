import { setTimeout as sleep } from 'node:timers/promises';
import { type JobsOptions, Queue as BullQueue } from 'bullmq';
import type { CampaignKind } from '../domain/campaign.ts';
import { BatchConsumer } from './batch-consumer.ts';
import { batchJobId, batchPayload } from './batch-payload.ts';
import type { BatchJob, Consumer, Queue, QueueLog, TakenJob } from './queue.ts';
import type { RedisAddress } from './redis-address.ts';
import { type RedisClient, redisClient } from './redis-client.ts';
import { redisFailure } from './redis-failure.ts';
import { producerOptions, QUEUE_PREFIX } from './redis-options.ts';

/** The settings of a queue. */
export interface QueueSetup {
  /** As the settings say, or that of a private Redis. */
  connection: RedisAddress;
  log: QueueLog;
  /** Uniform in [0, 1): spreads the attempts to connect again. */
  random: () => number;
}

const KINDS: readonly CampaignKind[] = ['transactional', 'promotional'];
/** Jobs in one round trip. */
const MOST_JOBS_A_PIPELINE = 1_000;
/** So long after Redis went away an operation waits for it to come back; later it fails at once. */
const CONNECT_PATIENCE_MS = 2_000;
const POLL_MS = 10;
/** BullMQ's event stream is of no use to us. */
const MOST_EVENTS = 100;

/** Makes the queue on BullMQ. Connects in the background; without Redis, `add` and `size` soon reject. */
export function createQueue(setup: QueueSetup): Queue {
  return new BullmqQueue(setup);
}

class BullmqQueue implements Queue {
  readonly #setup: QueueSetup;
  readonly #client: RedisClient;
  readonly #consumers = new Set<Consumer>();
  /** Made when Redis first answers, because a BullMQ queue whose first connection failed stays broken. */
  #queues: Map<CampaignKind, BullQueue> | null = null;
  #away: { error: Error; sinceMs: number } | null = null;

  constructor(setup: QueueSetup) {
    this.#setup = setup;
    this.#client = redisClient(producerOptions(setup.connection, setup.random));
    this.#client.on('error', (error) => this.#sayAway(error));
    this.#client.on('ready', () => this.#sayBack());
  }

  async add(jobs: BatchJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.#ask(async (queues) => {
      for (const kind of KINDS)
        await addAll(
          queues.get(kind),
          jobs.filter((job) => job.kind === kind),
        );
    });
  }

  async size(): Promise<number> {
    return this.#ask(async (queues) => {
      const counts = await Promise.all([...queues.values()].map((queue) => countOpen(queue)));
      return counts.reduce((sum, count) => sum + count, 0);
    });
  }

  consume(handler: (job: TakenJob) => Promise<void>, { slots }: { slots: number }): Consumer {
    const { connection: address, log, random } = this.#setup;
    const consumer = new BatchConsumer({ address, log, random, handler, slots });
    this.#consumers.add(consumer);
    return consumer;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    await Promise.all([...(this.#queues?.values() ?? [])].map((queue) => queue.close()));
    this.#client.removeAllListeners('error').on('error', () => undefined);
    this.#client.disconnect();
  }

  async #ask<Answer>(question: (queues: Map<CampaignKind, BullQueue>) => Promise<Answer>): Promise<Answer> {
    try {
      await this.#becomeReady();
      this.#queues ??= await this.#openQueues();
      return await question(this.#queues);
    } catch (error) {
      throw redisFailure(this.#setup.connection, error);
    }
  }

  async #openQueues(): Promise<Map<CampaignKind, BullQueue>> {
    const queues = new Map<CampaignKind, BullQueue>();
    for (const kind of KINDS) {
      const queue = new BullQueue(kind, {
        connection: this.#client,
        prefix: QUEUE_PREFIX,
        streams: { events: { maxLen: MOST_EVENTS } },
      });
      // The connection is ours and has its own listener.
      queue.on('error', () => undefined);
      queues.set(kind, queue);
      await queue.waitUntilReady();
    }
    return queues;
  }

  #sayAway(error: Error): void {
    if (this.#away !== null) return;
    this.#away = { error, sinceMs: performance.now() };
    const { code, message } = redisFailure(this.#setup.connection, error);
    this.#setup.log.warn({ code, reason: error.message }, `${message}; trying again until it does`);
  }

  #sayBack(): void {
    if (this.#away !== null) this.#setup.log.info({}, 'Redis answers again');
    this.#away = null;
  }

  async #becomeReady(): Promise<void> {
    if (this.#client.status === 'ready') return;
    const awayMs = this.#away === null ? 0 : performance.now() - this.#away.sinceMs;
    const isReady =
      awayMs < CONNECT_PATIENCE_MS && (await isReadyWithin(this.#client, CONNECT_PATIENCE_MS - awayMs));
    if (!isReady) throw this.#away?.error ?? new Error('no connection');
  }
}

async function addAll(queue: BullQueue | undefined, jobs: BatchJob[]): Promise<void> {
  for (let start = 0; start < jobs.length; start += MOST_JOBS_A_PIPELINE) {
    await queue?.addBulk(jobs.slice(start, start + MOST_JOBS_A_PIPELINE).map(toBullJob));
  }
}

function toBullJob({ batch, epoch, delayMs }: BatchJob) {
  const opts: JobsOptions = {
    jobId: batchJobId(batch, epoch),
    delay: delayMs,
    // A finished job that stays would make BullMQ ignore the sweep's next add of the same id forever.
    removeOnComplete: true,
    removeOnFail: true,
  };
  return { name: 'batch', data: batchPayload(batch, epoch), opts };
}

async function countOpen(queue: BullQueue): Promise<number> {
  return queue.getJobCountByTypes('waiting', 'delayed', 'active', 'prioritized');
}

async function isReadyWithin(client: RedisClient, patienceMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + patienceMs;
  while (client.status !== 'ready' && performance.now() < deadlineMs) await sleep(POLL_MS);
  return client.status === 'ready';
}
