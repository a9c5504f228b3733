import type { Connection } from '../../connection.ts';
import type { Delivery } from '../../../domain/message.ts';
import { type ChargedCampaign, type CostCell, type Costs, NO_COSTS } from '../../contracts/statement.ts';
import type { Span } from './reader-campaigns.ts';
import { atMost, isUnpriced, type Price, priceReads } from './reader-prices.ts';
import { loadStatements } from '../../statements.ts';

/** Reads the sums of the account's statement, a page of messages at a time. */
export function statementReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-statement.sql', import.meta.url));
  const pricesOf = priceReads(database);
  return {
    accounts: async () => (await sql('accounts').all()).map(({ account }) => String(account)),

    campaignsBefore: async (instant: number) =>
      (await sql('campaigns_before').all(instant)) as unknown as ChargedCampaign[],

    async costCells({
      campaign,
      firstSeq,
      lastSeq,
      midnights,
    }: Span & { midnights: number[] }): Promise<CostCell[]> {
      const prices = await pricesOf(campaign);
      const span = [midnights[0] ?? 0, midnights.at(-1) ?? 0, stepOf(midnights)];
      const rows = (await sql('costs').all(campaign, firstSeq, lastSeq, ...span)) as unknown as CostRow[];
      return sumOfCells(rows.map((row) => cellOf(row, { midnights, prices })));
    },
  };
}

/** The longest step of time that lies in one day wherever it begins: midnights are at full quarters of an hour. */
function stepOf(midnights: readonly number[]): number {
  const divisor = (left: number, right: number): number =>
    right === 0 ? left : divisor(right, left % right);
  return midnights.reduce(divisor, 0) || 1;
}

/** Adds the cells of all pages of a campaign up. */
export function sumOfCells(cells: CostCell[]): CostCell[] {
  const sums = new Map<string, CostCell>();
  for (const cell of cells) {
    const key = JSON.stringify([cell.day, cell.network]);
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...cell });
    else addCell(sum, cell);
  }
  return [...sums.values()];
}

function addCell(sum: CostCell, cell: CostCell): void {
  for (const part of PARTS) sum[part] += cell[part];
  sum.firstAt = leastOf(sum.firstAt, cell.firstAt);
  sum.lastAt = mostOf(sum.lastAt, cell.lastAt);
}

function leastOf(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.min(left, right);
}

function mostOf(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.max(left, right);
}

const PARTS = Object.keys(NO_COSTS) as (keyof Costs)[];

/** Messages that are the same to the statement. Times in milliseconds, money in millionths. */
interface CostRow {
  state: 'sent' | 'uncertain';
  writtenOff: number;
  delivery: Delivery | null;
  network: string | null;
  segments: number;
  /** Of each. */
  cost: number | null;
  counted: number;
  /** When the step begins in which they left; -1: on none of the days. */
  at: number;
  messages: number;
  firstAt: number;
  lastAt: number;
}

function cellOf(row: CostRow, { midnights, prices }: { midnights: number[]; prices: Price[] }): CostCell {
  const { state, network, cost, at, messages } = row;
  const most = messages * atMost(prices, row);
  const cell: CostCell = {
    day: at === -1 ? null : midnights.findLastIndex((midnight) => midnight <= at),
    network,
    ...NO_COSTS,
    unpriced: cost === null && isUnpriced(prices, row) ? messages : 0,
    firstAt: null,
    lastAt: null,
  };
  if (state === 'sent') return { ...cell, ...sentPart(row, most) };
  return row.writtenOff === 0
    ? { ...cell, uncertain: messages, atStakeMicro: most }
    : { ...cell, writtenOff: messages, writtenOffMicro: most };
}

/** `most`: what they cost at most if that is not known. */
function sentPart({ delivery, cost, messages, firstAt, lastAt }: CostRow, most: number): Partial<CostCell> {
  return {
    sent: messages,
    delivered: delivery === 'delivered' ? messages : 0,
    undelivered: delivery === 'undelivered' ? messages : 0,
    firstAt,
    lastAt,
    ...(cost === null ? { unknown: messages, unknownMicro: most } : { chargedMicro: cost * messages }),
  };
}
