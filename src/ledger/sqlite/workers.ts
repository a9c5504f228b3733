import type { DatabaseSync } from 'node:sqlite';
import type { RegisteredWorker, WorkerIdentity } from '../records.ts';
import { type BatchRecords, MOST_ROWS } from './batches.ts';
import type { MoneyRecords } from './money.ts';
import { prepareStatements } from './statements.ts';

/** Worker processes: their signs of life, and what becomes of their messages when they are gone. */

interface HeldBatch {
  id: number;
  campaign: number;
  first_seq: number;
  last_seq: number;
}

export interface WorkerRecords {
  batches: BatchRecords;
  money: MoneyRecords;
}

export function workerOperations(database: DatabaseSync, { batches, money }: WorkerRecords) {
  const sql = prepareStatements(database, new URL('./workers.sql', import.meta.url), [
    'register_worker',
    'heartbeat',
    'prolong_leases',
    'end_worker',
    'leased_batches',
    'end_leases',
    'other_workers',
    'held_batches',
    'still_sending',
    'drop_hold',
    'reap_messages',
  ]);

  function endLeases(worker: number, now: number): void {
    const leased = sql.leased_batches.all(worker).map((row) => Number(row['id']));
    sql.end_leases.run(worker, now);
    for (const batch of leased) batches.settleIfEmpty(batch, now);
  }

  function heldBatches(worker: number): HeldBatch[] {
    return sql.held_batches.all(worker) as unknown as HeldBatch[];
  }

  function reapBatch({ batch, worker, now }: { batch: HeldBatch; worker: number; now: number }): number {
    const books = money.openBooks();
    const { id, campaign, first_seq: first, last_seq: last } = batch;
    const reaped = sql.reap_messages.all(campaign, first, last, worker, now) as { reserved: number }[];
    for (const { reserved } of reaped) {
      const entry = books.of(campaign);
      entry.inFlight -= 1;
      entry.campaignReserved -= reserved;
      entry.campaignSpent += reserved;
    }
    books.post(now);
    sql.drop_hold.run(worker, id);
    batches.settleIfEmpty(id, now);
    return reaped.length;
  }

  return {
    registerWorker({ identity, now }: { identity: WorkerIdentity; now: number }): number {
      const { bootId, pidNamespace, pid, startTicks, roles } = identity;
      const { lastInsertRowid } = sql.register_worker.run(bootId, pidNamespace, pid, startTicks, roles, now);
      return Number(lastInsertRowid);
    },

    heartbeat({ worker, now }: { worker: number; now: number }): boolean {
      if (sql.heartbeat.run(worker, now).changes === 0) return false;
      sql.prolong_leases.run(worker, now);
      return true;
    },

    retireWorker({ worker, now }: { worker: number; now: number }): void {
      sql.end_worker.run(worker, now, 0);
      endLeases(worker, now);
      for (const { id, campaign, first_seq: first, last_seq: last } of heldBatches(worker)) {
        if (sql.still_sending.get(campaign, first, last, worker) === undefined) sql.drop_hold.run(worker, id);
      }
    },

    otherWorkers(except: number | null): RegisteredWorker[] {
      return sql.other_workers.all(except).map((row) => ({
        worker: Number(row['id']),
        bootId: String(row['boot_id']),
        pidNamespace: String(row['pid_namespace']),
        pid: Number(row['pid']),
        startTicks: String(row['start_ticks']),
        roles: String(row['roles']),
        heartbeatAt: Number(row['heartbeat_at']),
      }));
    },

    /**
     * First the worker's leases end, so that it can claim nothing more; then its batches are gone through. Answers how
     * many messages became uncertain and whether batches are left. After a crash in between, `otherWorkers` still names
     * the worker, and reaping it again goes on.
     */
    reapChunk({ worker, now }: { worker: number; now: number }): { count: number; done: boolean } {
      sql.end_worker.run(worker, now, 1);
      endLeases(worker, now);
      let count = 0;
      for (const batch of heldBatches(worker)) {
        if (count >= MOST_ROWS) return { count, done: false };
        count += reapBatch({ batch, worker, now });
      }
      return { count, done: true };
    },
  };
}
