import type { Lease, Release } from '../../ledger/sending.ts';
import type { SendingWorker } from './sending-worker.ts';
import { SWEEP_MS } from '../maintenance/sweep.ts';

const RELEASE_RETRY_MS = 500;

/**
 * Ends a lease and, when there is work left that is due soon, puts the batch back into the queue. `rests`: no process takes
 * it before `waitMs` have passed.
 */
export async function giveBack(
  worker: SendingWorker,
  lease: Lease,
  { waitMs, rests }: { waitMs: number; rests: boolean },
): Promise<void> {
  const { env } = worker;
  const release = await released(worker, lease, rests ? waitMs : 0);
  if (release === null || worker.stopping.aborted) return;
  // The next batch may take its place, even while the last verdicts of this one are under way.
  worker.wakeSweep();
  if (release.settled) return;
  const delayMs = Math.max(waitMs, release.dueAt - env.clock.now(), 0);
  // The sweep finds what is due later: Redis is not asked to remember anything for long.
  if (delayMs > SWEEP_MS) return;
  const job = { batch: lease.batch, epoch: release.epoch, kind: lease.campaign.kind, delayMs };
  // If Redis does not answer, the sweep finds the batch.
  await env.queue.add([job]).catch(() => undefined);
}

/**
 * Ends the lease, however long the ledger is locked or full, because the heartbeats of this process would prolong a
 * forgotten lease. Null: the process stops, and its retirement ends the lease.
 */
async function released(
  worker: SendingWorker,
  { batch, epoch }: Lease,
  restMs: number,
): Promise<Release | null> {
  const { clock, ledger, log } = worker.env;
  for (;;) {
    try {
      const now = clock.now();
      return await ledger.releaseBatch({ batch, epoch, now, restUntil: now + restMs });
    } catch (error) {
      log.warn({ batch, error: String(error) }, 'the ledger does not take a batch back: trying again');
      if (worker.stopping.aborted) return null;
      await clock.sleep(RELEASE_RETRY_MS, worker.stopping);
    }
  }
}
