import type { DatabaseSync } from 'node:sqlite';
import { FREQUENCY_CAP, type GuardRule, SAME_TEXT } from '../../domain/guards.ts';
import { type Sql, loadStatements } from './statements.ts';

/*
 * The guards of a claim check whether the number got the same text, or enough messages, from other campaigns.
 * The claim's transaction makes one look-up per message for each campaign that claimed within the span.
 */

/** The reason to skip a message; null: it may be sent, and counts as sent. */
export type Guard = (message: { mobile: string; textHash: number | null }) => string | null;

/** Makes the guard of each claim; belongs to the writer's connection. */
export class Guards {
  readonly #sql: Sql;

  constructor(database: DatabaseSync) {
    this.#sql = loadStatements(database, new URL('./guards.sql', import.meta.url));
  }

  /** The guard of one scan through a batch; `rule` is the campaign's, as JSON. Null: no guard. */
  of({ campaign, rule, now }: { campaign: number; rule: string | null; now: number }): Guard | null {
    if (rule === null) return null;
    const { sameTextMs, most, perMs } = JSON.parse(rule) as GuardRule;
    const sameText = sameTextMs === null ? null : this.#sameText(campaign, now - sameTextMs);
    const cap = most === null ? null : this.#cap({ campaign, most, since: now - perMs });
    if (sameText === null || cap === null) return sameText ?? cap;
    return (message) => sameText(message) ?? cap(message);
  }

  #sameText(campaign: number, since: number): Guard | null {
    const others = this.#sql('other_campaigns')
      .all(campaign, since)
      .map((row) => Number(row['n']));
    if (others.length === 0) return null;
    return ({ mobile, textHash }) => {
      const found =
        textHash !== null &&
        others.some((other) => this.#sql('same_text').get(other, mobile, textHash, since) !== undefined);
      return found ? SAME_TEXT : null;
    };
  }

  #cap({ campaign, most, since }: { campaign: number; most: number; since: number }): Guard {
    const campaigns = this.#sql('promotional_campaigns')
      .all(campaign, since)
      .map((row) => Number(row['n']));
    // Messages chosen in this scan, but not yet `sending`.
    const chosen = new Map<string, number>();
    return ({ mobile }) => {
      const own = chosen.get(mobile) ?? 0;
      let count = own;
      for (const one of campaigns) {
        if (count >= most) break;
        count += Number(this.#sql('count_to').get(one, mobile, since)?.['count']);
      }
      if (count >= most) return FREQUENCY_CAP;
      chosen.set(mobile, own + 1);
      return null;
    };
  }
}
