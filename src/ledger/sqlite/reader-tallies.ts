import type { DatabaseSync } from 'node:sqlite';
import type { Span } from './reader-campaigns.ts';
import { atMost, isUnpriced, type Price, priceOf, priceReads } from './reader-prices.ts';
import { bump, CODE, emptyTally, type Tally } from './reader-tally-sum.ts';
import { loadStatements } from './statements.ts';

/** Send and delivery latencies of a page of sent messages, milliseconds, in no order. */
export interface LatencyPage {
  send: Uint32Array;
  delivery: Uint32Array;
}

interface TallyRow {
  code: number;
  segments: number;
  cost: number | null;
  counted: number;
  network: string | null;
  leftAt: number | null;
}

const DELIVERED = 16;
const [SENT, UNCERTAIN, SKIPPED] = [2, 4, 5];
const LONGEST_LATENCY_MS = 2 ** 32 - 1;

/** Reads the counts of the campaign report, a page of messages at a time. */
export function tallyReads(database: DatabaseSync) {
  let page = emptyTally();
  let prices: Price[] = [];
  let latencies = { send: [] as number[], delivery: [] as number[] };
  database.aggregate('tally', {
    varargs: true,
    start: () => 0,
    // The arguments come in the order of the statement.
    step(_: number, ...cells) {
      const [code, segments, cost, counted, network, leftAt, reason] = cells;
      const row = { code, segments, cost, counted, network, leftAt } as unknown as TallyRow;
      tallyRow(page, row, prices);
      // Only opted-out messages are spared for good. Others were late, sent already, or sent by another
      // campaign. A sent message whose report says "opted out" was charged.
      if ((row.code & CODE.state) === SKIPPED && reason === 'opted out')
        page.sparedMicro += priceOf(prices, row.segments, 'lowest');
      if (reason !== null) bump(page.reasons, `${row.code} ${String(reason)}`);
      return 0;
    },
  });
  database.aggregate('latencies', {
    start: () => 0,
    step(_: number, send, delivery) {
      if (send !== null) latencies.send.push(clamp(Number(send)));
      if (delivery !== null) latencies.delivery.push(clamp(Number(delivery)));
      return 0;
    },
  });
  const sql = loadStatements(database, new URL('./reader-tallies.sql', import.meta.url));
  const pricesOf = priceReads(database);
  return {
    tally({ campaign, firstSeq, lastSeq, unreportedBefore }: Span & { unreportedBefore: number }): Tally {
      page = emptyTally();
      prices = pricesOf(campaign);
      page.lowestPriceMicro = prices.length === 0 ? null : priceOf(prices, 1, 'lowest');
      sql('tally').get(campaign, firstSeq, lastSeq, unreportedBefore);
      return page;
    },

    latencies({ campaign, firstSeq, lastSeq }: Span): LatencyPage {
      latencies = { send: [], delivery: [] };
      sql('latencies').get(campaign, firstSeq, lastSeq);
      return { send: Uint32Array.from(latencies.send), delivery: Uint32Array.from(latencies.delivery) };
    },
  };
}

function tallyRow(page: Tally, row: TallyRow, prices: Price[]): void {
  page.codes[row.code] = (page.codes[row.code] ?? 0) + 1;
  page.segments.planned += row.segments;
  page.segments[row.segments === 1 ? 'one' : row.segments === 2 ? 'two' : 'more'] += 1;
  const state = row.code & CODE.state;
  if (state === SENT) tallySent(page, row);
  if (state !== UNCERTAIN && (state !== SENT || row.cost !== null)) return;
  page[unknownPart(row.code)] += atMost(prices, row);
  if (isUnpriced(prices, row)) page.unpriced += 1;
}

/** The sum that the price of a message with unknown cost belongs to. */
function unknownPart(code: number) {
  if ((code & CODE.state) === SENT) return 'unknownMicro';
  return (code & CODE.writtenOff) === 0 ? 'atStakeMicro' : 'writtenOffMicro';
}

function tallySent(page: Tally, { code, cost, network, leftAt }: TallyRow): void {
  if (cost === null) page.unknownCost += 1;
  page.chargedMicro += cost ?? 0;
  let of = page.networks.get(network);
  if (of === undefined) page.networks.set(network, (of = { sent: 0, delivered: 0, chargedMicro: 0 }));
  of.sent += 1;
  of.chargedMicro += cost ?? 0;
  if ((code & CODE.delivery) === DELIVERED) of.delivered += 1;
  if (leftAt === null) return;
  page.firstSentAt = Math.min(page.firstSentAt ?? leftAt, leftAt);
  page.lastSentAt = Math.max(page.lastSentAt ?? leftAt, leftAt);
}

function clamp(ms: number): number {
  return Math.min(Math.max(0, ms), LONGEST_LATENCY_MS);
}
