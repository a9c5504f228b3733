import type { MoneyMicro } from '../../domain/money.ts';
import type { ClaimRequest, ClaimStop } from '../sending.ts';

/**
 * How many messages can be paid. Each reserves its segments at the highest price, so that whatever is in flight, and
 * whatever nobody knows the fate of, can be paid together; `spent` and `reserved` are as the transaction found them.
 */

/** While no price is known, at most this many messages of the account are in flight: they are sent to learn it. */
export const MOST_WHILE_LEARNING = 10;

export interface Purse {
  /** Of the account: charged, and held back. */
  spent: MoneyMicro;
  reserved: MoneyMicro;
  in_flight: number;
  budget: MoneyMicro | null;
  campaign_spent: MoneyMicro;
  campaign_reserved: MoneyMicro;
}

export interface Affordable {
  /** At most this many, whatever they cost. */
  readonly most: number;
  readonly mostBecause: ClaimStop;
  /** What `pays` has reserved so far. */
  readonly reserved: MoneyMicro;
  /** What is short when `pays` says no. */
  readonly short: ClaimStop | null;
  /** Reserves for one message, or says no. */
  pays(segments: number): boolean;
}

export function affordable(purse: Purse, { priceMicro, ceilingMicro }: ClaimRequest): Affordable {
  const credit = ceilingMicro - purse.spent - purse.reserved;
  if (priceMicro === null) return learning(credit, purse.in_flight);
  const budget =
    purse.budget === null ? Infinity : purse.budget - purse.campaign_spent - purse.campaign_reserved;
  let reserved = 0;
  let short: ClaimStop | null = null;
  return {
    most: Infinity,
    mostBecause: 'balance',
    get reserved() {
      return reserved;
    },
    get short() {
      return short;
    },
    pays(segments) {
      const price = segments * priceMicro;
      if (reserved + price > credit) short = 'balance';
      else if (reserved + price > budget) short = 'budget';
      else reserved += price;
      return short === null;
    },
  };
}

function learning(credit: MoneyMicro, inFlight: number): Affordable {
  const paid = credit > 0;
  return {
    most: paid ? Math.max(0, MOST_WHILE_LEARNING - inFlight) : Infinity,
    mostBecause: 'learning',
    reserved: 0,
    short: paid ? null : 'balance',
    pays: () => paid,
  };
}
