import { printable } from '../../domain/text/printable.ts';
import type { ReplyRow } from '../../ledger/replies.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import { csvLine } from '../../reports/csv-line.ts';

/* The file of `tuma inbox --out`. */

/** The header of the file. */
export const INBOX_COLUMNS: readonly string[] = [
  'id',
  'received_at',
  'channel',
  'mobile',
  'to',
  'text',
  'wish',
  'campaign',
  'line',
  'media',
];

/** A reply as one line of the file. */
export function inboxLine(row: ReplyRow): string {
  const { id, receivedAt, channel, mobile, addressee, text, wish, campaign, recordId } = row;
  const media = mediaOf(row) === null ? '' : (recordId ?? '');
  const link = [campaign?.id ?? null, campaign?.line ?? null];
  return csvLine([id, isoTime(receivedAt), channel, mobile, addressee, text, wish, ...link, media]);
}

/** The type of what came with a chat message; null: only text. */
export function mediaOf({ detail }: ReplyRow): string | null {
  const { media_type: type = 'text' } = detail;
  return type === 'text' ? null : printable(type);
}
