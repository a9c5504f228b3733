import type { Connection } from '../../connection.ts';
import type { GuardQuery } from '../../contracts/sending.ts';
import { FREQUENCY_CAP, type GuardRule, SAME_TEXT } from '../../../domain/guards.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { someInOrder } from '../../in-order.ts';

/*
 * The guards of a claim check whether the number got the same text, or enough messages, from other campaigns.
 * The claim's transaction makes one look-up per message for each campaign that claimed within the span.
 */

/** The reason to skip a message; null: it may be sent, and counts as sent. */
export type Guard = (message: { mobile: string; textHash: number | null }) => Promise<string | null>;

function either(one: Guard | null, other: Guard | null): Guard | null {
  if (one === null || other === null) return one ?? other;
  return async (message) => (await one(message)) ?? (await other(message));
}

function numbersIn(rows: Record<string, unknown>[]): number[] {
  return rows.map((row) => Number(row['n']));
}

/** Makes the guard of each claim; belongs to the writer's connection. */
export class Guards {
  readonly #sql: Sql;

  constructor(database: Connection) {
    this.#sql = loadStatements(database, new URL('./guards.sql', import.meta.url));
  }

  /** The guard of one scan through a batch; `rule` is the campaign's, as JSON. Null: no guard. */
  async of({
    campaign,
    rule,
    now,
  }: {
    campaign: number;
    rule: string | null;
    now: number;
  }): Promise<Guard | null> {
    if (rule === null) return null;
    const { sameTextMs, most, perMs } = JSON.parse(rule) as GuardRule;
    const others = async (since: number) =>
      numbersIn(await this.#sql('other_campaigns').all(campaign, since));
    const promotional = async (since: number) =>
      numbersIn(await this.#sql('promotional_campaigns').all(campaign, since));
    const sameText = sameTextMs === null ? null : await this.#sameText(others, now - sameTextMs);
    const cap =
      most === null
        ? null
        : this.#cap({ campaigns: await promotional(now - perMs), most, since: now - perMs });
    return either(sameText, cap);
  }

  /** The guard that a campaign of these files would have if it sent at that time. */
  async ofFiles({ hashes, rule, at }: GuardQuery): Promise<Guard | null> {
    const { job, template, contacts } = hashes;
    const { sameTextMs, most, perMs } = rule;
    const others = async (since: number) =>
      numbersIn(await this.#sql('other_files').all(job, template, contacts, since));
    const promotional = async (since: number) => numbersIn(await this.#sql('all_promotional').all(since));
    const sameText = sameTextMs === null ? null : await this.#sameText(others, at - sameTextMs);
    const cap =
      most === null ? null : this.#cap({ campaigns: await promotional(at - perMs), most, since: at - perMs });
    return either(sameText, cap);
  }

  async #sameText(
    campaignsSince: (since: number) => Promise<number[]>,
    since: number,
  ): Promise<Guard | null> {
    const others = await campaignsSince(since);
    if (others.length === 0) return null;
    return async ({ mobile, textHash }) => {
      const found =
        textHash !== null &&
        (await someInOrder(
          others,
          async (other) => (await this.#sql('same_text').get(other, mobile, textHash, since)) !== undefined,
        ));
      return found ? SAME_TEXT : null;
    };
  }

  #cap({ campaigns, most, since }: { campaigns: number[]; most: number; since: number }): Guard {
    // Messages chosen in this scan, but not yet `sending`.
    const chosen = new Map<string, number>();
    return async ({ mobile }) => {
      const own = chosen.get(mobile) ?? 0;
      let count = own;
      for (const one of campaigns) {
        if (count >= most) break;
        count += Number((await this.#sql('count_to').get(one, mobile, since))?.['count']);
      }
      if (count >= most) return FREQUENCY_CAP;
      chosen.set(mobile, own + 1);
      return null;
    };
  }
}
