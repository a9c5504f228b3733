import { stringify } from 'csv-stringify/sync';
import type { Campaign } from '../domain/campaign.ts';
import { DELIVERY_RANKS, MESSAGE_STATES, type MessageState } from '../domain/message.ts';
import { formatMoney } from '../domain/money.ts';
import type { LedgerReader, MessageRow } from '../ledger/reader.ts';
import { neutralise } from './spreadsheet.ts';

/** The columns of an export, in the order that never changes. */
export const EXPORT_COLUMNS = [
  'campaign',
  'line',
  'mobile',
  'key',
  'occurrence',
  'state',
  'delivery',
  'reason',
  'messageid',
  'network',
  'segments',
  'cost',
  'currency',
  'attempts',
  'queued_at',
  'sent_at',
  'reported_at',
  'batch',
] as const;
type ExportRow = Record<(typeof EXPORT_COLUMNS)[number], string | number | null>;

/** What `--state` takes: a state of messages, or a delivery of sent ones. */
export const EXPORT_STATES = [...MESSAGE_STATES, ...Object.keys(DELIVERY_RANKS), 'unreported'] as const;

export interface ExportRequest {
  reader: LedgerReader;
  campaign: Campaign;
  format: 'csv' | 'ndjson';
  /** `contacts`: the original rows under the original header, ready to be uploaded again. */
  as: 'messages' | 'contacts';
  /** One of EXPORT_STATES; null: all messages. */
  state: string | null;
  /** Messages sent before this instant and still pending are shown as unreported. */
  unreportedBefore: number;
}

const PAGE_ROWS = 5_000;

/**
 * The text of an export, a page at a time: however long the campaign, memory stays the same. `counted` is told how many
 * rows each page has.
 */
export async function* exportPages(
  request: ExportRequest,
  counted: (rows: number) => void = () => {},
): AsyncGenerator<string> {
  const { campaign, as, format } = request;
  const header = as === 'contacts' ? campaign.settings.header : [...EXPORT_COLUMNS];
  if (format === 'csv') yield stringify([header.map(neutralise)]);
  for await (const rows of matchingRows(request)) {
    counted(rows.length);
    yield format === 'csv' ? csvPage(rows, request) : ndjsonPage(rows, request);
  }
}

async function* matchingRows({
  reader,
  campaign,
  state,
  unreportedBefore,
}: ExportRequest): AsyncGenerator<MessageRow[]> {
  const states = statesOf(state);
  for (let afterSeq = 0; ; ) {
    const page = await reader.messages({ campaign: campaign.n, afterSeq, limit: PAGE_ROWS, states });
    const last = page.at(-1);
    if (last === undefined) return;
    afterSeq = last.seq;
    const matching = page.filter((row) => states === null || matches(row, { state, unreportedBefore }));
    if (matching.length > 0) yield matching;
    if (page.length < PAGE_ROWS) return;
  }
}

function statesOf(state: string | null): MessageState[] | null {
  if (state === null) return null;
  return MESSAGE_STATES.includes(state as MessageState) ? [state as MessageState] : ['sent'];
}

function matches(
  row: MessageRow,
  { state, unreportedBefore }: { state: string | null; unreportedBefore: number },
) {
  return row.state === state || deliveryOf(row, unreportedBefore) === state;
}

function deliveryOf(row: MessageRow, unreportedBefore: number): string | null {
  const late = row.delivery === 'pending' && row.sentAt !== null && row.sentAt < unreportedBefore;
  return late ? 'unreported' : row.delivery;
}

function csvPage(rows: MessageRow[], request: ExportRequest): string {
  if (request.as === 'contacts') return stringify(rows.map(({ fields }) => fields.map(neutralise)));
  return stringify(
    rows.map((row) => {
      const cells = exportRow(row, request);
      return EXPORT_COLUMNS.map((column) => {
        const cell = cells[column];
        return typeof cell === 'string' ? neutralise(cell) : cell;
      });
    }),
  );
}

function ndjsonPage(rows: MessageRow[], request: ExportRequest): string {
  const { header } = request.campaign.settings;
  const objects = rows.map((row) =>
    request.as === 'contacts'
      ? Object.fromEntries(header.map((name, index) => [name, row.fields[index] ?? '']))
      : exportRow(row, request),
  );
  return objects.map((object) => `${JSON.stringify(object)}\n`).join('');
}

function exportRow(row: MessageRow, { campaign, unreportedBefore }: ExportRequest): ExportRow {
  return {
    campaign: campaign.id,
    line: row.line,
    mobile: row.mobile,
    key: row.key,
    occurrence: row.occurrence,
    state: row.state,
    delivery: deliveryOf(row, unreportedBefore),
    reason: row.reason,
    messageid: row.messageId,
    network: row.network,
    segments: row.segments,
    cost: row.costMicro === null ? null : formatMoney(row.costMicro),
    currency: campaign.settings.currency,
    attempts: row.attempts,
    queued_at: time(row.queuedAt),
    sent_at: time(row.sentAt),
    reported_at: time(row.reportedAt),
    batch: row.batch,
  };
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
