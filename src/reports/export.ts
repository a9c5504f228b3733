import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Campaign } from '../domain/campaign.ts';
import { DELIVERIES, MESSAGE_STATES, stateMeant } from '../domain/message.ts';
import { TumaError } from '../domain/errors.ts';
import { formatMoney } from '../domain/money.ts';
import type { LedgerReader, MessageRow } from '../ledger/contracts/reader.ts';
import { shownOf, valueOf } from '../domain/text/paired-cell.ts';
import type { SeriesTemplates } from '../domain/text/series-templates.ts';
import { campaignTexts } from '../domain/text/campaign-texts.ts';
import { offsetOf } from '../domain/time/occurrence.ts';
import { printableJson } from '../domain/text/printable.ts';
import { isoTime } from './campaign-report.ts';
import { contactLines, csvLine, csvLines } from './csv-line.ts';
import type { Column, Figure } from './figures.ts';
import { figuresXlsx } from './workbook.ts';

/** The columns of an export with their kinds, in the order that never changes. */
export const EXPORT_COLUMNS = [
  { name: 'campaign', kind: 'text' },
  { name: 'line', kind: 'count' },
  { name: 'mobile', kind: 'text' },
  { name: 'key', kind: 'text' },
  { name: 'occurrence', kind: 'text' },
  { name: 'state', kind: 'text' },
  { name: 'delivery', kind: 'text' },
  { name: 'reason', kind: 'text' },
  { name: 'provider_words', kind: 'text' },
  { name: 'messageid', kind: 'text' },
  { name: 'network', kind: 'text' },
  { name: 'segments', kind: 'count' },
  { name: 'cost', kind: 'money' },
  { name: 'currency', kind: 'text' },
  { name: 'attempts', kind: 'count' },
  { name: 'queued_at', kind: 'time' },
  { name: 'sent_at', kind: 'time' },
  { name: 'reported_at', kind: 'time' },
  { name: 'batch', kind: 'count' },
  { name: 'due_at', kind: 'time' },
  { name: 'offset', kind: 'text' },
] as const satisfies Column[];
/** The column of `texts`. */
const TEXT = { name: 'text', kind: 'text' } as const satisfies Column;
type ExportRow = Record<(typeof EXPORT_COLUMNS)[number]['name'], Figure> & { text?: Figure };

/** What `--state` takes: a state of messages, or a delivery of sent ones. */
export const EXPORT_STATES = [...MESSAGE_STATES, ...DELIVERIES, 'unreported'] as const;

/** What `--delivery` takes. */
export const EXPORT_DELIVERIES = [...DELIVERIES, 'unreported'] as const;

/** The wanted messages of a campaign, and their form. */
export interface ExportRequest {
  reader: LedgerReader;
  campaign: Campaign;
  format: 'csv' | 'ndjson';
  /** `contacts`: the original rows under the original header, ready to be uploaded again. */
  as: 'messages' | 'contacts';
  /** One of EXPORT_STATES; null: all messages. */
  state: string | null;
  /** One of EXPORT_DELIVERIES; left out: all. */
  delivery?: string | null;
  /** The reason in any case, empty: those without one; left out: all. */
  reason?: string | null;
  /** The texts of the campaign, for a column with that of each message; left out: no such column. */
  texts?: SeriesTemplates | undefined;
  /** With the columns of the contacts behind the others. */
  withFields?: boolean;
  /** Messages sent before this instant and still pending are shown as unreported. */
  unreportedBefore: number;
}

type Wanted = Omit<ExportRequest, 'format'>;

/** The formats of an export. */
export const EXPORT_FORMATS = ['csv', 'ndjson', 'xlsx'] as const;

/** An export as a person or a program asks for it; the filters as of ExportRequest. */
export interface ExportWish {
  campaign: Campaign;
  format: (typeof EXPORT_FORMATS)[number];
  as: ExportRequest['as'];
  state: string | null;
  delivery: string | null;
  reason: string | null;
  /** With the text of each message. */
  withText: boolean;
  withFields: boolean;
}

/** Where an export is made. */
export interface ExportPlace {
  reader: LedgerReader;
  /** Milliseconds. Messages that left `reportWaitMs` before and are still pending are shown as unreported. */
  now: number;
  reportWaitMs: number;
  /** Of the times of a workbook. */
  zone: string;
}

/** The content of the file that is asked for, page by page. `counted` gets the number of rows of each page. */
export async function* exportContent(
  { reader, now, reportWaitMs, zone }: ExportPlace,
  { format, withText, ...wish }: ExportWish,
  counted: (rows: number) => void = () => {},
): AsyncGenerator<string | Uint8Array> {
  const texts = withText ? campaignTexts(wish.campaign) : undefined;
  const wanted = { reader, ...wish, texts, unreportedBefore: now - reportWaitMs };
  if (format === 'xlsx') yield* exportWorkbook(wanted, { zone, counted });
  else yield* exportPages({ ...wanted, format }, counted);
}

/** So few that a page is gone before the collector of garbage looks: more are copied again and again, at twice the cost. */
const PAGE_ROWS = 128;

/** The text of an export, page by page. `counted` gets the number of rows of each page. */
export async function* exportPages(
  request: ExportRequest,
  counted: (rows: number) => void = () => {},
): AsyncGenerator<string> {
  const { campaign, as, format } = request;
  if (format === 'csv')
    yield as === 'contacts'
      ? contactLines([campaign.settings.header])
      : csvLine(columnsFor(request).map(({ name }) => name));
  for await (const rows of matchingRows(request)) {
    counted(rows.length);
    yield format === 'csv' ? csvPage(rows, request) : ndjsonPage(rows, request);
  }
}

/** The pages of an export as a workbook; its times are those of `zone`. `counted` as for `exportPages`. */
export function exportWorkbook(
  request: Wanted,
  { zone, counted }: { zone: string; counted: (rows: number) => void },
): AsyncGenerator<Uint8Array> {
  const { campaign, as } = request;
  const columns = as === 'contacts' ? textColumns(campaign.settings.header) : columnsFor(request);
  return figuresXlsx({ columns, rows: xlsxRows(request, counted) }, { sheet: campaign.name, zone });
}

async function* xlsxRows(request: Wanted, counted: (rows: number) => void): AsyncGenerator<Figure[]> {
  for await (const rows of matchingRows(request)) {
    counted(rows.length);
    for (const row of rows)
      yield request.as === 'contacts' ? contactCells(row, request) : cellsOf(row, request);
  }
}

/** A list that is uploaded again keeps its cells as they are. */
function textColumns(header: readonly string[], kind: 'text' | 'cell' = 'text'): Column[] {
  return header.map((name) => ({ name, kind }));
}

/** The contacts' own columns stand behind ours; one of the same name is told from ours. */
function columnsFor({ campaign, withFields = false, texts }: Wanted): Column[] {
  const columns = texts === undefined ? [...EXPORT_COLUMNS] : [...EXPORT_COLUMNS, TEXT];
  if (!withFields) return columns;
  const ours = new Set<string>(columns.map(({ name }) => name));
  const theirs = campaign.settings.header.map((name) => (ours.has(name) ? `contacts_${name}` : name));
  return [...columns, ...textColumns(theirs, 'cell')];
}

function cellsOf(row: MessageRow, request: Wanted): Figure[] {
  const ours: Figure[] = Object.values(exportRow(row, request));
  if (request.withFields !== true) return ours;
  return [...ours, ...request.campaign.settings.header.map((_, at) => shownField(row, at))];
}

/** A cell of the contacts as its person saw it; null: the row has none. */
function shownField({ fields }: MessageRow, at: number): string | null {
  const cell = fields[at];
  return cell === undefined ? null : shownOf(cell);
}

/** Pages of matching messages. The next page is read while this one is written. */
async function* matchingRows(request: Wanted): AsyncGenerator<MessageRow[]> {
  const { reader, campaign, as, texts } = request;
  const state = stateMeant(request.state, request.delivery);
  const states = state === null ? null : [state];
  const withFields = as === 'contacts' || request.withFields === true || texts !== undefined;
  const matches = filterOf(request);
  const pageAfter = (afterSeq: number) => {
    const reading = reader.messages({ campaign: campaign.n, afterSeq, limit: PAGE_ROWS, states, withFields });
    // Whoever wants no more rows never sees how this read ends.
    reading.catch(() => undefined);
    return reading;
  };
  for (let reading: Promise<MessageRow[]> | null = pageAfter(0); reading !== null; ) {
    const page: MessageRow[] = await reading;
    reading = page.length < PAGE_ROWS ? null : pageAfter(page.at(-1)?.seq ?? 0);
    // The question crosses at the end of this turn.
    await nextTurn();
    const matching = page.filter(matches);
    if (matching.length > 0) yield matching;
  }
}

/** All of the given filters must hold. */
function filterOf(request: Wanted): (row: MessageRow) => boolean {
  const { as, state, delivery = null, unreportedBefore } = request;
  const reason = request.reason?.toLowerCase() ?? null;
  const told = (row: MessageRow) => deliveryOf(row, unreportedBefore);
  const filters: ((row: MessageRow) => boolean)[] = [];
  // Only corrected contacts cancel with a reason. If uploaded again, a person's old date would win.
  if (as === 'contacts') filters.push((row) => row.state !== 'canceled' || row.reason === null);
  if (state !== null) filters.push((row) => row.state === state || told(row) === state);
  if (delivery !== null) filters.push((row) => told(row) === delivery);
  if (reason !== null) filters.push((row) => (row.reason ?? '').toLowerCase() === reason);
  return (row) => filters.every((holds) => holds(row));
}

/** The delivery of a message as reports name it: `unreported` where a sent one waited for too long. */
export function deliveryOf(
  row: Pick<MessageRow, 'delivery' | 'sentAt'>,
  unreportedBefore: number,
): MessageRow['delivery'] | 'unreported' {
  const late = row.delivery === 'pending' && row.sentAt !== null && row.sentAt < unreportedBefore;
  return late ? 'unreported' : row.delivery;
}

/** The cells of the contacts, by their values, because keys and dates come from those. A message of a series with own texts has one more cell (series-templates.ts). */
function contactCells({ fields }: MessageRow, { campaign }: Wanted): string[] {
  return fields.slice(0, campaign.settings.header.length).map(valueOf);
}

function csvPage(rows: MessageRow[], request: ExportRequest): string {
  if (request.as === 'contacts') return contactLines(rows.map((row) => contactCells(row, request)));
  return csvLines(rows.map((row) => cellsOf(row, request)));
}

function ndjsonPage(rows: MessageRow[], request: ExportRequest): string {
  const { header } = request.campaign.settings;
  const objects = rows.map((row) =>
    request.as === 'contacts'
      ? Object.fromEntries(header.map((name, index) => [name, valueOf(row.fields[index] ?? '')]))
      : ndjsonRow(row, request),
  );
  return objects.map((object) => `${printableJson(JSON.stringify(object))}\n`).join('');
}

function ndjsonRow(row: MessageRow, request: Wanted): object {
  const cells = exportRow(row, request);
  if (request.withFields !== true) return cells;
  const { header } = request.campaign.settings;
  return {
    ...cells,
    fields: Object.fromEntries(header.map((name, at) => [name, shownField(row, at) ?? ''])),
  };
}

/** The cells by their columns, in the order of these. */
function exportRow(row: MessageRow, wanted: Wanted): ExportRow {
  const { campaign, unreportedBefore, texts } = wanted;
  return {
    campaign: campaign.id,
    line: row.line,
    mobile: row.mobile,
    key: row.key,
    occurrence: row.occurrence,
    state: row.state,
    delivery: deliveryOf(row, unreportedBefore),
    reason: row.reason,
    provider_words: row.providerWords,
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
    due_at: time(dueAt(row, campaign)),
    offset: offsetOf(row.key, campaign.settings.remind),
    ...(texts === undefined ? {} : { text: textOf(row, texts) }),
  };
}

/** The moment of a reminder, or the start of its campaign; null: at once. */
function dueAt({ notBefore }: MessageRow, { settings, startAt }: Campaign): number | null {
  if (settings.remind === undefined) return startAt;
  return notBefore === 0 ? null : notBefore;
}

/** Null: its fields were purged. */
function textOf({ fields }: MessageRow, texts: SeriesTemplates): string | null {
  if (fields.length === 0) return null;
  const rendered = texts.render(fields);
  return rendered.ok ? rendered.text : null;
}

function time(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

/** Refuses (`state_forbids`) rows that were removed: an empty file would look as if nobody was left to write to. */
export async function refusePurged(
  reader: Pick<LedgerReader, 'purges'>,
  { n, id }: Pick<Campaign, 'n' | 'id'>,
): Promise<void> {
  if (!(await reader.purges()).some(({ campaign }) => campaign === n)) return;
  throw new TumaError('state_forbids', {
    message: `The contacts of campaign ${id} were purged.`,
    advice: { action: 'export_without_numbers' },
  });
}
