/** Several measurements of one thing. */
export interface Spread {
  median: number;
  least: number;
  most: number;
  /** All of them, in the order they were made. */
  values: number[];
}

/** What is told of several measurements: the median, for one slow run must not count, and how far they lie apart. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('nothing was measured');
  return {
    median: quantile(values, 0.5),
    least: Math.min(...values),
    most: Math.max(...values),
    values: [...values],
  };
}

/** Each measurement divided by the one made next to it. */
export function ratios(values: readonly number[], dividedBy: readonly number[]): number[] {
  if (values.length !== dividedBy.length) throw new RangeError('measured in pairs only');
  return values.map((value, index) => value / (dividedBy[index] as number));
}

/** The value below which that share of all lies; between two neighbours it is interpolated. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? NaN;
  const high = sorted[Math.ceil(place)] ?? NaN;
  return low + (high - low) * (place - Math.floor(place));
}
