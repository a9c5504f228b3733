import type { Connection } from '../../connection.ts';
import type { Campaign } from '../../../domain/campaign.ts';
import { plainForms } from '../../../domain/message-id.ts';
import type {
  AttemptRow,
  ConversationsQuery,
  EvidenceRow,
  FoundMessage,
  MessageLife,
  MessagePlace,
  ReportRow,
} from '../../contracts/finding.ts';
import type { ReplyRow } from '../../contracts/replies.ts';
import { type CampaignRow, campaignFrom } from '../planning/campaigns.ts';
import { replyFrom, type ReplyRecord } from './reader-replies.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/** After every time and every id that a row has. */
const END = Number.MAX_SAFE_INTEGER;

/** A message as its row comes. */
type Row = Omit<FoundMessage, 'fields'> & { fields: string };
type LifeRow = Row & Omit<MessageLife['message'], keyof FoundMessage | 'writtenOff' | 'conflict'> & Marks;
type Marks = { writtenOff: number; conflict: number };

/** Reads conversations, and messages by their number, id or key. */
export function findingReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-finding.sql', import.meta.url));
  return {
    async conversations({ before, limit }: ConversationsQuery): Promise<ReplyRow[]> {
      const found = await sql('conversations').all(before?.writtenAt ?? END, before?.id ?? END, limit);
      return (found as unknown as ReplyRecord[]).map(replyFrom);
    },

    async repliesFrom({
      mobile,
      before,
      limit,
    }: ConversationsQuery & { mobile: string }): Promise<ReplyRow[]> {
      const found = await sql('replies_from').all(mobile, before?.writtenAt ?? END, before?.id ?? END, limit);
      return (found as unknown as ReplyRecord[]).map(replyFrom);
    },

    async reply(id: number): Promise<ReplyRow | null> {
      const row = (await sql('reply').get(id)) as ReplyRecord | undefined;
      return row === undefined ? null : replyFrom(row);
    },

    async messagesTo({
      mobile,
      before,
      limit,
    }: {
      mobile: string;
      before: MessagePlace | null;
      limit: number;
    }): Promise<FoundMessage[]> {
      const found = await sql('messages_to').all(mobile, before?.campaign ?? END, before?.seq ?? END, limit);
      return messagesFrom(found);
    },

    campaignsNumbered: async (numbers: readonly number[]): Promise<Campaign[]> =>
      ((await sql('campaigns_numbered').all(JSON.stringify(numbers))) as unknown as CampaignRow[]).map(
        campaignFrom,
      ),

    messagesOfId: async ({
      messageId,
      limit,
    }: {
      messageId: string;
      limit: number;
    }): Promise<FoundMessage[]> =>
      messagesFrom(await sql('messages_of_id').all(JSON.stringify(plainForms(messageId)), limit)),

    messagesOfKey: async ({
      campaign,
      key,
      limit,
    }: {
      campaign: number;
      key: string;
      limit: number;
    }): Promise<FoundMessage[]> => messagesFrom(await sql('messages_of_key').all(campaign, key, limit)),

    messageLife: (place: MessagePlace) => messageLife(sql, place),
  };
}

async function messageLife(sql: Sql, { campaign, seq }: MessagePlace): Promise<MessageLife | null> {
  const row = (await sql('life').get(campaign, seq)) as LifeRow | undefined;
  if (row === undefined) return null;
  const { writtenOff, conflict } = row;
  return {
    message: { ...row, ...messageFrom(row), writtenOff: writtenOff === 1, conflict: conflict === 1 },
    attempts: (await sql('attempts').all(campaign, seq)) as unknown as AttemptRow[],
    evidence: (await sql('evidence').all(campaign, seq)) as unknown as EvidenceRow[],
    reports: (await sql('reports').all(campaign, seq)) as unknown as ReportRow[],
  };
}

function messagesFrom(rows: unknown[]): FoundMessage[] {
  return (rows as Row[]).map(messageFrom);
}

function messageFrom(row: Row): FoundMessage {
  return { ...row, fields: JSON.parse(row.fields) as string[] };
}
