import type { Connection } from '../../connection.ts';
import type { MessageState } from '../../../domain/message.ts';
import type {
  LedgerReader,
  MessageRow,
  ProviderWords,
  UncertainRow,
  YoungUncertain,
} from '../../contracts/reader.ts';
import type { Span } from './campaigns.ts';
import { loadStatements } from '../../statements.ts';

/** Messages on their way from the thread: rows of plain values cost a third of objects. */
export interface MessagePage {
  columns: string[];
  rows: (string | number | null)[][];
}

/** Of the first answers that were no plain acceptance, and as many of the last. */
const MOST_ANSWERS = 1_000;

/** A message without a sure fate, as its row comes. `seenAt` null: this attempt has no evidence. */
type FoundRow = Omit<UncertainRow, 'writtenOff' | 'flags' | 'seen'> & {
  isWrittenOff: 0 | 1;
  flags: string | null;
  seenAt: number | null;
  httpStatus: number | null;
  code: string | null;
  raw: string | null;
};

/** Reads the provider's words about messages, and messages with an unknown fate. */
export function messageReads(database: Connection) {
  const sql = loadStatements(database, new URL('./messages.sql', import.meta.url));
  return {
    providerWords: async (campaign) => await sql<ProviderWords>('provider_words').all(campaign, MOST_ANSWERS),

    youngUncertain: async ({ campaign, since }) =>
      (await sql('young_uncertain').get(campaign, since)) as unknown as YoungUncertain,

    async uncertain({ campaign, limit, line, mobile }) {
      const counted = await sql<{ total: number }>('count_uncertain').get(campaign, line, mobile);
      const rows = limit === 0 ? [] : await sql<FoundRow>('uncertain').all(campaign, limit, line, mobile);
      return { rows: rows.map(uncertainRow), total: counted?.total ?? 0 };
    },
  } satisfies Partial<LedgerReader>;
}

/** Reads messages in order, a page at a time. */
export function pageReads(database: Connection) {
  const sql = loadStatements(database, new URL('./messages.sql', import.meta.url));
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
  };
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

function uncertainRow({
  isWrittenOff,
  flags,
  seenAt,
  httpStatus,
  code,
  raw,
  ...row
}: FoundRow): UncertainRow {
  return {
    ...row,
    writtenOff: isWrittenOff === 1,
    flags: flags === null || flags === '' ? [] : flags.split(','),
    seen: seenAt === null ? null : { at: seenAt, httpStatus, code, raw },
  };
}
