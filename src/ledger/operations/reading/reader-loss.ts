import type { Connection } from '../../connection.ts';
import type { AcceptedLoss } from '../../contracts/stale-ledger.ts';
import { loadStatements } from '../../statements.ts';

/** Reads what a loss that was accepted means for a launch. */
export function lossReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-loss.sql', import.meta.url));
  return {
    async acceptedLoss(draft: number): Promise<AcceptedLoss | null> {
      const accepted = (await sql('accepted_loss').get()) as { at: number } | undefined;
      if (accepted === undefined) return null;
      const { people, known } = (await sql('people_of_draft').get(draft)) as {
        people: number;
        known: number;
      };
      return { acceptedAt: accepted.at, people, known };
    },
  };
}
