import type { MoneyMicro } from './money.ts';

/**
 * A service charges at the latest so long after its answer, in milliseconds. What was answered that shortly before a
 * balance reading may still have been charged after it.
 */
export const LATE_CHARGE_MS = 600_000;

/**
 * A message of unknown cost may be to a network dearer than any that was seen. It counts as so many times the dearest
 * price known; when a worker is killed these are at most its claim limit.
 */
export const DEARER = 10;

/** A service may tell whole units of the currency only, so that less than one is no difference. */
export const LEAST_DIFFERENCE: MoneyMicro = 1_000_000;

/** What may have been charged since a balance reading, by all that the ledger holds. */
export interface ChargedSince {
  /** What the reading said. */
  creditMicro: MoneyMicro;
  /** Charges that are known: recorded since the reading began, or up to LATE_CHARGE_MS before. */
  knownMicro: MoneyMicro;
  /** Segments of messages on the wire, and of those that became uncertain or whose answer named no cost in that time. */
  unknownSegments: number;
  /** The dearest price a segment that was ever seen, held back, configured or launched with; null: none is known. */
  dearestMicro: MoneyMicro | null;
}

/**
 * The least that an account's credit can be if nobody but this ledger spends from it: the reading, less everything that
 * may have been charged since, at the dearest. `unknown`: something of unknown cost may have been charged, and no price is known.
 */
export function leastCredit(since: ChargedSince): MoneyMicro | 'unknown' {
  const { creditMicro, knownMicro, unknownSegments, dearestMicro } = since;
  if (unknownSegments === 0) return creditMicro - knownMicro;
  if (dearestMicro === null) return 'unknown';
  return creditMicro - knownMicro - unknownSegments * DEARER * Math.ceil(dearestMicro);
}
