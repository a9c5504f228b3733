import { FREE_TO_BELIEVE, type MoneyMicro } from '../domain/money.ts';
import type { KnownPrice } from '../ledger/records.ts';

/** The configured costs a segment, of all networks; null to learn them. */
export type ConfiguredPrices = readonly MoneyMicro[] | null;

/**
 * The highest cost a segment that this worker saw an account pay, used to hold money back before a message is sent. A
 * configured price is where it begins; a dearer answer raises it at once. What the ledger knows, the claim adds.
 */
export class PriceBook {
  #configured: MoneyMicro | null;
  #highest = new Map<string, MoneyMicro>();
  /** Messages that cost nothing, of accounts that have paid for none. */
  #free = new Map<string, number>();

  constructor(configured: ConfiguredPrices) {
    this.#configured = configured === null || configured.length === 0 ? null : Math.max(...configured);
  }

  /** Micro units a segment; null while nothing is known. */
  highest(account: string): MoneyMicro | null {
    return this.#highest.get(account) ?? this.#configured;
  }

  /** Takes in the cost of one accepted message. */
  saw(account: string, costMicro: MoneyMicro, segments: number): void {
    const perSegment = microPerSegment({ costMicro, segments });
    if (perSegment <= (this.highest(account) ?? -1)) return;
    if (perSegment > 0 || this.#isFree(account)) this.#highest.set(account, perSegment);
  }

  #isFree(account: string): boolean {
    const count = (this.#free.get(account) ?? 0) + 1;
    this.#free.set(account, count);
    return count >= FREE_TO_BELIEVE;
  }
}

/** What a claim holds back a segment: whole micros, rounded up. */
export function microPerSegment({
  costMicro,
  segments,
}: Pick<KnownPrice, 'costMicro' | 'segments'>): MoneyMicro {
  return Math.ceil(costMicro / segments);
}
