import type { DatabaseSync } from 'node:sqlite';
import { prepareStatements } from './statements.ts';

/** What was seen on the campaign's account for so many segments. */
export interface Price {
  segments: number;
  highest: number;
  lowest: number;
}

/** Answers the prices that are known for a campaign. */
export function priceReads(database: DatabaseSync): (campaign: number) => Price[] {
  const sql = prepareStatements(database, new URL('./reader-prices.sql', import.meta.url), ['prices']);
  return (campaign) => sql.prices.all(campaign) as unknown as Price[];
}

/** What a message of unknown cost may have cost. One that was claimed before any price was known counts nothing yet. */
export function atMost(
  prices: Price[],
  { counted, segments }: { counted: number; segments: number },
): number {
  return Math.max(counted, priceOf(prices, segments, 'highest'));
}

/** The price seen for so many segments; where none was, as many times that of one segment. Zero: nothing is known. */
export function priceOf(prices: Price[], segments: number, which: 'highest' | 'lowest'): number {
  const seen = prices.find((price) => price.segments === segments);
  if (seen !== undefined) return seen[which];
  const perSegment = prices.map((price) => price[which] / price.segments);
  if (perSegment.length === 0) return 0;
  const unit = which === 'highest' ? Math.max(...perSegment) : Math.min(...perSegment);
  return Math.round(unit * segments);
}
