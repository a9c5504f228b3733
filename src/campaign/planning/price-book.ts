import { FREE_TO_BELIEVE, type MoneyMicro } from '../../domain/money.ts';
import type { KnownPrice } from '../../ledger/records.ts';

/** The configured costs a segment, of all networks; null to learn them. */
export type ConfiguredPrices = readonly MoneyMicro[] | null;

/** What one accepted message cost. */
export interface Paid {
  costMicro: MoneyMicro;
  segments: number;
  /** Null: the answer named none. */
  network: string | null;
}

/**
 * What a worker knows of an account's price a segment beside the ledger, whose latest price of each network the claim adds:
 * what is configured, that messages are free, and the highest of answers that name no network, because of these the ledger has only
 * the latest, whichever network it was.
 */
export class PriceBook {
  #configured: MoneyMicro | null;
  #unnamed = new Map<string, MoneyMicro>();
  /** Messages that cost nothing. */
  #free = new Map<string, number>();

  constructor(configured: ConfiguredPrices) {
    this.#configured = configured === null || configured.length === 0 ? null : Math.max(...configured);
  }

  /** Micro units a segment; null while nothing is known. */
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

/** What a claim holds back a segment: whole micros, rounded up. */
export function microPerSegment({
  costMicro,
  segments,
}: Pick<KnownPrice, 'costMicro' | 'segments'>): MoneyMicro {
  return Math.ceil(costMicro / segments);
}
