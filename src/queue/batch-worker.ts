import { setTimeout as sleep } from 'node:timers/promises';
import { createIORedisClient, type Job, type JobJson, RedisConnection, Worker } from 'bullmq';
import { redisClient } from './redis-client.ts';

const GRACE_MS = 3_000;

// BullMQ makes and closes two connections for each worker, and can make none to a cluster by itself.
RedisConnection.clientFactory = (options) => createIORedisClient(redisClient(options));

/**
 * A BullMQ worker that can be closed while Redis is away, where BullMQ's own `close()` waits for ever. It
 * also survives a job whose data is not JSON, which BullMQ would take again for ever.
 */
export class BatchWorker extends Worker {
  #finished: Promise<void> | null = null;

  /**
   * Takes no new job, waits for `handlersDone`, and takes 3 s more to mark those jobs as done. A job that
   * stays unmarked runs once more, which is harmless. A second call waits for the first.
   */
  async finish(handlersDone: Promise<void>): Promise<void> {
    this.#finished ??= this.#finishOnce(handlersDone);
    return this.#finished;
  }

  async #finishOnce(handlersDone: Promise<void>): Promise<void> {
    if (!(await this.#isConnected())) {
      void this.pause(true);
      await handlersDone;
      return this.abandon();
    }
    const closed = this.close();
    const isInTime = await Promise.race([closed.then(() => true), patience(handlersDone)]);
    if (isInTime) return;
    // Redis went away just now, or a connection to a cluster is between two attempts and never says that it ended.
    // BullMQ's timers and connections would keep the process alive.
    await this.lockManager.close();
    await this.backend.close(true);
  }

  /** Lets go at once; the jobs in progress lose their lock. */
  async abandon(): Promise<void> {
    await this.close(true);
  }

  protected override createJob(json: JobJson, jobId: string): Job {
    try {
      return super.createJob(json, jobId);
    } catch {
      return super.createJob({ ...json, data: 'null' }, jobId);
    }
  }

  async #isConnected(): Promise<boolean> {
    const client = await Promise.race([this.getBackend().client, sleep(0, null)]);
    return client?.status === 'ready';
  }
}

async function patience(handlersDone: Promise<void>): Promise<false> {
  await handlersDone;
  return sleep(GRACE_MS, false as const, { ref: false });
}
