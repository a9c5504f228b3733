import type { Connection } from '../../connection.ts';
import type {
  LedgerReader,
  MessageRow,
  ProviderWords,
  UncertainRow,
  YoungUncertain,
} from '../../contracts/reader.ts';
import type { Span } from './campaigns.ts';
import { loadStatements } from '../../statements.ts';

/** A message on its way from the thread: the cells of its row cost a third of an object. */
type MessageCells = (string | number | null)[];

/** The messages of a span that are wanted; see `LedgerReader`. */
type PageQuery = Span & Pick<Parameters<LedgerReader['messages']>[0], 'limit' | 'states' | 'withFields'>;

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
    async messages(query: PageQuery): Promise<MessageCells[]> {
      const { campaign, firstSeq, lastSeq, limit, states, withFields = true } = query;
      const wanted = states === null ? null : JSON.stringify(states);
      const statement = sql<MessageCells>('messages');
      statement.setReturnArrays(true);
      return await statement.all(campaign, firstSeq, lastSeq, limit, wanted, withFields ? 1 : 0);
    },
  };
}

/** A row of a page in the shape of the contract, from cells in the order of the statement. */
export function messageRow(cells: MessageCells): MessageRow {
  return {
    seq: cells[0],
    line: cells[1],
    mobile: cells[2],
    key: cells[3],
    occurrence: cells[4],
    fields: JSON.parse(String(cells[20] ?? '[]')) as string[],
    state: cells[5],
    delivery: cells[6],
    reason: cells[7],
    providerWords: cells[8],
    messageId: cells[9],
    network: cells[10],
    segments: cells[11],
    costMicro: cells[12],
    attempts: cells[13],
    queuedAt: cells[14],
    settledAt: cells[15],
    notBefore: cells[16],
    sentAt: cells[17],
    reportedAt: cells[18],
    batch: cells[19],
  } as MessageRow;
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
