import { type Connection, getEach, type Row } from '../../connection.ts';
import { type CountedMessage, countedMessage } from '../sending/message-sums.ts';
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
  sql('one').setReturnArrays(true);
  sql('page').setReturnArrays(true);
  return {
    /** Those at these places, in their order; null: there is none. */
    async at(
      places: readonly (readonly [campaign: number, seq: number])[],
    ): Promise<(CountedMessage | null)[]> {
      const rows = await getEach(sql('one'), places);
      return rows.map((row) => (row === undefined ? null : countedMessage(row)));
    },

    async each([campaign, first, last]: CountedSpan, take: (message: CountedMessage) => void): Promise<void> {
      let from = first;
      let page: Row[];
      do {
        page = await sql('page').all(campaign, from, last, PAGE_MESSAGES);
        for (const row of page) take(countedMessage(row));
        from = seqOf(page.at(-1)) + 1;
      } while (page.length === PAGE_MESSAGES);
    },
  };
}

/** Behind the columns that are counted stands the seq. */
function seqOf(row: Row | undefined): number {
  return Number((row as unknown as unknown[] | undefined)?.at(-1) ?? 0);
}
