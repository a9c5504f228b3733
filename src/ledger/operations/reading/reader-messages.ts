import type { Connection } from '../../connection.ts';
import type { MessageState } from '../../../domain/message.ts';
import type { MessageRow, ProviderWords } from '../../contracts/reader.ts';
import type { Span } from './reader-campaigns.ts';
import { loadStatements } from '../../statements.ts';

/** Messages on their way from the thread: rows of plain values cost a third of objects. */
export interface MessagePage {
  columns: string[];
  rows: (string | number | null)[][];
}

/** Of the first answers that were no plain acceptance, and as many of the last. */
const MOST_SAMPLED = 1_000;

/** Reads messages in order, a page at a time. */
export function messageReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-messages.sql', import.meta.url));
  return {
    async messages(query: Span & { limit: number; states: MessageState[] | null }): Promise<MessagePage> {
      const { campaign, firstSeq, lastSeq, limit, states } = query;
      const wanted = states === null ? null : JSON.stringify(states);
      const rows = await sql('messages').all(campaign, firstSeq, lastSeq, limit, wanted);
      return {
        columns: Object.keys(rows[0] ?? {}),
        rows: rows.map((row) => Object.values(row) as MessagePage['rows'][number]),
      };
    },
    /** The words for each state and reason in the first and in the last answers of a campaign. */
    sampledWords: async (campaign: number): Promise<CountedWords[]> =>
      (await sql('sampled_words').all(campaign, MOST_SAMPLED)) as unknown as CountedWords[],
    /** The most frequent words for each state and reason of a span. */
    providerWords: async ({ campaign, firstSeq, lastSeq }: Span): Promise<CountedWords[]> =>
      (await sql('provider_words').all(campaign, firstSeq, lastSeq)) as unknown as CountedWords[],
  };
}

/** Words with the number of their messages in a span. */
type CountedWords = ProviderWords & { count: number };

/** The words of the most messages for each state and reason, from those of several spans. */
export function mostFrequent(pages: CountedWords[]): ProviderWords[] {
  const sums = new Map<string, CountedWords>();
  for (const { count, ...said } of pages) {
    const key = JSON.stringify(said);
    sums.set(key, { ...said, count: count + (sums.get(key)?.count ?? 0) });
  }
  const best = new Map<string, CountedWords>();
  for (const each of sums.values()) {
    const key = `${each.state} ${each.reason}`;
    if ((best.get(key)?.count ?? 0) < each.count) best.set(key, each);
  }
  return [...best.values()].map(({ state, reason, words }) => ({ state, reason, words }));
}

/** The rows of a page in the shape of the contract. */
export function messageRows({ columns, rows }: MessagePage): MessageRow[] {
  return rows.map((cells) => {
    const row: Record<string, unknown> = {};
    for (const [index, column] of columns.entries()) row[column] = cells[index];
    row['fields'] = JSON.parse(String(row['fields'])) as string[];
    return row as unknown as MessageRow;
  });
}
