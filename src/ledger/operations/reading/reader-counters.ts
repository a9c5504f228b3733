import type { Connection } from '../../connection.ts';
import type { CampaignsQuery } from '../../contracts/counters.ts';
import { type KindSum, MINUTE_MS } from '../sending/message-sums.ts';
import { loadStatements } from '../../statements.ts';

/** The messages of one kind: a row of the counters. */
export type KindRow = KindSum['kind'] & { messages: number; cost: number };

/** The counters of campaigns, for other reads of the same connection. */
export type CounterReads = ReturnType<typeof counterReads>;

/** Reads the counters: each function a few small rows, however many messages there are. */
export function counterReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-counters.sql', import.meta.url));
  const count = (row: Record<string, unknown> | undefined) => Number(row?.['messages']);
  return {
    kinds: async (campaign: number): Promise<KindRow[]> =>
      (await sql('kinds').all(campaign)) as unknown as KindRow[],

    /** When the first and the last message that counts as sent left; null: none did. */
    sentTimes: async (campaign: number) =>
      ({ ...(await sql('sent_times').get(campaign)) }) as unknown as {
        first: number | null;
        last: number | null;
      },

    /** Messages sent in this second (milliseconds) or later. */
    sentSince: async (campaign: number, second: number): Promise<number> =>
      count(await sql('sent_since').get(campaign, second)),

    /** When the last message left, or was settled without; null: none was. */
    lastLeftAt: async (campaign: number): Promise<number | null> =>
      ((await sql('last_left').get(campaign))?.['last'] ?? null) as number | null,

    /** Sent messages without a report that left before this time, to the second. */
    pendingBefore: async (campaign: number, before: number): Promise<number> =>
      count(await sql('pending_before').get(campaign, before - (before % MINUTE_MS), before)),

    /** The numbers of the campaigns of a page, newest first. */
    pageOf: async ({ states, name, cursor, limit }: CampaignsQuery): Promise<number[]> => {
      const wanted = states === null ? null : JSON.stringify(states);
      return (await sql('page').all(wanted, name === null ? null : partOf(name), cursor, limit)).map((row) =>
        Number(row['n']),
      );
    },
  };
}

/** The pattern of names that hold these letters, however they are written. */
function partOf(name: string): string {
  return `%${name.replaceAll(/[%_\\]/g, '\\$&')}%`;
}
