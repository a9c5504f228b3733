import type { DatabaseSync } from 'node:sqlite';
import { loadStatements } from './statements.ts';

/** No transaction changes many more messages than this. */
export const MOST_ROWS = 5_000;
/** The batches that one step reads. */
const PAGE = 256;

/**
 * A batch is settled when none of its messages is queued or sending. Operations that take messages out of
 * those states call `settleIfEmpty`. A leased batch is settled at its release. After a crash the sweep leases
 * and releases it.
 */
export interface BatchRow {
  id: number;
  first_seq: number;
  last_seq: number;
  worker: number | null;
  settled_at: number | null;
}

/** The result of a step, and the start of the next; null: it was the last. */
export interface StepDone {
  count: number;
  afterSeq: number | null;
}

/** The batches of the messages that one operation changes. */
export type TouchedBatches = ReturnType<BatchRecords['touched']>;
/** The batches that operations share. */
export type BatchRecords = ReturnType<typeof batchRecords>;

/** The operations on batches: find, walk, settle, make due. */
export function batchRecords(database: DatabaseSync) {
  const sql = loadStatements(database, new URL('./batches.sql', import.meta.url));

  function settleIfEmpty(batch: number, now: number): boolean {
    if (sql('settle_if_empty').run(batch, now).changes === 0) return false;
    sql('drop_holds').run(batch);
    return true;
  }

  return {
    settleIfEmpty,

    /**
     * Walks the batches of a campaign after `afterSeq`, in order, until `work` has changed `MOST_ROWS`
     * messages. It is one step of an operation that is too large for one transaction.
     */
    walk(
      { campaign, afterSeq }: { campaign: number; afterSeq: number },
      work: (batch: BatchRow) => number,
    ): StepDone {
      const page = sql('batches_after').all(campaign, afterSeq, PAGE) as unknown as BatchRow[];
      let count = 0;
      for (const batch of page) {
        if (count >= MOST_ROWS) return { count, afterSeq: batch.first_seq - 1 };
        count += work(batch);
      }
      return { count, afterSeq: page.length < PAGE ? null : (page.at(-1)?.first_seq ?? null) };
    },

    /** A batch, settled or not, has work from `dueAt` on. */
    makeDue(batch: number, dueAt: number): void {
      sql('make_due').run(batch, dueAt);
    },

    /** Ends all leases of the campaign, so that nothing more is claimed under them. */
    endLeases(campaign: number): void {
      sql('end_leases').run(campaign);
    },

    /** Collects the batches of messages that left or entered a state, for one check per batch at the end. */
    touched() {
      const rows = new Map<number, BatchRow>();
      let latest: { campaign: number; batch: BatchRow } | null = null;
      return {
        of(campaign: number, seq: number): BatchRow {
          if (latest !== null && latest.campaign === campaign && holds(latest.batch, seq))
            return latest.batch;
          const batch = sql('batch_of').get(campaign, seq) as BatchRow | undefined;
          if (batch === undefined) throw new RangeError(`message ${campaign}/${seq} is in no batch`);
          latest = { campaign, batch };
          rows.set(batch.id, batch);
          return batch;
        },
        settle(now: number): void {
          for (const row of rows.values()) if (row.worker === null) settleIfEmpty(row.id, now);
        },
      };
    },
  };
}

function holds({ first_seq: first, last_seq: last }: BatchRow, seq: number): boolean {
  return seq >= first && seq <= last;
}
