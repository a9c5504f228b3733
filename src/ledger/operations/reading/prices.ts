/** The known prices of an account for this number of segments, in millionths. */
export interface Price {
  segments: number;
  highest: number;
  lowest: number;
}

/** The highest possible cost of a message with unknown cost. A claim before any price counts nothing yet. */
export function atMost(
  prices: Price[],
  { counted, segments }: { counted: number; segments: number },
): number {
  return Math.max(counted, priceOf(prices, segments, 'highest'));
}

/** True: the possible cost is unknown. It counts nothing, although this account's messages are not free. */
export function isUnpriced(prices: Price[], { counted }: { counted: number }): boolean {
  return prices.length === 0 && counted === 0;
}

/**
 * The highest or lowest possible cost of this many segments, by all known prices of any number of segments.
 * The reason: a price at one network says nothing about another network. Zero: no price is known.
 */
export function priceOf(prices: Price[], segments: number, which: 'highest' | 'lowest'): number {
  if (prices.length === 0) return 0;
  const seen = prices.map((price) => (price[which] * segments) / price.segments);
  return which === 'highest' ? Math.ceil(Math.max(...seen)) : Math.floor(Math.min(...seen));
}
