import type { MoneyMicro } from '../../domain/money.ts';
import type { ClaimRequest, ClaimStop } from '../contracts/sending.ts';

/**
 * Decides how many messages can be paid. Each message reserves its segments at the highest price, so that all
 * messages in flight and all uncertain ones can be paid together. `spent` and `reserved` are as this
 * transaction reads them.
 */

/** The most messages of the account in flight without a known price and a budget; they teach the price. */
export const MOST_WHILE_LEARNING = 10;

/**
 * Messages in flight may cost more than any known price. So together they reserve at most this share of the
 * unspent budget: up to twice the price stays within it. A single message may reserve more.
 */
const SHARE_UNDER_WAY = 1 / 2;

/** The money that a claim may use, in millionths, with the statement's names. */
export interface Purse {
  /** The account's charged and reserved money, and its number of messages in flight. */
  spent: MoneyMicro;
  reserved: MoneyMicro;
  in_flight: number;
  budget: MoneyMicro | null;
  campaign_spent: MoneyMicro;
  campaign_reserved: MoneyMicro;
  /** 1: a budget has nothing reserved, and yet a message of the campaign is in flight. */
  under_way: number;
}

/** The money that one claim reserves. */
export interface Reservation {
  /** The reserved sum so far. */
  readonly reserved: MoneyMicro;
  /** Reserves money for one more message. Returns the obstacle, or null. */
  add(segments: number): ClaimStop | null;
}

/** The terms of a claim: the price (null while none is known) and the most that the account may spend. */
type Terms = Pick<ClaimRequest, 'priceMicro' | 'ceilingMicro'>;

/** Begins the reservation of one claim: message after message, until credit or budget is used up. */
export function affordable(purse: Purse, { priceMicro, ceilingMicro }: Terms): Reservation {
  const credit = ceilingMicro - purse.spent - purse.reserved;
  const { budget, campaign_spent: spent, campaign_reserved: inFlight } = purse;
  const unspent = budget === null ? Infinity : budget - spent;
  const budgetLeft = unspent - inFlight;
  // A message that left before a price was known has no reservation, so a budget pays for no other beside it.
  const unpriced = purse.under_way === 1;
  // Free messages may end at any time, and then all messages in flight together would exceed the budget.
  const isKnown = priceMicro !== null && !unpriced && (priceMicro > 0 || budget === null);
  if (!isKnown) {
    const alone = Number(inFlight === 0 && !unpriced);
    const room = budget === null ? MOST_WHILE_LEARNING - purse.in_flight : alone;
    return learning({ credit, budgetLeft, room });
  }
  let reserved = 0;
  return {
    get reserved() {
      return reserved;
    },
    add(segments) {
      const price = segments * priceMicro;
      if (reserved + price > credit) return 'balance';
      if (reserved + price > budgetLeft) return 'budget';
      const underWay = inFlight + reserved;
      if (underWay > 0 && underWay + price > unspent * SHARE_UNDER_WAY) return 'budget';
      reserved += price;
      return null;
    },
  };
}

/**
 * Without a known price, a campaign with a budget has one message in flight, because only its cost may exceed
 * the budget. Free messages go one by one, too.
 */
function learning(given: { credit: MoneyMicro; budgetLeft: MoneyMicro; room: number }): Reservation {
  const { credit, budgetLeft } = given;
  let { room } = given;
  return {
    reserved: 0,
    add() {
      if (credit <= 0) return 'balance';
      if (budgetLeft <= 0) return 'budget';
      if (room <= 0) return 'learning';
      room -= 1;
      return null;
    },
  };
}
