import type { Connection } from '../../connection.ts';
import type { BatchRelease, DueBatch, Lease, LeaseRequest, Release } from '../../contracts/sending.ts';
import type { BatchRecords } from '../planning/batches.ts';
import { type CampaignRecords, campaignFrom } from '../planning/campaigns.ts';
import { loadStatements } from '../../statements.ts';
import { flatMapInOrder } from '../../in-order.ts';

/** A batch with only messages in flight is read again after this; their verdicts usually settle it before. */
const IN_FLIGHT_WAIT_MS = 30_000;

type Leased = Pick<Lease, 'epoch' | 'firstSeq' | 'lastSeq'> & { campaign: number };

interface BatchState {
  epoch: number;
  dueAt: number;
  settled: 0 | 1;
}

/** The records that leases share with other operations. */
export interface LeaseRecords {
  campaigns: CampaignRecords;
  batches: BatchRecords;
}

/** Leases: at most one worker claims from a batch. The epoch tells a former worker that its lease is over. */
export function leaseOperations(database: Connection, { campaigns, batches }: LeaseRecords) {
  const sql = loadStatements(database, new URL('./leases.sql', import.meta.url));
  return {
    async dueBatches({ now, perCampaign }: { now: number; perCampaign: number }): Promise<DueBatch[]> {
      const running = await sql<{ n: number }>('running_campaigns').all();
      return await flatMapInOrder(
        running,
        async ({ n }) => await sql<DueBatch>('due_batches').all(n, now, perCampaign),
      );
    },

    async leaseBatch({ batch, epoch, worker, now, leaseMs }: LeaseRequest): Promise<Lease | null> {
      const leased = await sql<Leased>('lease_batch').get(batch, epoch, worker, now, leaseMs);
      if (leased === undefined) return null;
      await sql('add_hold').run(batch, worker);
      const campaign = campaignFrom(await campaigns.require(leased.campaign, { launched: true }));
      // A reminder after its day is useless; each slice skips such reminders once.
      if (campaign.settings.remind !== undefined)
        await sql('skip_late').run(leased.campaign, leased.firstSeq, leased.lastSeq, now);
      return { ...leased, campaign, batch, worker };
    },

    async releaseBatch({ batch, epoch, worker, now, restUntil = now }: BatchRelease): Promise<Release> {
      const { settled, ...present } = (await sql<BatchState>('batch').get(batch)) as BatchState;
      // The batch was reaped or released before, so the worker with the present lease decides.
      if ((await sql('end_lease').run(batch, epoch, worker)).changes === 0)
        return settled === 1 ? { settled: true } : { settled: false, ...present };
      if (await batches.settleIfEmpty(batch, now)) return { settled: true };
      await batches.dropIdleHolds(worker, batch);
      const times = [Math.max(now, restUntil), now + IN_FLIGHT_WAIT_MS];
      const { dueAt } = (await sql<BatchState>('set_due').get(batch, ...times)) as BatchState;
      return { settled: false, epoch, dueAt };
    },
  };
}
