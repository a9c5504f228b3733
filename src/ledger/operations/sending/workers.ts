import type { Connection } from '../../connection.ts';
import type { Outage } from '../../../domain/pace/outage.ts';
import type { PauseReason } from '../../../domain/campaign.ts';
import { CUT_OFF_MS } from '../../../domain/protocol-times.ts';
import type { RegisteredWorker, WorkerRegistration } from '../../contracts/records.ts';
import type { AttemptRef } from '../../contracts/sending.ts';
import type { BatchRecords } from '../planning/batches.ts';
import type { OpenTotals } from './running-totals.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

/** A resting batch is due again within this time, unless the job's own back-off is longer. */
const LONGEST_REST_MS = 600_000;

interface HeldBatch {
  id: number;
  campaign: number;
  first: number;
  last: number;
}

/** The records that workers share with other operations. */
export interface WorkerRecords {
  batches: BatchRecords;
  openTotals: OpenTotals;
  pause: (
    campaign: number,
    change: { reason: PauseReason; cutOffAt: number; now: number; by: string },
  ) => Promise<boolean>;
}

interface Context extends WorkerRecords {
  sql: Sql;
}

/** Workers (contracts/ledger.ts): registered, alive, gone, and reaped when dead. */
export function workerOperations(database: Connection, records: WorkerRecords) {
  const sql = loadStatements(database, new URL('./workers.sql', import.meta.url));
  const context = { sql, ...records };
  return {
    async registerWorker(identity: WorkerRegistration, now: number): Promise<number> {
      const { bootId, pidNamespace, pid, startTicks, roles, lock = null } = identity;
      const process = [bootId, pidNamespace, pid, startTicks];
      const registered = await sql('register_worker').get(...process, roles, now, lock);
      return Number(registered?.['id']);
    },
    heartbeat: operation(
      { gate: 'needs this schema' },
      async (worker: number, now: number, outage: Outage | null = null) => {
        const ill = [outage?.since ?? null, outage?.nextTryAt ?? null];
        if ((await sql('heartbeat').run(worker, now, ...ill)).changes === 0) return false;
        await sql('prolong_leases').run(worker, now);
        return true;
      },
    ),
    async retireWorker(worker: number, now: number): Promise<void> {
      await sql('end_worker').run(worker, now, 0);
      await endLeases(context, worker, now);
      await records.batches.dropIdleHolds(worker, null);
    },
    otherWorkers: async (except: number | null) => await sql<RegisteredWorker>('other_workers').all(except),
    stillSending: async (worker: number) => await sql<AttemptRef>('all_sending').all(worker),
    /**
     * Pauses cut-off campaigns and ends the worker, in one commit, so that no claim comes between. `isAccepted`: a person
     * has accepted the loss, so campaigns need no pause. Returns the number of messages that became uncertain.
     */
    async reap(worker: number, now: number, isAccepted = false): Promise<number> {
      if (!isAccepted) await pauseCutOff(context, worker, now);
      await sql('end_worker').run(worker, now, 1);
      await sql('renew_epochs').run();
      await endLeases(context, worker, now);
      const held = await sql<HeldBatch>('held_batches').all(worker);
      const count = await reapMessages(context, held, { worker, now });
      await records.batches.dropIdleHolds(worker, null);
      await records.batches.settleEmpty(
        held.map(({ id }) => id),
        now,
      );
      return count;
    },
  };
}

/** A machine that was restored from a copy may have sent more than its ledger knows. */
async function pauseCutOff({ sql, pause }: Context, worker: number, now: number): Promise<void> {
  type CutOff = { campaign: number; sign: number };
  const cutOff = await sql<CutOff>('cut_off').all(worker, now - CUT_OFF_MS, LONGEST_REST_MS);
  for (const { campaign, sign } of cutOff)
    await pause(campaign, { reason: 'start', cutOffAt: sign, now, by: 'reaper' });
}

async function reapMessages(
  { sql, openTotals }: Context,
  held: readonly HeldBatch[],
  { worker, now }: { worker: number; now: number },
): Promise<number> {
  const totals = openTotals();
  let count = 0;
  for (const { campaign, first, last } of held) {
    const reaped = await sql<{ reserved: number }>('reap_messages').all(campaign, first, last, worker, now);
    const sum = reaped.reduce((total, { reserved }) => total + reserved, 0);
    const entry = await totals.of(campaign);
    entry.inFlight -= reaped.length;
    entry.campaignReserved -= sum;
    entry.campaignSpent += sum;
    count += reaped.length;
  }
  await totals.post(now);
  return count;
}

async function endLeases({ sql, batches }: Context, worker: number, now: number): Promise<void> {
  const ended = await sql<{ id: number }>('end_leases').all(worker, now);
  await batches.settleEmpty(
    ended.map(({ id }) => id),
    now,
  );
}
