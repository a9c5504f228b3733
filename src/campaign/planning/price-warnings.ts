import { type ConfiguredPrices, microPerSegment } from './price-book.ts';
import { formatMoney, type MoneyMicro, grouped } from '../../domain/money.ts';
import type { KnownPrice } from '../../ledger/records.ts';

/** What a plan knows of the price of a segment. */
export interface PlannedPrices {
  configured: ConfiguredPrices;
  learned: KnownPrice[];
}

/** Where claims hold back another price than the one that the estimate is made from, and what comes of that. */
export function priceWarnings(
  { configured, learned }: PlannedPrices,
  { budgetMicro, currency }: { budgetMicro: MoneyMicro | null; currency: string },
): string[] {
  if (configured === null && learned.length === 0) return [];
  const set = Math.max(0, ...(configured ?? []));
  const paid = Math.max(0, ...learned.map(microPerSegment));
  if (configured !== null && paid > set)
    return [
      `the account has paid ${currency} ${grouped(formatMoney(paid))} a segment, more than TUMA_PRICE: so much is held back for each, and where a budget or the balance has less left the campaign pauses`,
    ];
  if (budgetMicro === null || paid + set > 0) return [];
  return [
    'messages have cost nothing so far, and that may end: under a budget they go one at a time (faster with TUMA_PRICE, what one costs then)',
  ];
}
