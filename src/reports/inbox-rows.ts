import { printable } from '../domain/text/printable.ts';
import type { ReplyRow } from '../ledger/contracts/replies.ts';
import { isoTime } from './campaign-report.ts';

/** The other fields of a chat record (API document 2.6), by their names there. */
export const CHAT_DETAILS = [
  'message_id',
  'sender_jid',
  'chat_jid',
  'media_type',
  'media_url',
  'file_name',
  'file_size',
  'mime_type',
] as const;

/**
 * The header of a file of replies. `received_at` is the time in the message (2.5, 2.6: when the service got it);
 * `arrived_at` is when its webhook came here.
 */
export const INBOX_COLUMNS: readonly string[] = [
  'id',
  'received_at',
  'arrived_at',
  'channel',
  'mobile',
  'to',
  'text',
  'wish',
  'campaign',
  'line',
  'media',
  ...CHAT_DETAILS,
];

/** Those of INBOX_COLUMNS that are times. */
export const INBOX_TIMES: readonly string[] = ['received_at', 'arrived_at'];

/** A reply as one line of a file. */
export function inboxCells(row: ReplyRow): (string | number | null)[] {
  const { id, receivedAt, channel, mobile, addressee, text, wish, campaign, recordId, at, detail } = row;
  const media = mediaOf(row) === null ? '' : (recordId ?? '');
  const link = [campaign?.id ?? null, campaign?.line ?? null];
  const times = [at === null ? null : isoTime(at), isoTime(receivedAt)];
  const rest = CHAT_DETAILS.map((name) => detail[name] ?? '');
  return [id, ...times, channel, mobile, addressee, text, wish, ...link, media, ...rest];
}

/** The type of the file that came with a chat message; null: only text. */
export function mediaOf({ detail }: Pick<ReplyRow, 'detail'>): string | null {
  const { media_type: type = 'text' } = detail;
  return type === 'text' ? null : printable(type);
}
