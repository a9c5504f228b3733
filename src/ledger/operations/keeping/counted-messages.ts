import { type Connection, getEach } from '../../connection.ts';
import type { CountedMessage } from './message-sums.ts';
import { loadStatements } from '../../statements.ts';

/** Messages of a campaign, from the first seq to the last. */
export type CountedSpan = readonly [campaign: number, first: number, last: number];

/** The first and the last seq of any campaign. */
export const ALL_MESSAGES = [0, Number.MAX_SAFE_INTEGER] as const;

/** Messages that are read at once. */
const PAGE_MESSAGES = 10_000;

/** Reads messages as the counters see them. */
export function countedMessages(database: Connection) {
  const sql = loadStatements(database, new URL('./counted-messages.sql', import.meta.url));
  type Found = CountedMessage & { seq: number };
  return {
    /** Those at these places, in their order; undefined: there is none. */
    at: async (places: readonly (readonly [campaign: number, seq: number])[]) =>
      await getEach(
        sql<CountedMessage>('page'),
        places.map(([campaign, seq]) => [campaign, seq, seq, 1]),
      ),

    async each([campaign, first, last]: CountedSpan, take: (message: CountedMessage) => void): Promise<void> {
      let from = first;
      let page: Found[];
      do {
        page = await sql<Found>('page').all(campaign, from, last, PAGE_MESSAGES);
        page.forEach(take);
        from = (page.at(-1)?.seq ?? 0) + 1;
      } while (page.length === PAGE_MESSAGES);
    },
  };
}
