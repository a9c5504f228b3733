import type { DatabaseSync } from 'node:sqlite';
import type { BatchRelease, DueBatch, Lease, LeaseRequest, Release } from '../sending.ts';
import type { BatchRecords } from './batches.ts';
import { type CampaignRecords, campaignFrom } from './campaigns.ts';
import { loadStatements } from './statements.ts';

/** Leases: at most one worker claims from a batch. The epoch tells a former worker that its lease is over. */

/** A batch with only messages in flight is read again after this; their verdicts usually settle it before. */
const IN_FLIGHT_WAIT_MS = 30_000;

interface BatchState {
  id: number;
  campaign: number;
  first_seq: number;
  last_seq: number;
  epoch: number;
  worker: number | null;
  due_at: number;
  settled_at: number | null;
}

/** The records that leases share with other operations. */
export interface LeaseRecords {
  campaigns: CampaignRecords;
  batches: BatchRecords;
}

/** Leases (ledger/sending.ts): due batches, taking one, keeping it, giving it back. */
export function leaseOperations(database: DatabaseSync, { campaigns, batches }: LeaseRecords) {
  const sql = loadStatements(database, new URL('./leases.sql', import.meta.url));

  function earliestQueued({ campaign, first_seq: first, last_seq: last }: BatchState): number | null {
    return sql('earliest_queued').get(campaign, first, last)?.['due'] as number | null;
  }

  return {
    dueBatches({ now, perCampaign }: { now: number; perCampaign: number }): DueBatch[] {
      const running = sql('running_campaigns').all() as unknown as { n: number; kind: DueBatch['kind'] }[];
      return running.flatMap(({ n, kind }) => {
        const due = sql('due_batches').all(n, now, perCampaign) as unknown as Omit<DueBatch, 'kind'>[];
        return due.map((batch) => ({ ...batch, kind }));
      });
    },

    leaseBatch({ batch, epoch, worker, now, leaseMs }: LeaseRequest): Lease | null {
      const leased = sql('lease_batch').all(batch, epoch, worker, now, leaseMs)[0] as
        | { campaign: number; epoch: number; first_seq: number; last_seq: number }
        | undefined;
      if (leased === undefined) return null;
      sql('add_hold').run(batch, worker);
      const campaign = campaignFrom(campaigns.require(leased.campaign, { launched: true }));
      // A reminder after its day is useless; each slice skips such reminders once.
      if (campaign.settings.remind !== undefined)
        sql('skip_late').run(leased.campaign, leased.first_seq, leased.last_seq, now);
      return { campaign, batch, epoch: leased.epoch, firstSeq: leased.first_seq, lastSeq: leased.last_seq };
    },

    releaseBatch({ batch, epoch, now, restUntil = now }: BatchRelease): Release {
      const before = sql('batch').get(batch) as unknown as BatchState;
      const mine = sql('end_lease').run(batch, epoch).changes === 1;
      if (!mine) {
        // The batch was reaped or released before, so the worker with the present lease decides.
        if (before.settled_at !== null) return { settled: true };
        return { settled: false, epoch: before.epoch, dueAt: before.due_at };
      }
      if (batches.settleIfEmpty(batch, now)) return { settled: true };
      sql('drop_idle_hold').run(batch, before.worker, before.campaign, before.first_seq, before.last_seq);
      const earliest = earliestQueued(before);
      const dueAt = Math.max(
        restUntil,
        earliest === null ? now + IN_FLIGHT_WAIT_MS : Math.max(now, earliest),
      );
      sql('set_due').run(batch, dueAt);
      return { settled: false, epoch, dueAt };
    },
  };
}
