import type { Connection } from '../../connection.ts';
import type { BatchRelease, DueBatch, Lease, LeaseRequest, Release } from '../../contracts/sending.ts';
import type { BatchRecords } from '../planning/batches.ts';
import { type CampaignRecords, campaignFrom } from '../planning/campaigns.ts';
import { loadStatements } from '../../statements.ts';
import { flatMapInOrder } from '../../in-order.ts';

/** Leases: at most one worker claims from a batch. The epoch tells a former worker that its lease is over. */

/** A batch with only messages in flight is read again after this; their verdicts usually settle it before. */
const IN_FLIGHT_WAIT_MS = 30_000;

interface BatchState {
  id: number;
  campaign: number;
  first_seq: number;
  last_seq: number;
  epoch: number;
  due_at: number;
  settled_at: number | null;
}

/** The records that leases share with other operations. */
export interface LeaseRecords {
  campaigns: CampaignRecords;
  batches: BatchRecords;
}

/** Leases (ledger/sending.ts): due batches, taking one, keeping it, giving it back. */
export function leaseOperations(database: Connection, { campaigns, batches }: LeaseRecords) {
  const sql = loadStatements(database, new URL('./leases.sql', import.meta.url));

  async function earliestQueued({
    campaign,
    first_seq: first,
    last_seq: last,
  }: BatchState): Promise<number | null> {
    return (await sql('earliest_queued').get(campaign, first, last))?.['due'] as number | null;
  }

  return {
    async dueBatches({ now, perCampaign }: { now: number; perCampaign: number }): Promise<DueBatch[]> {
      const running = (await sql('running_campaigns').all()) as unknown as {
        n: number;
        kind: DueBatch['kind'];
      }[];
      return await flatMapInOrder(running, async ({ n, kind }) => {
        const due = (await sql('due_batches').all(n, now, perCampaign)) as unknown as Omit<
          DueBatch,
          'kind'
        >[];
        return due.map((batch) => ({ ...batch, kind }));
      });
    },

    async leaseBatch({ batch, epoch, worker, now, leaseMs }: LeaseRequest): Promise<Lease | null> {
      const leased = (await sql('lease_batch').all(batch, epoch, worker, now, leaseMs))[0] as
        | { campaign: number; epoch: number; first_seq: number; last_seq: number }
        | undefined;
      if (leased === undefined) return null;
      await sql('add_hold').run(batch, worker);
      const campaign = campaignFrom(await campaigns.require(leased.campaign, { launched: true }));
      // A reminder after its day is useless; each slice skips such reminders once.
      if (campaign.settings.remind !== undefined)
        await sql('skip_late').run(leased.campaign, leased.first_seq, leased.last_seq, now);
      const { epoch: next, first_seq: firstSeq, last_seq: lastSeq } = leased;
      return { campaign, batch, epoch: next, worker, firstSeq, lastSeq };
    },

    async releaseBatch({ batch, epoch, worker, now, restUntil = now }: BatchRelease): Promise<Release> {
      const before = (await sql('batch').get(batch)) as unknown as BatchState;
      const mine = (await sql('end_lease').run(batch, epoch, worker)).changes === 1;
      if (!mine) {
        // The batch was reaped or released before, so the worker with the present lease decides.
        if (before.settled_at !== null) return { settled: true };
        return { settled: false, epoch: before.epoch, dueAt: before.due_at };
      }
      if (await batches.settleIfEmpty(batch, now)) return { settled: true };
      await sql('drop_idle_hold').run(batch, worker, before.campaign, before.first_seq, before.last_seq);
      const earliest = await earliestQueued(before);
      const dueAt = Math.max(
        restUntil,
        earliest === null ? now + IN_FLIGHT_WAIT_MS : Math.max(now, earliest),
      );
      await sql('set_due').run(batch, dueAt);
      return { settled: false, epoch, dueAt };
    },
  };
}
