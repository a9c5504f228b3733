import type { BatchJob, Queue } from '../../src/queue/queue.ts';
import { waitFor } from './wait-for.ts';

/** A promotional job that is due now. */
export const jobOf = (batch: number): BatchJob => ({ batch, epoch: 1, kind: 'promotional', delayMs: 0 });

/**
 * Adds as the sweep does, again and again until it is taken. The batch may run more than
 * once, for a job that is done may be added again: where the runs are counted, add once and wait.
 */
export async function addUntilTaken(queue: Queue, batches: readonly number[], batch: number): Promise<void> {
  const taken = async () => {
    await queue.add([jobOf(batch)]);
    return batches.includes(batch);
  };
  await waitFor(taken, { what: `batch ${batch} to be taken` });
}
