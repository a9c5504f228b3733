import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'bullmq';

const GRACE_MS = 3_000;

/**
 * Closes a BullMQ worker, also when Redis is away: there its own `close()` waits for ever. After `handlersDone` it has
 * 3 s to mark its jobs as done; with 'now' it has no time at all and the jobs in progress lose their lock.
 */
export async function closeWorker(worker: Worker, handlersDone: Promise<void> | 'now'): Promise<void> {
  const closed = worker.close(handlersDone === 'now');
  const isInTime = await Promise.race([closed.then(() => true), patience(handlersDone)]);
  if (isInTime) return;
  // Tearing down the connections makes everything that waits for Redis fail, so that close() comes to its end.
  await worker.getBackend().close(true);
  await Promise.race([closed, sleep(GRACE_MS, undefined, { ref: false })]);
}

async function patience(handlersDone: Promise<void> | 'now'): Promise<false> {
  if (handlersDone !== 'now') await handlersDone;
  return sleep(GRACE_MS, false as const, { ref: false });
}
