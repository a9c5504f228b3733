import { FREE_TO_BELIEVE, type MoneyMicro } from '../../domain/money.ts';
import type { KnownPrice } from '../../ledger/contracts/records.ts';

/** The configured costs a segment, of all networks; null to learn them. */
export type ConfiguredPrices = readonly MoneyMicro[] | null;

/** The cost of one accepted message. */
export interface Paid {
  costMicro: MoneyMicro;
  segments: number;
  /** Null: the answer named none. */
  network: string | null;
}

/**
 * The prices per segment of accounts, beside those of the ledger: the configured price, and the highest price
 * of answers without a network. It also knows whether messages are free. The claim adds the ledger's latest
 * price of each network.
 */
export class PriceBook {
  #configured: MoneyMicro | null;
  #unnamed = new Map<string, MoneyMicro>();
  /** Messages that cost nothing. */
  #free = new Map<string, number>();

  constructor(configured: ConfiguredPrices) {
    this.#configured = configured === null || configured.length === 0 ? null : Math.max(...configured);
  }

  /** Micro units per segment; null: unknown. */
  highest(account: string): MoneyMicro | null {
    const known = this.#unnamed.get(account) ?? this.#configured;
    return known ?? ((this.#free.get(account) ?? 0) >= FREE_TO_BELIEVE ? 0 : null);
  }

  /** Takes in the cost of one accepted message. */
  saw(account: string, paid: Paid): void {
    if (paid.costMicro === 0) this.#free.set(account, (this.#free.get(account) ?? 0) + 1);
    else if (paid.network === null)
      this.#unnamed.set(account, Math.max(microPerSegment(paid), this.highest(account) ?? 0));
  }
}

/** The money that a claim reserves per segment: whole micros, rounded up. */
export function microPerSegment({
  costMicro,
  segments,
}: Pick<KnownPrice, 'costMicro' | 'segments'>): MoneyMicro {
  return Math.ceil(costMicro / segments);
}
