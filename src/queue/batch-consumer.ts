import { type Job, WaitingError, type WorkerOptions } from 'bullmq';
import type { CampaignKind } from '../domain/campaign.ts';
import { readBatchJob } from './batch-payload.ts';
import { BatchWorker } from './batch-worker.ts';
import type { Consumer, QueueLog, TakenJob } from './queue.ts';
import type { RedisAddress } from './redis-address.ts';
import { QUEUE_PREFIX, workerOptions } from './redis-options.ts';

const LOCK_MS = 30_000;
const STALLED_CHECK_MS = 5_000;
const DRAIN_SECONDS = 5;
/** BullMQ's pause after a failed fetch; its default of 15 s is too long after an outage. */
const RETRY_AFTER_ERROR_MS = 1_000;
/** Running a batch again is harmless, so a job may stall as often as it likes. */
const MOST_STALLS = 1_000_000;
/** An ill Redis makes a worker fail many times a second. */
const COMPLAIN_EVERY_MS = 30_000;

/** The settings of a consumer. */
export interface ConsumerSetup {
  address: RedisAddress;
  log: QueueLog;
  random: () => number;
  handler: (job: TakenJob) => Promise<void>;
  slots: number;
}

/**
 * Takes jobs with one BullMQ worker for each kind. BullMQ's locks are not mutual exclusion: a batch may run
 * twice at the same time, and the ledger's claims make that harmless. A handler that throws is logged and its
 * job dropped; the sweep brings the batch back.
 */
export class BatchConsumer implements Consumer {
  readonly #setup: ConsumerSetup;
  readonly #inProgress = new Set<Promise<void>>();
  #workers: BatchWorker[];
  #lastTakenMs = performance.now();
  #lastComplaintMs = -Infinity;
  #isClosing = false;
  #restarting: Promise<void> | null = null;

  constructor(setup: ConsumerSetup) {
    this.#setup = setup;
    this.#workers = this.#startWorkers();
  }

  idleMs(): number {
    return performance.now() - this.#lastTakenMs;
  }

  async restart(): Promise<void> {
    this.#restarting ??= this.#replaceWorkers().finally(() => {
      this.#restarting = null;
    });
    return this.#restarting;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#restarting;
    // BullMQ stops taking jobs at once, and waits for the handlers before it lets go of its connections.
    const closing = this.#workers.map((worker) => worker.finish(this.#handlersDone()));
    await Promise.all([...closing, this.#handlersDone()]);
  }

  #startWorkers(): BatchWorker[] {
    return [this.#startWorker('transactional'), this.#startWorker('promotional')];
  }

  #startWorker(kind: CampaignKind): BatchWorker {
    // Three parameters, because BullMQ makes an abort signal only for a processor that declares the third.
    const process = (job: Job, token: string | undefined, signal: AbortSignal | undefined) =>
      this.#process(kind, job, { token, signal });
    const worker = new BatchWorker(kind, process, this.#workerOptions());
    worker.on('error', (error) => {
      // The queue logs a lost connection, and once is enough.
      if (!isConnectionError(error)) this.#complain(error, kind);
    });
    worker.on('lockRenewalFailed', (jobIds) => {
      for (const id of jobIds) worker.cancelJob(id, 'the lock on the job was lost');
    });
    return worker;
  }

  #workerOptions(): WorkerOptions {
    return {
      connection: workerOptions(this.#setup.address, this.#setup.random),
      prefix: QUEUE_PREFIX,
      concurrency: this.#setup.slots,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MOST_STALLS,
      drainDelay: DRAIN_SECONDS,
      runRetryDelay: RETRY_AFTER_ERROR_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    };
  }

  #complain(error: Error, kind: CampaignKind): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastComplaintMs < COMPLAIN_EVERY_MS) return;
    this.#lastComplaintMs = nowMs;
    this.#setup.log.warn({ reason: error.message }, `the queue of ${kind} jobs has trouble`);
  }

  async #process(
    kind: CampaignKind,
    job: Job,
    lock: { token: string | undefined; signal: AbortSignal | undefined },
  ): Promise<void> {
    const payload = readBatchJob(job);
    if (payload === null) {
      this.#setup.log.warn({ kind }, 'ignored a job in Redis that Tuma did not write');
      return;
    }
    this.#lastTakenMs = performance.now();
    if (this.#isClosing) await putBack(job, lock.token);
    const signal = lock.signal ?? new AbortController().signal;
    await this.#handle({ batch: payload.batch, epoch: payload.epoch, signal });
  }

  async #handle(job: TakenJob): Promise<void> {
    const running = this.#setup.handler(job).catch((error: unknown) => {
      const { batch, epoch } = job;
      this.#setup.log.error(
        { batch, epoch, err: error },
        'a batch ended with an error; the sweep tries it again',
      );
    });
    this.#inProgress.add(running);
    await running;
    this.#inProgress.delete(running);
  }

  async #handlersDone(): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.all(this.#inProgress);
  }

  async #replaceWorkers(): Promise<void> {
    if (this.#isClosing) return;
    const old = this.#workers;
    // Nobody renews the locks of the old workers' jobs from here on.
    for (const worker of old) worker.cancelAllJobs('the consumer was restarted');
    await Promise.all(old.map((worker) => worker.abandon()));
    this.#lastTakenMs = performance.now();
    this.#workers = this.#startWorkers();
  }
}

/** Gives a job that was taken while closing to another worker, and tells BullMQ so by throwing. */
async function putBack(job: Job, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

function isConnectionError(error: Error): boolean {
  return 'syscall' in error || /^(Connection is closed|Socket timeout|connect ETIMEDOUT)/.test(error.message);
}
