import type { Connection } from '../../connection.ts';
import type { Delivery } from '../../../domain/message.ts';
import { type ChargedCampaign, type CostCell, type Costs, NO_COSTS } from '../../contracts/statement.ts';
import { inSteps, type Span } from './reader-campaigns.ts';
import { atMost, isUnpriced, type Price, priceReads } from './reader-prices.ts';
import { loadStatements } from '../../statements.ts';

/** Reads the sums of the account's statement, a page of messages at a time. */
export function statementReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-statement.sql', import.meta.url));
  sql('charged').setReturnArrays(true);
  const pricesOf = priceReads(database);
  return {
    accounts: async () => (await sql('accounts').all()).map(({ account }) => String(account)),

    campaignsBefore: async (instant: number) =>
      (await sql('campaigns_before').all(instant)) as unknown as ChargedCampaign[],

    async costCells({ midnights, ...span }: Span & { midnights: number[] }): Promise<CostCell[]> {
      const page = new CostCells({ midnights, prices: await pricesOf(span.campaign) });
      for (const step of inSteps(span))
        for (const row of await sql('charged').all(...step)) page.add(costRow(row));
      return page.cells();
    },
  };
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

interface CostRow {
  state: 'sent' | 'uncertain';
  writtenOff: number;
  leftAt: number;
  network: string | null;
  segments: number;
  cost: number | null;
  counted: number;
  delivery: Delivery | null;
}

/** Reads a row of `charged`; an array, because one is read for every message. */
function costRow(row: unknown): CostRow {
  const [state, writtenOff, leftAt, network, segments, cost, counted, delivery] = row as unknown[];
  return { state, writtenOff, leftAt, network, segments, cost, counted, delivery } as CostRow;
}

interface CellsOf {
  midnights: number[];
  prices: Price[];
}

/** The cells of one page. */
class CostCells {
  readonly #midnights: number[];
  readonly #prices: Price[];
  readonly #byDay = new Map<number | null, Map<string | null, CostCell>>();
  /** The day of the previous message, because neighbours were mostly sent on one day. */
  #day = 0;

  constructor({ midnights, prices }: CellsOf) {
    this.#midnights = midnights;
    this.#prices = prices;
  }

  add(row: CostRow): void {
    const cell = this.#cell(row);
    if (row.state === 'sent') this.#addSent(cell, row);
    else if (row.writtenOff === 0) {
      cell.uncertain += 1;
      cell.atStakeMicro += atMost(this.#prices, row);
    } else {
      cell.writtenOff += 1;
      cell.writtenOffMicro += atMost(this.#prices, row);
    }
    if (row.cost === null && isUnpriced(this.#prices, row)) cell.unpriced += 1;
  }

  #addSent(cell: CostCell, row: CostRow): void {
    cell.sent += 1;
    if (row.delivery === 'delivered') cell.delivered += 1;
    if (row.delivery === 'undelivered') cell.undelivered += 1;
    cell.firstAt = leastOf(cell.firstAt, row.leftAt);
    cell.lastAt = mostOf(cell.lastAt, row.leftAt);
    if (row.cost === null) {
      cell.unknown += 1;
      cell.unknownMicro += atMost(this.#prices, row);
    } else cell.chargedMicro += row.cost;
  }

  cells(): CostCell[] {
    return [...this.#byDay.values()].flatMap((cells) => [...cells.values()]);
  }

  #dayOf(instant: number): number | null {
    const midnights = this.#midnights;
    if (this.#holds(this.#day, instant)) return this.#day;
    if (instant < (midnights[0] ?? Infinity) || instant >= (midnights.at(-1) ?? 0)) return null;
    this.#day = midnights.findLastIndex((midnight) => midnight <= instant);
    return this.#day;
  }

  #holds(day: number, instant: number): boolean {
    return instant >= (this.#midnights[day] ?? Infinity) && instant < (this.#midnights[day + 1] ?? 0);
  }

  #cell({ leftAt, network }: CostRow): CostCell {
    const day = this.#dayOf(leftAt);
    let networks = this.#byDay.get(day);
    if (networks === undefined) this.#byDay.set(day, (networks = new Map()));
    let cell = networks.get(network);
    if (cell === undefined) {
      cell = { day, network, ...NO_COSTS, firstAt: null, lastAt: null };
      networks.set(network, cell);
    }
    return cell;
  }
}
