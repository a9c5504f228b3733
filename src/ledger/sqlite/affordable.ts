import type { MoneyMicro } from '../../domain/money.ts';
import type { ClaimRequest, ClaimStop } from '../sending.ts';

/**
 * How many messages can be paid. Each reserves its segments at the highest price, so that whatever is in flight, and
 * whatever nobody knows the fate of, can be paid together; `spent` and `reserved` are as the transaction found them.
 */

/** While no price is known, at most this many messages of the account are in flight, without a budget: they are sent to learn it. */
export const MOST_WHILE_LEARNING = 10;

/**
 * What is under way may turn out dearer than any price that is known, and then a budget would be passed. So all of it together
 * is at most this share of what the budget has left, but for a single message: at up to twice the price it stays below.
 */
const SHARE_UNDER_WAY = 1 / 2;

/** The money that a claim may draw on, in millionths, as the statements name it. */
export interface Purse {
  /** Of the account: charged, held back, and how many are in flight. */
  spent: MoneyMicro;
  reserved: MoneyMicro;
  in_flight: number;
  budget: MoneyMicro | null;
  campaign_spent: MoneyMicro;
  campaign_reserved: MoneyMicro;
}

/** Keeps count of what one claim reserves. */
export interface Affordable {
  /** What has been reserved so far. */
  readonly reserved: MoneyMicro;
  /** Reserves for one more message. Answers what stands in the way, or null. */
  pay(segments: number): ClaimStop | null;
}

/** What a claim is paid by: the price, null while none is known, and the most that the account may spend. */
interface Terms extends Pick<ClaimRequest, 'priceMicro' | 'ceilingMicro'> {
  /** Whether a message of the campaign is in flight: asked only where that decides. */
  isUnderWay: () => boolean;
}

/** Opens the purse for one claim: message after message, until credit or budget are used up. */
export function affordable(purse: Purse, { priceMicro, ceilingMicro, isUnderWay }: Terms): Affordable {
  const credit = ceilingMicro - purse.spent - purse.reserved;
  const { budget, campaign_spent: spent, campaign_reserved: inFlight } = purse;
  const unspent = budget === null ? Infinity : budget - spent;
  const budgetLeft = unspent - inFlight;
  // Nothing is held back for what left before a price was known: beside it a budget pays for no other.
  const unpriced = budget !== null && inFlight === 0 && isUnderWay();
  // What costs nothing may be a gift that comes to its end, and then all that is on the wire would pass the budget.
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
    pay(segments) {
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
 * Under a budget one message of the campaign learns the price, because what it costs is all that may pass it; where messages
 * cost nothing, each. What other campaigns send passes their own.
 */
function learning(given: { credit: MoneyMicro; budgetLeft: MoneyMicro; room: number }): Affordable {
  const { credit, budgetLeft } = given;
  let { room } = given;
  return {
    reserved: 0,
    pay() {
      if (credit <= 0) return 'balance';
      if (budgetLeft <= 0) return 'budget';
      if (room <= 0) return 'learning';
      room -= 1;
      return null;
    },
  };
}
