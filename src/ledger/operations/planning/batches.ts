import type { Connection } from '../../connection.ts';
import { loadStatements } from '../../statements.ts';

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
export function batchRecords(database: Connection) {
  const sql = loadStatements(database, new URL('./batches.sql', import.meta.url));

  async function settleIfEmpty(batch: number, now: number): Promise<boolean> {
    if ((await sql('settle_if_empty').run(batch, now)).changes === 0) return false;
    await sql('drop_holds').run(batch);
    return true;
  }

  return {
    settleIfEmpty,

    /**
     * Walks the batches of a campaign after `afterSeq`, in order, until `work` has changed `MOST_ROWS`
     * messages. It is one step of an operation that is too large for one transaction.
     */
    async walk(
      { campaign, afterSeq }: { campaign: number; afterSeq: number },
      work: (batch: BatchRow) => Promise<number>,
    ): Promise<StepDone> {
      const page = (await sql('batches_after').all(campaign, afterSeq, PAGE)) as unknown as BatchRow[];
      let count = 0;
      for (const batch of page) {
        if (count >= MOST_ROWS) return { count, afterSeq: batch.first_seq - 1 };
        count += await work(batch);
      }
      return { count, afterSeq: page.length < PAGE ? null : (page.at(-1)?.first_seq ?? null) };
    },

    /** A batch, settled or not, has work from `dueAt` on. */
    async makeDue(batch: number, dueAt: number): Promise<void> {
      await sql('make_due').run(batch, dueAt);
    },

    /** Ends all leases of the campaign, so that nothing more is claimed under them. */
    async endLeases(campaign: number): Promise<void> {
      await sql('end_leases').run(campaign);
    },

    /** Collects the batches of messages that left or entered a state, for one check per batch at the end. */
    touched() {
      const rows = new Map<number, BatchRow>();
      let latest: { campaign: number; batch: BatchRow } | null = null;
      return {
        async of(campaign: number, seq: number): Promise<BatchRow> {
          if (latest !== null && latest.campaign === campaign && holds(latest.batch, seq))
            return latest.batch;
          const batch = (await sql('batch_of').get(campaign, seq)) as BatchRow | undefined;
          if (batch === undefined) throw new RangeError(`message ${campaign}/${seq} is in no batch`);
          latest = { campaign, batch };
          rows.set(batch.id, batch);
          return batch;
        },
        async settle(now: number): Promise<void> {
          for (const row of rows.values()) if (row.worker === null) await settleIfEmpty(row.id, now);
        },
      };
    },
  };
}

function holds({ first_seq: first, last_seq: last }: BatchRow, seq: number): boolean {
  return seq >= first && seq <= last;
}
