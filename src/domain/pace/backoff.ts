import type { RetryPolicy } from '../campaign.ts';

/** A wait is drawn from [1 - JITTER, 1] of the full one, so that messages refused together do not return together. */
const JITTER = 0.25;

/** Milliseconds to wait before try number `tries` + 1: doubling from `firstMs`, capped at `mostMs`. `random` in [0, 1). */
export function backoffMs(policy: RetryPolicy, tries: number, random: number): number {
  const full = Math.min(policy.firstMs * 2 ** Math.max(0, tries - 1), policy.mostMs);
  return Math.round(full * (1 - JITTER * random));
}
