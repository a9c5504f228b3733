import type { Connection, Row } from '../../connection.ts';
import { plainForms } from '../../../domain/message-id.ts';
import type {
  AttemptRow,
  EvidenceRow,
  FindingReader,
  FoundMessage,
  MessageLife,
  ReportRow,
} from '../../contracts/finding.ts';
import { replyFrom, type ReplyRecord } from './replies.ts';
import { loadStatements } from '../../statements.ts';

/** After every time and every id that a row has. */
const END = Number.MAX_SAFE_INTEGER;

/** Reads conversations, and messages by their number, id or key. */
export function findingReads(database: Connection): Omit<FindingReader, 'campaignsNumbered'> {
  const sql = loadStatements(database, new URL('./finding.sql', import.meta.url));
  return {
    async conversations({ before, limit }) {
      const [writtenAt, id] = [before?.writtenAt ?? END, before?.id ?? END];
      return (await sql<ReplyRecord>('conversations').all(writtenAt, id, limit)).map(replyFrom);
    },

    async repliesFrom({ mobile, before, limit }) {
      const [writtenAt, id] = [before?.writtenAt ?? END, before?.id ?? END];
      return (await sql<ReplyRecord>('replies_from').all(mobile, writtenAt, id, limit)).map(replyFrom);
    },

    async reply(id) {
      const row = await sql<ReplyRecord>('reply').get(id);
      return row === undefined ? null : replyFrom(row);
    },

    async messagesTo({ mobile, before, limit }) {
      const [campaign, seq] = [before?.campaign ?? END, before?.seq ?? END];
      return (await sql('messages_to').all(mobile, campaign, seq, limit)).map(messageFrom<FoundMessage>);
    },

    async messagesOfId({ messageId, limit }) {
      const forms = JSON.stringify(plainForms(messageId));
      return (await sql('messages_of_id').all(forms, limit)).map(messageFrom<FoundMessage>);
    },

    messagesOfKey: async ({ campaign, key, limit }) =>
      (await sql('messages_of_key').all(campaign, key, limit)).map(messageFrom<FoundMessage>),

    async messageLife({ campaign, seq }) {
      const row = await sql('life').get(campaign, seq);
      if (row === undefined) return null;
      const marks = { writtenOff: row['writtenOff'] === 1, conflict: row['conflict'] === 1 };
      return {
        message: { ...messageFrom<MessageLife['message']>(row), ...marks },
        attempts: await sql<AttemptRow>('attempts').all(campaign, seq),
        evidence: await sql<EvidenceRow>('evidence').all(campaign, seq),
        reports: await sql<ReportRow>('reports').all(campaign, seq),
      };
    },
  };
}

function messageFrom<Message extends FoundMessage>(row: Row): Message {
  return { ...row, fields: JSON.parse(String(row['fields'])) as string[] } as Message;
}
