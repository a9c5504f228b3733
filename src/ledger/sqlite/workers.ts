import type { DatabaseSync } from 'node:sqlite';
import type { Outage } from '../../domain/pace/outage.ts';
import type { PauseReason } from '../../domain/campaign.ts';
import { CUT_OFF_MS } from '../../domain/protocol-times.ts';
import type { RegisteredWorker, WorkerRegistration } from '../records.ts';
import type { AttemptRef } from '../sending.ts';
import type { BatchRecords } from './batches.ts';
import type { OpenTotals } from './running-totals.ts';
import type { MessageIds } from './message-ids.ts';
import { type Sql, loadStatements } from './statements.ts';

/** A resting batch is due again within this time, unless the job's own back-off is longer. */
const LONGEST_REST_MS = 600_000;

interface HeldBatch {
  id: number;
  campaign: number;
  first_seq: number;
  last_seq: number;
}

interface OneWorker {
  worker: number;
  now: number;
}

interface DeadWorker extends OneWorker {
  /** A person has accepted the loss, so campaigns need no pause. */
  isAccepted?: boolean;
}

interface CutOff {
  campaign: number;
  sign: number;
}

type Pause = (change: {
  campaign: number;
  reason: PauseReason;
  cutOffAt: number;
  now: number;
  by: string;
}) => boolean;

/** The records that workers share with other operations. */
export interface WorkerRecords {
  batches: BatchRecords;
  openTotals: OpenTotals;
  ids: MessageIds;
  pause: Pause;
}

interface Context extends WorkerRecords {
  sql: Sql;
}

/** Workers (ledger.ts): registered, alive, gone, and reaped when dead. */
export function workerOperations(database: DatabaseSync, records: WorkerRecords) {
  const sql = loadStatements(database, new URL('./workers.sql', import.meta.url));
  const context = { sql, ...records };
  return {
    registerWorker({ identity, now }: { identity: WorkerRegistration; now: number }): number {
      const { bootId, pidNamespace, pid, startTicks, roles, lock = null } = identity;
      const registered = sql('register_worker').get(bootId, pidNamespace, pid, startTicks, roles, now, lock);
      return Number(registered?.['id']);
    },
    heartbeat({ worker, now, outage }: OneWorker & { outage: Outage | null }): boolean {
      const ill = [outage?.since ?? null, outage?.nextTryAt ?? null];
      if (sql('heartbeat').run(worker, now, ...ill).changes === 0) return false;
      sql('prolong_leases').run(worker, now);
      return true;
    },
    retireWorker: (ended: OneWorker) => retireWorker(context, ended),
    otherWorkers: (except: number | null) =>
      sql('other_workers').all(except) as unknown as RegisteredWorker[],
    stillSending: (worker: number) => sql('all_sending').all(worker) as unknown as AttemptRef[],
    reap: (dead: DeadWorker) => reap(context, dead),
  };
}

function retireWorker(context: Context, { worker, now }: OneWorker): void {
  const { sql } = context;
  sql('end_worker').run(worker, now, 0);
  endLeases(context, { worker, now });
  for (const { id, campaign, first_seq: first, last_seq: last } of heldBatches(context, worker)) {
    if (sql('still_sending').get(campaign, first, last, worker) === undefined)
      sql('drop_hold').run(worker, id);
  }
  // Ids of two messages must show now, because no later process may come.
  context.ids.putFresh();
}

/**
 * Pauses cut-off campaigns and ends the worker, in one commit, so that no claim comes between. Returns the
 * number of messages that became uncertain.
 */
function reap(context: Context, dead: DeadWorker): number {
  const { worker, now } = dead;
  if (dead.isAccepted !== true) pauseCutOff(context, dead);
  context.sql('end_worker').run(worker, now, 1);
  context.sql('renew_epochs').run();
  endLeases(context, { worker, now });
  let count = 0;
  for (const batch of heldBatches(context, worker)) count += reapBatch(context, batch, { worker, now });
  return count;
}

/** A machine that was restored from a copy may have sent more than its ledger knows. */
function pauseCutOff({ sql, pause }: Context, { worker, now }: OneWorker): void {
  const cutOff = sql('cut_off').all(worker, now - CUT_OFF_MS, LONGEST_REST_MS) as unknown as CutOff[];
  for (const { campaign, sign } of cutOff)
    pause({ campaign, reason: 'start', cutOffAt: sign, now, by: 'reaper' });
}

function reapBatch(
  { sql, batches, openTotals }: Context,
  batch: HeldBatch,
  { worker, now }: OneWorker,
): number {
  const totals = openTotals();
  const { id, campaign, first_seq: first, last_seq: last } = batch;
  const reaped = sql('reap_messages').all(campaign, first, last, worker, now) as { reserved: number }[];
  for (const { reserved } of reaped) {
    const entry = totals.of(campaign);
    entry.inFlight -= 1;
    entry.campaignReserved -= reserved;
    entry.campaignSpent += reserved;
  }
  totals.post(now);
  sql('drop_hold').run(worker, id);
  batches.settleIfEmpty(id, now);
  return reaped.length;
}

function endLeases({ sql, batches }: Context, { worker, now }: OneWorker): void {
  const leased = sql('leased_batches')
    .all(worker)
    .map((row) => Number(row['id']));
  sql('end_leases').run(worker, now);
  for (const batch of leased) batches.settleIfEmpty(batch, now);
}

function heldBatches({ sql }: Context, worker: number): HeldBatch[] {
  return sql('held_batches').all(worker) as unknown as HeldBatch[];
}
