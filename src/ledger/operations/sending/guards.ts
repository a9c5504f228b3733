import { type Connection, getEach } from '../../connection.ts';
import type { GuardQuery } from '../../contracts/sending.ts';
import { GuardDecision, type GuardFacts } from '../../decide/guards.ts';
import { loadStatements } from '../../statements.ts';

/*
 * The guards of a claim check whether the number got the same text, or enough messages, from other campaigns.
 * The claim's transaction looks at each number in the campaigns that claimed within the span.
 */

/** A message that may be guarded. `textHash` null: it has a text of its own, which equals no other. */
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

/** Makes the guard of each claim, or of a campaign that is planned (`campaign` null). Null: nothing is guarded. */
export type GuardOf = (query: GuardQuery & { campaign: number | null }) => Promise<Guard | null>;

/** Reads for guards from the writer's connection. */
export function claimGuards(database: Connection): GuardOf {
  const sql = loadStatements(database, new URL('./guards.sql', import.meta.url));
  return async ({ campaign, hashes: { job, template, contacts }, rule: { sameTextMs, most, perMs }, at }) => {
    const [textSince, capSince] = [at - (sameTextMs ?? 0), at - perMs];
    const others =
      sameTextMs === null
        ? []
        : await sql('other_campaigns').all(campaign, job, template, contacts, textSince);
    const promotional = most === null ? [] : await sql('promotional_campaigns').all(campaign, capSince);
    if (others.length === 0 && most === null) return null;
    const textFrom = JSON.stringify(others.map(({ n }) => n));
    const capFrom = JSON.stringify(promotional.map(({ n }) => n));
    return {
      decision: new GuardDecision(most),
      async look(messages) {
        const looked = others.length === 0 ? [] : messages;
        const texts = await getEach(
          sql('same_text'),
          looked.map(({ mobile, textHash }) => [textFrom, mobile, textHash, textSince]),
        );
        const counted = promotional.length === 0 ? [] : messages;
        const counts = await getEach(
          sql<{ count: number }>('count_to'),
          counted.map(({ mobile }) => [capFrom, mobile, capSince]),
        );
        return messages.map((_, index) => {
          return { gotSameText: texts[index] !== undefined, got: counts[index]?.count ?? 0 };
        });
      },
    };
  };
}
