import type { DatabaseSync } from 'node:sqlite';
import type { MessageState } from '../../domain/message.ts';
import type { MessageRow } from '../reader.ts';
import type { Span } from './reader-campaigns.ts';
import { prepareStatements } from './statements.ts';

/** Reads messages in order, a page at a time. */
export function messageReads(database: DatabaseSync) {
  const sql = prepareStatements(database, new URL('./reader-messages.sql', import.meta.url), [
    'messages',
    'messages_in',
    'batches',
  ]);
  return {
    messages(query: Span & { limit: number; states: MessageState[] | null }): MessageRow[] {
      const { campaign, firstSeq, lastSeq, limit, states } = query;
      const found =
        states === null
          ? sql.messages.all(campaign, firstSeq, lastSeq, limit)
          : sql.messages_in.all(campaign, firstSeq, lastSeq, limit, JSON.stringify(states));
      const rows = found as unknown as (Omit<MessageRow, 'fields'> & { fields: string })[];
      const lastFound = rows.at(-1)?.seq;
      if (lastFound === undefined) return [];
      const batches = sql.batches.all(campaign, firstSeq, lastFound) as unknown as {
        id: number;
        last_seq: number;
      }[];
      let at = 0;
      return rows.map((row) => {
        while ((batches[at]?.last_seq ?? row.seq) < row.seq) at += 1;
        return { ...row, fields: JSON.parse(row.fields) as string[], batch: batches[at]?.id ?? 0 };
      });
    },
  };
}
