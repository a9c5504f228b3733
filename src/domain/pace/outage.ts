/** The messaging service does not answer one worker. Times are UTC milliseconds. */
export interface Outage {
  /** The first failure since its last good answer. */
  since: number;
  /** The next try; in the past: now. */
  nextTryAt: number;
}

/** What several workers see together: the earliest times; null: it answers all of them. */
export function jointOutage(seen: readonly (Outage | null)[]): Outage | null {
  const outages = seen.flatMap((outage) => outage ?? []);
  if (outages.length === 0) return null;
  return {
    since: Math.min(...outages.map(({ since }) => since)),
    nextTryAt: Math.min(...outages.map(({ nextTryAt }) => nextTryAt)),
  };
}
