import { type Connection, getEach, type Row } from '../../connection.ts';
import type { GuardQuery } from '../../contracts/sending.ts';
import { GuardDecision, type GuardFacts } from '../../decide/guards.ts';
import type { GuardRule } from '../../../domain/guards.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/*
 * The guards of a claim check whether the number got the same text, or enough messages, from other campaigns.
 * The claim's transaction looks at each number in the campaigns that claimed within the span.
 */

/** A message that may be guarded. */
export interface GuardedMessage {
  mobile: string;
  textHash: number | null;
}

/** The guards of one scan through a batch. */
export interface Guard {
  decision: GuardDecision;
  /** What the ledger knows of the numbers of messages, in their order. */
  look(messages: readonly GuardedMessage[]): Promise<GuardFacts[]>;
}

/** Campaigns that are looked at, as JSON; null: none. `since`: milliseconds. */
interface Scope {
  campaigns: string | null;
  since: number;
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
    return await this.#guard(JSON.parse(rule) as GuardRule, now, {
      others: async (since) => await this.#sql('other_campaigns').all(campaign, since),
      promotional: async (since) => await this.#sql('promotional_campaigns').all(campaign, since),
    });
  }

  /** The guard that a campaign of these files would have if it sent at that time. */
  async ofFiles({ hashes, rule, at }: GuardQuery): Promise<Guard | null> {
    const { job, template, contacts } = hashes;
    return await this.#guard(rule, at, {
      others: async (since) => await this.#sql('other_files').all(job, template, contacts, since),
      promotional: async (since) => await this.#sql('all_promotional').all(since),
    });
  }

  async #guard(
    { sameTextMs, most, perMs }: GuardRule,
    now: number,
    find: Record<'others' | 'promotional', (since: number) => Promise<Row[]>>,
  ): Promise<Guard | null> {
    const sameText = await scopeOf(find.others, sameTextMs === null ? null : now - sameTextMs);
    const cap = await scopeOf(find.promotional, most === null ? null : now - perMs);
    if (sameText.campaigns === null && most === null) return null;
    return {
      decision: new GuardDecision(most),
      look: (messages) => this.#look(messages, sameText, cap),
    };
  }

  async #look(messages: readonly GuardedMessage[], sameText: Scope, cap: Scope): Promise<GuardFacts[]> {
    const texts =
      sameText.campaigns === null
        ? []
        : await getEach(
            this.#sql('same_text'),
            // A message without a hash has a text of its own: nothing equals null.
            messages.map(({ mobile, textHash }) => [sameText.campaigns, mobile, textHash, sameText.since]),
          );
    const counts =
      cap.campaigns === null
        ? []
        : await getEach(
            this.#sql('count_to'),
            messages.map(({ mobile }) => [cap.campaigns, mobile, cap.since]),
          );
    return messages.map((_, index) => {
      return { gotSameText: texts[index] !== undefined, got: Number(counts[index]?.['count'] ?? 0) };
    });
  }
}

/** `since` null: nothing is looked at. */
async function scopeOf(find: (since: number) => Promise<Row[]>, since: number | null): Promise<Scope> {
  if (since === null) return { campaigns: null, since: 0 };
  const found = (await find(since)).map((row) => Number(row['n']));
  return { campaigns: found.length === 0 ? null : JSON.stringify(found), since };
}
