import type { Connection } from '../../connection.ts';
import {
  type ChargedCampaign,
  type CostCell,
  type Costs,
  NO_COSTS,
  type StatementReader,
} from '../../contracts/statement.ts';
import type { Span } from './campaigns.ts';
import type { CounterReads } from './counters.ts';
import { atMost, isUnpriced, type Price } from './prices.ts';
import { loadStatements } from '../../statements.ts';

/** In every zone a day begins at a quarter of an hour. */
const QUARTER_MS = 900_000;

/** Messages that are alike and left in one step of time. */
interface ChargedRow {
  step: number;
  network: string | null;
  state: 'sent' | 'uncertain';
  writtenOff: 0 | 1;
  segments: number;
  /** What each counts; null: their costs are known. */
  counted: number | null;
  messages: number;
  cost: number | null;
  delivered: number;
  undelivered: number;
  firstAt: number;
  lastAt: number;
}

/** Reads the sums of the account's statement, a page of messages at a time. */
export function statementReads(database: Connection, { prices }: Pick<CounterReads, 'prices'>) {
  const sql = loadStatements(database, new URL('./statement.sql', import.meta.url));
  return {
    campaignsBefore: async (instant: number) => await sql<ChargedCampaign>('campaigns_before').all(instant),

    async costCells({ midnights, campaign, firstSeq, lastSeq }: Span & { midnights: number[] }) {
      const known = await prices(campaign);
      const [first = 0, second = Infinity] = midnights;
      const step = Math.min(QUARTER_MS, second - first);
      const rows = await sql<ChargedRow>('charged').all(campaign, firstSeq, lastSeq, step);
      return sumOfCells(rows.map((row) => cellOf(row, known, midnights)));
    },
  } satisfies Pick<StatementReader, 'campaignsBefore'> & { costCells: unknown };
}

/** Adds cells of one day and network up. */
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

const PARTS = Object.keys(NO_COSTS) as (keyof Costs)[];

function addCell(sum: CostCell, cell: CostCell): void {
  for (const part of PARTS) sum[part] += cell[part];
  sum.firstAt = cell.firstAt === null ? sum.firstAt : Math.min(sum.firstAt ?? cell.firstAt, cell.firstAt);
  sum.lastAt = cell.lastAt === null ? sum.lastAt : Math.max(sum.lastAt ?? cell.lastAt, cell.lastAt);
}

function cellOf(row: ChargedRow, prices: Price[], midnights: number[]): CostCell {
  const { network, state, messages } = row;
  const { open, openMicro, unpriced } = unknownOf(row, prices);
  const day = dayOf(row.step, midnights);
  const cell = { day, network, ...NO_COSTS, unpriced, firstAt: null, lastAt: null };
  if (state === 'uncertain')
    return row.writtenOff === 0
      ? { ...cell, uncertain: messages, atStakeMicro: openMicro }
      : { ...cell, writtenOff: messages, writtenOffMicro: openMicro };
  const { delivered, undelivered, firstAt, lastAt, cost } = row;
  const sent = { sent: messages, delivered, undelivered, firstAt, lastAt, chargedMicro: cost ?? 0 };
  return { ...cell, ...sent, unknown: open, unknownMicro: openMicro };
}

function unknownOf({ counted, segments, messages }: ChargedRow, prices: Price[]) {
  if (counted === null) return { open: 0, openMicro: 0, unpriced: 0 };
  const openMicro = messages * atMost(prices, { counted, segments });
  return { open: messages, openMicro, unpriced: isUnpriced(prices, { counted }) ? messages : 0 };
}

function dayOf(instant: number, midnights: number[]): number | null {
  if (instant < (midnights[0] ?? Infinity) || instant >= (midnights.at(-1) ?? 0)) return null;
  return midnights.findLastIndex((midnight) => midnight <= instant);
}
