import type { DatabaseSync } from 'node:sqlite';
import type { Campaign } from '../../domain/campaign.ts';
import { plainForms } from '../../domain/message-id.ts';
import type {
  AttemptRow,
  ConversationsQuery,
  EvidenceRow,
  FoundMessage,
  MessageLife,
  MessagePlace,
  ReportRow,
} from '../finding.ts';
import type { ReplyRow } from '../replies.ts';
import { type CampaignRow, campaignFrom } from './campaigns.ts';
import { replyFrom, type ReplyRecord } from './reader-replies.ts';
import { type Sql, loadStatements } from './statements.ts';

/** After every time and every id that a row has. */
const END = Number.MAX_SAFE_INTEGER;

/** A message as its row comes. */
type Row = Omit<FoundMessage, 'fields'> & { fields: string };
type LifeRow = Row & Omit<MessageLife['message'], keyof FoundMessage | 'writtenOff' | 'conflict'> & Marks;
type Marks = { writtenOff: number; conflict: number };

/** Reads conversations, and messages by their number, id or key. */
export function findingReads(database: DatabaseSync) {
  const sql = loadStatements(database, new URL('./reader-finding.sql', import.meta.url));
  return {
    conversations({ before, limit }: ConversationsQuery): ReplyRow[] {
      const found = sql('conversations').all(before?.writtenAt ?? END, before?.id ?? END, limit);
      return (found as unknown as ReplyRecord[]).map(replyFrom);
    },

    repliesFrom({ mobile, before, limit }: ConversationsQuery & { mobile: string }): ReplyRow[] {
      const found = sql('replies_from').all(mobile, before?.writtenAt ?? END, before?.id ?? END, limit);
      return (found as unknown as ReplyRecord[]).map(replyFrom);
    },

    reply(id: number): ReplyRow | null {
      const row = sql('reply').get(id) as ReplyRecord | undefined;
      return row === undefined ? null : replyFrom(row);
    },

    messagesTo({
      mobile,
      before,
      limit,
    }: {
      mobile: string;
      before: MessagePlace | null;
      limit: number;
    }): FoundMessage[] {
      const found = sql('messages_to').all(mobile, before?.campaign ?? END, before?.seq ?? END, limit);
      return messagesFrom(found);
    },

    campaignsNumbered: (numbers: readonly number[]): Campaign[] =>
      (sql('campaigns_numbered').all(JSON.stringify(numbers)) as unknown as CampaignRow[]).map(campaignFrom),

    messagesOfId: ({ messageId, limit }: { messageId: string; limit: number }): FoundMessage[] =>
      messagesFrom(sql('messages_of_id').all(JSON.stringify(plainForms(messageId)), limit)),

    messagesOfKey: ({
      campaign,
      key,
      limit,
    }: {
      campaign: number;
      key: string;
      limit: number;
    }): FoundMessage[] => messagesFrom(sql('messages_of_key').all(campaign, key, limit)),

    messageLife: (place: MessagePlace) => messageLife(sql, place),
  };
}

function messageLife(sql: Sql, { campaign, seq }: MessagePlace): MessageLife | null {
  const row = sql('life').get(campaign, seq) as LifeRow | undefined;
  if (row === undefined) return null;
  const { writtenOff, conflict } = row;
  return {
    message: { ...row, ...messageFrom(row), writtenOff: writtenOff === 1, conflict: conflict === 1 },
    attempts: sql('attempts').all(campaign, seq) as unknown as AttemptRow[],
    evidence: sql('evidence').all(campaign, seq) as unknown as EvidenceRow[],
    reports: sql('reports').all(campaign, seq) as unknown as ReportRow[],
  };
}

function messagesFrom(rows: unknown[]): FoundMessage[] {
  return (rows as Row[]).map(messageFrom);
}

function messageFrom(row: Row): FoundMessage {
  return { ...row, fields: JSON.parse(row.fields) as string[] };
}
