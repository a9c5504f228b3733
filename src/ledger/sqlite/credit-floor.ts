import type { DatabaseSync } from 'node:sqlite';
import type { CreditFloor, CreditQuestion } from '../recovery.ts';
import type { StateChange } from '../records.ts';
import type { CampaignRecords } from './campaigns.ts';
import { prepareStatements } from './statements.ts';

/**
 * What the account's credit may have fallen to by all that this ledger knows of. A lower one was spent by others, or from a
 * newer state of this ledger: its note of claims (high-water.ts) may have been put back with it, or be on another machine.
 */

const STATEMENTS = ['doubtful', 'last_quiet', 'books', 'prices', 'uncertain', 'shared_since'] as const;

/** Comparing the credit with the ledger (recovery.ts of the contract). */
export function creditFloorOperations(database: DatabaseSync, { campaigns }: { campaigns: CampaignRecords }) {
  const sql = prepareStatements(database, new URL('./credit-floor.sql', import.meta.url), STATEMENTS);

  /** Everything in doubt counts as charged, so that the floor is never too high. */
  function chargedSince(account: string, { begunAt, spentMicro }: { begunAt: number; spentMicro: number }) {
    const { spent, assumed, reserved } = sql.books.get(account) as Record<string, number>;
    const { segment } = sql.prices.get(account) as { segment: number | null };
    const lost = sql.uncertain.get(account, begunAt, segment ?? 0) as { since: number; assumed: number };
    // Messages of unknown cost: no reading says how many of them there were when it was taken.
    const unknown = Math.max(0, Number(assumed) - lost.assumed);
    return Number(spent) - spentMicro + Number(reserved) + lost.since + unknown;
  }

  return {
    doubtful: (now: number) => sql.doubtful.all(now) as unknown as { id: string; name: string }[],

    creditFloor({ account, before }: CreditQuestion): CreditFloor | null {
      const base = sql.last_quiet.get(account, before) as
        | { at: number; begunAt: number; creditMicro: number; spentMicro: number }
        | undefined;
      if (base === undefined) return null;
      const { least } = sql.prices.get(account) as { least: number | null };
      return {
        at: base.at,
        creditMicro: base.creditMicro,
        floorMicro: base.creditMicro - Math.ceil(chargedSince(account, base)),
        leastMicro: least ?? 1,
        sharedSince: (sql.shared_since.get(account) as { at: number | null }).at,
      };
    },

    acceptCredit({
      now,
      by,
      account,
      missingMicro,
    }: StateChange & { account: string; missingMicro: number }) {
      const detail = { account, missing: missingMicro };
      campaigns.audit({ now, by, verb: 'accept-credit', campaign: null, detail });
    },
  };
}
