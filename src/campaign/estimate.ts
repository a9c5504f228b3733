import type { SendWindow } from '../domain/campaign.ts';
import type { MoneyMicro } from '../domain/money.ts';
import { windowState } from '../domain/window.ts';
import type { KnownPrice } from '../ledger/records.ts';
import type { ConfiguredPrices } from './price-book.ts';

/** What a campaign may cost: the segments at the lowest and at the highest price that is known. */
export interface CostEstimate {
  basis: 'configured' | 'learned' | 'unknown';
  /** Null when no price is known. */
  lowerMicro: MoneyMicro | null;
  upperMicro: MoneyMicro | null;
}

/** A configured price wins over a learned one; without either the cost is unknown, and is not guessed. */
export function estimateCost(
  segments: number,
  { configured, learned }: { configured: ConfiguredPrices; learned: KnownPrice[] },
): CostEstimate {
  const prices = configured ?? learned.map(perSegment);
  if (prices.length === 0) return { basis: 'unknown', lowerMicro: null, upperMicro: null };
  return {
    basis: configured === null ? 'learned' : 'configured',
    lowerMicro: segments * Math.min(...prices),
    upperMicro: segments * Math.max(...prices),
  };
}

function perSegment({ costMicro, segments }: KnownPrice): MoneyMicro {
  return Math.ceil(costMicro / segments);
}

/** When the last message would leave, held against the send window. Instants in milliseconds. */
export interface Forecast {
  /** Messages a second that the settings allow; null: unlimited, so that only the provider decides. */
  ratePerSecond: number | null;
  startsAt: number;
  finishesAt: number | null;
  windowClosesAt: number | null;
  /** Null when nobody can tell. */
  fits: boolean | null;
}

export function forecast(plan: {
  messages: number;
  rates: (number | null)[];
  window: SendWindow | null;
  zone: string;
  startsAt: number;
}): Forecast {
  const rates = plan.rates.filter((rate) => rate !== null);
  const ratePerSecond = rates.length === 0 ? null : Math.min(...rates);
  const state = windowState(plan.window, plan.zone, plan.startsAt);
  const startsAt = state.open ? plan.startsAt : state.opensAt;
  const opened = state.open ? state : windowState(plan.window, plan.zone, state.opensAt);
  const windowClosesAt = opened.open ? opened.closesAt : null;
  const finishesAt =
    ratePerSecond === null ? null : startsAt + Math.ceil((plan.messages / ratePerSecond) * 1_000);
  const fits = windowClosesAt === null ? true : finishesAt === null ? null : finishesAt <= windowClosesAt;
  return { ratePerSecond, startsAt, finishesAt, windowClosesAt, fits };
}
