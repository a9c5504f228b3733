import type { DatabaseSync } from 'node:sqlite';
import { MOST_ROWS } from './batches.ts';
import { prepareStatements } from './statements.ts';

/**
 * A clock that was ahead and is set right leaves due times, leases, verdicts and signs of life in the future: what waits for a
 * second would wait for hours, and a dead worker would look alive as long. The ledger sees it by the signs of life, and by when
 * such times were written.
 */

/**
 * What lies further ahead of now was written by a clock that has been set back since. Clocks are corrected by seconds all the
 * time; this is less than any wait that people would notice.
 */
export const SET_BACK_MS = 60_000;
/** No back-off is longer, unless the job's own is. What a network holds for longer is held again by the next claim. */
const LONGEST_WAIT_MS = 600_000;

interface OpenBatch {
  id: number;
  campaign: number;
  first_seq: number;
  last_seq: number;
  most_ms: number;
}

/** Before the first batch. */
const BEGIN = 0;

/** One step of putting the times right, in milliseconds. */
export interface SetBackStep {
  /** Taken after the answer to the step before. */
  now: number;
  /** What that answer was; null at the beginning. */
  after: number | null;
}

/** The times of a clock that was ahead (ledger.ts): looked for, and put right batch by batch. */
export function clockRollbackOperations(
  database: DatabaseSync,
  { schedulesSetBack }: { schedulesSetBack: (now: number) => void },
) {
  const sql = prepareStatements(database, new URL('./clock-rollback.sql', import.meta.url), [
    'ahead',
    'next_batch',
    'free_messages',
    'bring_forward',
    'shorten_leases',
    'age_launches',
    'age_claims',
    'age_uncertain',
    'age_canaries',
    'age_workers',
    'age_sign',
  ]);

  function putRight(
    { id, campaign, first_seq: first, last_seq: last, most_ms: mostMs }: OpenBatch,
    now: number,
  ) {
    const latest = now + Math.max(LONGEST_WAIT_MS, mostMs);
    sql.free_messages.run(campaign, first, last, now, latest);
    sql.bring_forward.run(id, now);
    return last - first + 1;
  }

  return {
    /**
     * Answers where to go on; null: all is right. The first step only looks: a process that was frozen has asked long
     * before it is answered, and takes those for ahead that lived on. The second has a `now` of after that, and looks
     * again. The signs of life come last, so that a crash in between is made good.
     */
    setBackStep({ now, after }: SetBackStep): number | null {
      if ((after ?? BEGIN) === BEGIN && sql.ahead.get(now + SET_BACK_MS) === undefined) return null;
      if (after === null) return BEGIN;
      let done = after;
      for (let rows = 0; rows < MOST_ROWS; ) {
        const batch = sql.next_batch.get(done) as unknown as OpenBatch | undefined;
        if (batch === undefined) {
          sql.shorten_leases.run(now);
          schedulesSetBack(now);
          sql.age_launches.run(now, now - SET_BACK_MS);
          sql.age_claims.run(now, now - SET_BACK_MS);
          sql.age_uncertain.run(now);
          sql.age_canaries.run(now);
          sql.age_workers.run(now);
          sql.age_sign.run(now);
          return null;
        }
        rows += putRight(batch, now);
        done = batch.id;
      }
      return done;
    },
  };
}
