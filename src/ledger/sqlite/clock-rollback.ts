import type { DatabaseSync } from 'node:sqlite';
import { loadStatements } from './statements.ts';

/*
 * A clock that was ahead and is set right leaves due times, leases, verdicts and signs of life in the future: messages that
 * wait for a second would wait for hours, and a dead worker would look alive as long.
 */

/** Times further ahead of now were written by a clock that has been set back since. Corrections of seconds are usual. */
export const SET_BACK_MS = 60_000;
/** No back-off is longer, unless the job's own is. */
const LONGEST_WAIT_MS = 600_000;

/** The times of a clock that was ahead (ledger.ts): looked for, and put right in one transaction. */
export function clockRollbackOperations(
  database: DatabaseSync,
  { schedulesSetBack }: { schedulesSetBack: (now: number) => void },
) {
  const sql = loadStatements(database, new URL('./clock-rollback.sql', import.meta.url));

  function isClockAhead(now: number): boolean {
    return sql('ahead').get(now + SET_BACK_MS) !== undefined;
  }

  return {
    /** Whether signs of life or launches come from the future. */
    isClockAhead,
    /** Looks again: a process that was frozen before it asked takes workers that lived on for ahead. */
    setClockBack(now: number): void {
      if (!isClockAhead(now)) return;
      sql('free_messages').run(now, LONGEST_WAIT_MS);
      sql('bring_forward').run(now);
      sql('shorten_leases').run(now);
      schedulesSetBack(now);
      sql('age_launches').run(now, now - SET_BACK_MS);
      sql('age_claims').run(now, now - SET_BACK_MS);
      sql('age_uncertain').run(now);
      sql('age_canaries').run(now);
      sql('age_workers').run(now);
    },
  };
}
