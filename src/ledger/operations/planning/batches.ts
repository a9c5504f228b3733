import { changeEach, type Connection, runEach } from '../../connection.ts';
import { type Sql, loadStatements } from '../../statements.ts';

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
  after: number | null;
}

/** The batches that operations share. */
export type BatchRecords = ReturnType<typeof batchRecords>;

/** The operations on batches: find, walk, settle, make due. */
export function batchRecords(database: Connection) {
  const sql = loadStatements(database, new URL('./batches.sql', import.meta.url));

  /** Settles those of the batches that can be. Returns how many. */
  async function settleEmpty(batches: readonly number[], now: number): Promise<number> {
    const settled = await runEach(sql('settle_if_empty'), batches, (batch) => [batch, now]);
    if (settled > 0) await runEach(sql('drop_holds'), batches, (batch) => [batch]);
    return settled;
  }

  return {
    settleEmpty,

    async settleIfEmpty(batch: number, now: number): Promise<boolean> {
      return (await settleEmpty([batch], now)) === 1;
    },

    /**
     * Walks the batches of a campaign after `after`, in order, until `work` has changed `MOST_ROWS`
     * messages. It is one step of an operation that is too large for one transaction.
     */
    async walk(
      { campaign, after }: { campaign: number; after: number },
      work: (batch: BatchRow) => Promise<number>,
    ): Promise<StepDone> {
      const page = await sql<BatchRow>('batches_after').all(campaign, after, PAGE);
      let count = 0;
      for (const batch of page) {
        if (count >= MOST_ROWS) return { count, after: batch.first_seq - 1 };
        count += await work(batch);
      }
      return { count, after: page.length < PAGE ? null : (page.at(-1)?.first_seq ?? null) };
    },

    /** A batch, settled or not, has work from `dueAt` on. */
    async makeDue(batch: number, dueAt: number): Promise<void> {
      await sql('make_due').run(batch, dueAt);
    },

    /** The same for many batches: the time of each. */
    async makeEachDue(dueAt: ReadonlyMap<number, number>): Promise<void> {
      await changeEach(sql('make_due'), [...dueAt]);
    },

    /** A worker holds those no more in which it has nothing in flight: of one batch, or of all (null). */
    async dropIdleHolds(worker: number, batch: number | null): Promise<void> {
      await sql('drop_idle_holds').run(worker, batch);
    },

    /** Ends all leases of the campaign, so that nothing more is claimed under them. */
    async endLeases(campaign: number): Promise<void> {
      await sql('end_leases').run(campaign);
    },

    /** Collects the batches of messages that left or entered a state, for one check per batch at the end. */
    touched: () => new TouchedBatches(sql, settleEmpty),
  };
}

/** The batches of the messages that one operation changes. */
export class TouchedBatches {
  readonly #sql: Sql;
  readonly #settleEmpty: (batches: number[], now: number) => Promise<number>;
  readonly #touched: { campaign: number; batch: BatchRow }[] = [];

  constructor(sql: Sql, settleEmpty: (batches: number[], now: number) => Promise<number>) {
    this.#sql = sql;
    this.#settleEmpty = settleEmpty;
  }

  /** Reads the batches of these messages. It costs a statement a batch, because most messages are of few batches. */
  async add(messages: Iterable<{ campaign: number; seq: number }>): Promise<void> {
    for (const { campaign, seq } of messages) {
      if (this.#find(campaign, seq) !== null) continue;
      const batch = await this.#sql<BatchRow>('batch_of').get(campaign, seq);
      if (batch === undefined) throw new RangeError(`message ${campaign}/${seq} is in no batch`);
      this.#touched.push({ campaign, batch });
    }
  }

  /** The batch of a message that was added. */
  batch(campaign: number, seq: number): BatchRow {
    const batch = this.#find(campaign, seq);
    if (batch === null) throw new Error(`the batch of message ${campaign}/${seq} was not read`);
    return batch;
  }

  async of(campaign: number, seq: number): Promise<BatchRow> {
    await this.add([{ campaign, seq }]);
    return this.batch(campaign, seq);
  }

  /** Settles those that nobody holds and that have no message waiting or in flight. */
  async settle(now: number): Promise<void> {
    const free = this.#touched.filter(({ batch }) => batch.worker === null);
    await this.#settleEmpty(
      free.map(({ batch }) => batch.id),
      now,
    );
  }

  #find(campaign: number, seq: number): BatchRow | null {
    for (let index = this.#touched.length - 1; index >= 0; index -= 1) {
      const known = this.#touched[index];
      if (known?.campaign === campaign && holds(known.batch, seq)) return known.batch;
    }
    return null;
  }
}

function holds({ first_seq: first, last_seq: last }: BatchRow, seq: number): boolean {
  return seq >= first && seq <= last;
}
