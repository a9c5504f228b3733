import { type Connection, runEach } from '../../connection.ts';
import { CLOCK_AHEAD_MS } from '../../../domain/protocol-times.ts';
import { loadStatements } from '../../statements.ts';

/*
 * A clock that ran ahead leaves due times, leases, verdicts and heartbeats in the future. After its
 * correction messages would wait for hours instead of a second, and a dead worker would look alive.
 */

/** The longest back-off, unless the job sets a longer one. */
const LONGEST_WAIT_MS = 600_000;

/** The times of a clock that ran ahead (contracts/ledger.ts): found, and corrected in one transaction. */
export function clockRollbackOperations(
  database: Connection,
  { schedulesSetBack }: { schedulesSetBack: (now: number) => Promise<void> },
) {
  const sql = loadStatements(database, new URL('./clock-rollback.sql', import.meta.url));

  async function isClockAhead(now: number): Promise<boolean> {
    return (await sql('ahead').get(now + CLOCK_AHEAD_MS)) !== undefined;
  }

  return {
    /** True: heartbeats or launches come from the future. */
    isClockAhead,
    /** Checks again, because a process that froze before its check may see living workers as ahead. */
    async setClockBack(now: number): Promise<void> {
      if (!(await isClockAhead(now))) return;
      await sql('free_messages').run(now, LONGEST_WAIT_MS);
      await sql('bring_forward').run(now);
      await sql('shorten_leases').run(now);
      await schedulesSetBack(now);
      await sql('age_launches').run(now, now - CLOCK_AHEAD_MS);
      await sql('age_claims').run(now);
      const ahead = await sql('settled_ahead').all(now);
      await runEach(sql('age_message'), ahead, ({ campaign, seq }) => [Number(campaign), Number(seq), now]);
      await sql('age_workers').run(now);
    },
  };
}
