import type { CampaignKind } from '../domain/campaign.ts';

/**
 * The queue is a hint that a batch may have work. It holds ids only, and it may lose everything at any
 * moment: the sweep puts back what the ledger knows. A job's id is `b-<batch>-<epoch>`: adding one that is
 * there is a no-op, and an epoch that has passed makes the job do nothing.
 */
export interface Queue {
  /** Adds jobs, and ignores jobs that are already there. Rejects when Redis does not answer. */
  add(jobs: BatchJob[]): Promise<void>;
  /** Jobs waiting, delayed or active, as Redis says. */
  size(): Promise<number>;
  /**
   * Starts to take jobs: at most `slots` of each kind at a time, so that a small transactional campaign never
   * waits behind a large promotional one.
   */
  consume(handler: (job: TakenJob) => Promise<void>, options: { slots: number }): Consumer;
  close(): Promise<void>;
}

/** A batch to be offered to the workers. */
export interface BatchJob {
  batch: number;
  epoch: number;
  kind: CampaignKind;
  /** Zero: at once. */
  delayMs: number;
}

/** A job as it came from Redis: checked for its shape, not for its truth (the ledger decides). */
export interface TakenJob {
  batch: number;
  epoch: number;
  /** Aborted when the queue's lock on the job was lost: stop claiming for this batch. */
  signal: AbortSignal;
}

/** The workers of this process that take jobs. */
export interface Consumer {
  /** Milliseconds (monotonic) since a job was last taken. */
  idleMs(): number;
  /** Throws the consumers away and makes new ones: the watchdog's remedy against one that never wakes. */
  restart(): Promise<void>;
  /** Takes no new job; resolves when the handlers in progress have returned. */
  close(): Promise<void>;
}

/** The part of the log that the queue writes to. */
export interface QueueLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
