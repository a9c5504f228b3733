import type { DatabaseSync } from 'node:sqlite';
import { loadStatements } from './statements.ts';

/** What was seen on the campaign's account for so many segments. */
export interface Price {
  segments: number;
  highest: number;
  lowest: number;
}

/** Returns the prices that are known for a campaign. */
export function priceReads(database: DatabaseSync): (campaign: number) => Price[] {
  const sql = loadStatements(database, new URL('./reader-prices.sql', import.meta.url));
  return (campaign) => sql('prices').all(campaign) as unknown as Price[];
}

/** What a message of unknown cost may have cost. One that was claimed before any price was known counts nothing yet. */
export function atMost(
  prices: Price[],
  { counted, segments }: { counted: number; segments: number },
): number {
  return Math.max(counted, priceOf(prices, segments, 'highest'));
}

/** Whether nobody can tell what it may have cost: it counts nothing, and not because messages of this account are free. */
export function isUnpriced(prices: Price[], { counted }: { counted: number }): boolean {
  return prices.length === 0 && counted === 0;
}

/**
 * The highest or the lowest that so many segments may have cost, by each price that was seen, of whatever number of segments:
 * what a message of two cost at one network says nothing of another one. Zero: nothing is known.
 */
export function priceOf(prices: Price[], segments: number, which: 'highest' | 'lowest'): number {
  if (prices.length === 0) return 0;
  const seen = prices.map((price) => (price[which] * segments) / price.segments);
  return which === 'highest' ? Math.ceil(Math.max(...seen)) : Math.floor(Math.min(...seen));
}
