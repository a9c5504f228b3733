import { formatMoney } from '../../domain/money.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import { untilWords } from '../../domain/time/time-words.ts';
import { totalOf } from '../../domain/message.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import { clock } from '../../reports/report-words.ts';
import { type Column, columnsOf, displayWidth, renderTable, shortened } from './table.ts';

/** How the campaigns are listed. */
export interface ListStyle {
  zone: string;
  now: number;
  /** Columns of the terminal; null: tab-separated, for a program. */
  width: number | null;
}

interface Table {
  columns: Column[];
  rows: string[][];
}

const COLUMNS = columnsOf(
  ['id', 'name', 'state', 'sent', 'of', 'rejected', 'skipped', 'uncertain', 'spent', 'started'],
  ['sent', 'of', 'rejected', 'skipped', 'uncertain', 'spent'],
);
/** Names are told apart by so much; a shorter one takes less. */
const LEAST_NAME = 10;

/** All campaigns, a row each. On a narrow terminal the least important columns go. */
export function campaignTable(overviews: readonly CampaignOverview[], style: ListStyle): string {
  const { width } = style;
  let table: Table = { columns: COLUMNS, rows: overviews.map((overview) => rowOf(overview, style)) };
  if (width === null) return renderTable(table.columns, table.rows, { padded: false });
  for (const tighten of HARMLESS) if (widthOf(table) > width) table = tighten(table);
  for (const heading of ['started', 'spent', 'skipped', 'rejected'])
    if (widthOf(shortNames(table, width)) > width) table = without(table, heading);
  const { columns, rows } = shortNames(table, width);
  return renderTable(columns, rows, { padded: true });
}

/** Nothing is missed of what these take, in this order. */
const HARMLESS: readonly ((table: Table) => Table)[] = [
  (table) => change(table, 'started', (words) => words.replace(/ \d{4} (\d\d:\d\d):\d\d$/, ' $1')),
  (table) => withoutZeros(table, 'skipped'),
  (table) => withoutZeros(table, 'uncertain'),
  (table) => withoutZeros(table, 'rejected'),
];

function rowOf(
  { campaign, state, reason, messages, spentMicro, unpriced = 0, startedAt }: CampaignOverview,
  style: ListStyle,
) {
  return [
    campaign.id,
    campaign.name,
    reason === null ? state : `${state} (${reason})`,
    String(messages.sent),
    String(totalOf({ messages })),
    String(messages.rejected),
    String(messages.skipped),
    String(messages.uncertain),
    unpriced > 0 ? 'not known' : formatMoney(spentMicro),
    startedWords(campaign, startedAt, style),
  ];
}

function startedWords(
  { state, startAt }: CampaignOverview['campaign'],
  startedAt: number | null,
  { zone, now }: ListStyle,
): string {
  if (state === 'scheduled' && startAt !== null) return `starts ${untilWords(startAt, now)}`;
  return startedAt === null ? '' : clock(isoTime(startedAt), zone);
}

function widthOf({ columns, rows }: Table): number {
  const lines = renderTable(columns, rows, { padded: true }).split('\n');
  return Math.max(...lines.map(displayWidth));
}

function change(table: Table, heading: string, changed: (cell: string) => string): Table {
  const at = table.columns.findIndex((column) => column.heading === heading);
  const rows = table.rows.map((cells) => cells.map((cell, index) => (index === at ? changed(cell) : cell)));
  return { ...table, rows };
}

function without({ columns, rows }: Table, heading: string): Table {
  const at = columns.findIndex((column) => column.heading === heading);
  if (at === -1) return { columns, rows };
  return { columns: columns.toSpliced(at, 1), rows: rows.map((cells) => cells.toSpliced(at, 1)) };
}

/** Leaves out a column of zeros. */
function withoutZeros(table: Table, heading: string): Table {
  const at = table.columns.findIndex((column) => column.heading === heading);
  return table.rows.every((cells) => cells[at] === '0') ? without(table, heading) : table;
}

/** As short as it takes, if at all; each name by itself is recognised by its begin, and meant by its id. */
function shortNames(table: Table, width: number): Table {
  const longest = Math.max(...table.rows.map(([, name = '']) => displayWidth(name)));
  const room = Math.max(LEAST_NAME, longest - Math.max(0, widthOf(table) - width));
  return change(table, 'name', (name) => shortened(name, room));
}
