import type { Campaign } from '../domain/campaign.ts';
import { DELIVERY_RANKS, MESSAGE_STATES, type MessageState } from '../domain/message.ts';
import { formatMoney } from '../domain/money.ts';
import type { LedgerReader, MessageRow } from '../ledger/reader.ts';
import { printableJson } from '../domain/text/printable.ts';
import { contactLine, csvLine } from './csv-line.ts';

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

/** What is exported, and how. */
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

const PAGE_ROWS = 2_000;

/** The text of an export, page by page. `counted` gets the number of rows of each page. */
export async function* exportPages(
  request: ExportRequest,
  counted: (rows: number) => void = () => {},
): AsyncGenerator<string> {
  const { campaign, as, format } = request;
  if (format === 'csv')
    yield as === 'contacts' ? contactLine(campaign.settings.header) : csvLine(EXPORT_COLUMNS);
  for await (const rows of matchingRows(request)) {
    counted(rows.length);
    yield format === 'csv' ? csvPage(rows, request) : ndjsonPage(rows, request);
  }
}

/** Pages of matching messages. */
async function* matchingRows(request: ExportRequest): AsyncGenerator<MessageRow[]> {
  const { reader, campaign, state } = request;
  const states = statesOf(state);
  let afterSeq = 0;
  for (;;) {
    const page = await reader.messages({ campaign: campaign.n, afterSeq, limit: PAGE_ROWS, states });
    const matching = states === null ? page : page.filter((row) => matches(row, request));
    if (matching.length > 0) yield matching;
    if (page.length < PAGE_ROWS) return;
    afterSeq = page.at(-1)?.seq ?? 0;
  }
}

function statesOf(state: string | null): MessageState[] | null {
  if (state === null) return null;
  return MESSAGE_STATES.includes(state as MessageState) ? [state as MessageState] : ['sent'];
}

function matches(row: MessageRow, { as, state, unreportedBefore }: ExportRequest): boolean {
  // Only corrected contacts cancel with a reason. If uploaded again, a person's old date would win.
  if (as === 'contacts' && row.state === 'canceled' && row.reason !== null) return false;
  return row.state === state || deliveryOf(row, unreportedBefore) === state;
}

function deliveryOf(row: MessageRow, unreportedBefore: number): string | null {
  const late = row.delivery === 'pending' && row.sentAt !== null && row.sentAt < unreportedBefore;
  return late ? 'unreported' : row.delivery;
}

function csvPage(rows: MessageRow[], request: ExportRequest): string {
  if (request.as === 'contacts') return rows.map(({ fields }) => contactLine(fields)).join('');
  return rows
    .map((row) => {
      const cells = exportRow(row, request);
      return csvLine(EXPORT_COLUMNS.map((column) => cells[column]));
    })
    .join('');
}

function ndjsonPage(rows: MessageRow[], request: ExportRequest): string {
  const { header } = request.campaign.settings;
  const objects = rows.map((row) =>
    request.as === 'contacts'
      ? Object.fromEntries(header.map((name, index) => [name, row.fields[index] ?? '']))
      : exportRow(row, request),
  );
  return objects.map((object) => `${printableJson(JSON.stringify(object))}\n`).join('');
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
