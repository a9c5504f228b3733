import { formatMoney, parseMoney, share } from '../domain/money.ts';
import type { CampaignReport } from './campaign-report.ts';
import type { Column, Figure, Figures } from './figures.ts';
import type { AccountStatement, CostPart, Statement } from './statement.ts';

/* The rows of a statement for a spreadsheet, and the same row of one campaign's report. */

/** The lists of a statement. */
export const STATEMENT_LISTS = ['campaign', 'network', 'day'] as const;
/** One of STATEMENT_LISTS. */
export type StatementList = (typeof STATEMENT_LISTS)[number];

const text = (name: string): Column => ({ name, kind: 'text' });
const count = (name: string): Column => ({ name, kind: 'count' });
const money = (name: string): Column => ({ name, kind: 'money' });
const SHARE: Column = { name: 'delivered_percent', kind: 'percent' };

/** The columns of a campaign's row, in the order that never changes. */
export const CAMPAIGN_COLUMNS: readonly Column[] = [
  text('campaign'),
  text('id'),
  { name: 'first_sent', kind: 'time' },
  { name: 'last_sent', kind: 'time' },
  count('planned'),
  count('sent'),
  count('delivered'),
  SHARE,
  count('undelivered'),
  count('rejected'),
  count('uncertain'),
  money('estimated'),
  money('charged'),
  money('per_delivered'),
  text('currency'),
];

const PART_COLUMNS: readonly Column[] = [
  count('sent'),
  count('delivered'),
  SHARE,
  count('undelivered'),
  count('uncertain'),
  money('charged'),
  money('per_delivered'),
  text('currency'),
];

/**
 * One list of a statement. Sent, delivered, undelivered, uncertain and charged are those of the days of the statement;
 * planned, rejected and estimated those of the whole campaign.
 */
export function statementRows({ accounts }: Statement, by: StatementList): Figures {
  if (by === 'campaign') {
    const rows = accounts.flatMap(campaignRows);
    return { columns: CAMPAIGN_COLUMNS, rows, total: totalOf(CAMPAIGN_COLUMNS, rows) };
  }
  const columns = [text(by), ...PART_COLUMNS];
  const rows = accounts.flatMap(({ currency, by_day, by_network }) =>
    by === 'day'
      ? by_day.map((part) => [part.day, ...partRow(part, currency)])
      : by_network.map((part) => [part.network, ...partRow(part, currency)]),
  );
  return { columns, rows, total: totalOf(columns, rows) };
}

/** The report of one campaign as the row of a statement, over all its days. */
export function reportRow({ campaign, rows, messages, delivery, cost, throughput }: CampaignReport): Figures {
  const { sent, rejected, uncertain } = messages;
  const { delivered, undelivered } = delivery;
  const row: Figure[] = [
    campaign.name,
    campaign.id,
    throughput.first_sent_at,
    throughput.last_sent_at,
    rows.planned,
    sent,
    delivered,
    shareOf({ sent, delivered }),
    undelivered,
    rejected,
    uncertain,
    cost.estimated,
    cost.charged,
    cost.per_delivered,
    cost.currency,
  ];
  return { columns: CAMPAIGN_COLUMNS, rows: [row] };
}

/** The sums of the rows; null where a part is not known, and for what cannot be added up. */
function totalOf(columns: readonly Column[], rows: Figure[][]): Figure[] {
  const sums = columns.map(({ kind }, at) =>
    sumOf(
      kind,
      rows.map((row) => row[at] ?? null),
    ),
  );
  const place = (name: string) => columns.findIndex((column) => column.name === name);
  const counts = { sent: Number(sums[place('sent')]), delivered: Number(sums[place('delivered')]) };
  sums[0] = 'Total';
  sums[place(SHARE.name)] = shareOf(counts);
  sums[place('per_delivered')] = null;
  const currencies = new Set(rows.map((row) => row[place('currency')]));
  if (currencies.size === 1) sums[place('currency')] = rows[0]?.[place('currency')] ?? null;
  return sums;
}

function sumOf(kind: Column['kind'], figures: Figure[]): Figure {
  if (kind === 'count') return figures.reduce<number>((sum, figure) => sum + Number(figure), 0);
  if (kind !== 'money') return null;
  const amounts = figures.map((figure) => (figure === null ? null : parseMoney(String(figure))));
  if (amounts.includes(null)) return null;
  return formatMoney(amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0));
}

function campaignRows({ currency, by_campaign }: AccountStatement): Figure[][] {
  return by_campaign.map((part) => [
    part.name,
    part.id,
    part.first_sent_at,
    part.last_sent_at,
    part.planned,
    part.sent,
    part.delivered,
    shareOf(part),
    part.undelivered,
    part.rejected,
    part.uncertain,
    part.estimated,
    part.charged,
    perDelivered(part),
    currency,
  ]);
}

function partRow(part: CostPart, currency: string): Figure[] {
  return [
    part.sent,
    part.delivered,
    shareOf(part),
    part.undelivered,
    part.uncertain,
    part.charged,
    perDelivered(part),
    currency,
  ];
}

/** Per cent of the sent messages, with one decimal; null: nothing was sent. */
function shareOf({ sent, delivered }: { sent: number; delivered: number }): number | null {
  return sent === 0 ? null : Math.round((delivered * 1_000) / sent) / 10;
}

/** Null: nothing was delivered, or the cost of a message is not known. */
function perDelivered({ delivered, unknown, charged }: CostPart): string | null {
  const chargedMicro = parseMoney(charged);
  if (delivered === 0 || unknown > 0 || chargedMicro === null) return null;
  return formatMoney(share(chargedMicro, delivered));
}
