import type { DatabaseSync } from 'node:sqlite';
import type { MessageState } from '../../domain/message.ts';
import type { MessageRow } from '../reader.ts';
import type { Span } from './reader-campaigns.ts';
import { loadStatements } from './statements.ts';

/** A message as it crosses from the thread: plain values in the order of the statement cost a third of an object. */
export type MessageCells = (string | number | null)[];

/** Messages that are read together. */
export interface MessagePage {
  rows: MessageCells[];
  /** Batches that the rows belong to, in order. */
  batches: { id: number; last_seq: number }[];
}

/** Reads messages in order, a page at a time. */
export function messageReads(database: DatabaseSync) {
  const sql = loadStatements(database, new URL('./reader-messages.sql', import.meta.url));
  sql('messages').setReturnArrays(true);
  sql('messages_in').setReturnArrays(true);
  return {
    messages(query: Span & { limit: number; states: MessageState[] | null }): MessagePage {
      const { campaign, firstSeq, lastSeq, limit, states } = query;
      const found =
        states === null
          ? sql('messages').all(campaign, firstSeq, lastSeq, limit)
          : sql('messages_in').all(campaign, firstSeq, lastSeq, limit, JSON.stringify(states));
      const rows = found as unknown as MessageCells[];
      const lastFound = rows.at(-1)?.[0];
      if (lastFound === undefined) return { rows, batches: [] };
      const batches = sql('batches').all(campaign, firstSeq, lastFound) as unknown as MessagePage['batches'];
      return { rows, batches: batches.map(({ id, last_seq }) => ({ id, last_seq })) };
    },
  };
}

/** The rows of a page in the shape of the contract. */
export function messageRows({ rows, batches }: MessagePage): MessageRow[] {
  let at = 0;
  return rows.map((cells) => {
    const row = messageRow(cells);
    while ((batches[at]?.last_seq ?? row.seq) < row.seq) at += 1;
    row.batch = batches[at]?.id ?? 0;
    return row;
  });
}

/** By position, in the order of the statements `messages` and `messages_in`. */
function messageRow(cells: MessageCells): MessageRow {
  return {
    seq: cells[0] as number,
    line: cells[1] as number,
    mobile: cells[2] as string,
    key: cells[3] as string,
    occurrence: cells[4] as string,
    fields: JSON.parse(cells[5] as string) as string[],
    state: cells[6] as MessageState,
    delivery: cells[7] as MessageRow['delivery'],
    reason: cells[8] as string | null,
    messageId: cells[9] as string | null,
    network: cells[10] as string | null,
    segments: cells[11] as number,
    costMicro: cells[12] as number | null,
    attempts: cells[13] as number,
    queuedAt: cells[14] as number,
    settledAt: cells[15] as number | null,
    sentAt: cells[16] as number | null,
    reportedAt: cells[17] as number | null,
    batch: 0,
  };
}

/*
 * The view `message_left` is `message` with the time when each message left. A worker or the reaper gives its verdict within
 * moments of the sending, so the time of that verdict counts. A message that a person or a report decided left when it was
 * claimed. A lost one left at the latest when the loss was accepted, which counts as its campaign's claim.
 */
const MESSAGE_LEFT = `
  CREATE TEMP VIEW IF NOT EXISTS message_left AS
  SELECT *, CASE
    WHEN actor <> 'worker' AND actor <> 'reaper' AND state IN ('sent', 'uncertain')
    THEN min(settled_at, iif(lost, (SELECT last_claim_at FROM campaign WHERE n = message.campaign), claimed_at))
    ELSE settled_at
  END AS left_at
  FROM message`;

/** Gives a connection the view `message_left`. `left_at`: when a message left, or was settled without leaving; null: neither. */
export function viewMessagesLeft(database: DatabaseSync): void {
  database.exec(MESSAGE_LEFT);
}
