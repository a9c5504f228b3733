import type { AnswerMeaning } from '../../domain/answer-meaning.ts';
import type { CampaignState } from '../../domain/campaign.ts';
import type { MoneyMicro } from '../../domain/money.ts';

/*
 * What verdicts do to the money of campaigns and accounts, as plain sums. account.reserved = Σ message.reserved;
 * campaign.spent = Σ message.counted; campaign.reserved = Σ message.reserved of those sending; account.in_flight =
 * messages sending.
 */

/** The changes of one transaction to one campaign's money, summed up and posted once. */
export interface Entry {
  readonly account: string;
  readonly state: CampaignState;
  /** Changes of campaign.spent and campaign.reserved. */
  campaignSpent: MoneyMicro;
  campaignReserved: MoneyMicro;
  /** Changes of account.spent, .assumed, .reserved and .in_flight. */
  spent: MoneyMicro;
  assumed: MoneyMicro;
  reserved: MoneyMicro;
  inFlight: number;
}

/** The money of a message: held back on its account, and counted as spent by its campaign. */
export interface MessageMoney {
  reserved: MoneyMicro;
  counted: MoneyMicro;
}

/** An entry without changes. */
export function emptyEntry({ account, state }: Pick<Entry, 'account' | 'state'>): Entry {
  const zero = { campaignSpent: 0, campaignReserved: 0, spent: 0, assumed: 0, reserved: 0, inFlight: 0 };
  return { account, state, ...zero };
}

/** The changes of one account. */
export type AccountSums = Pick<Entry, 'account' | 'spent' | 'assumed' | 'reserved' | 'inFlight'>;

/** The changes of each account, over all of its campaigns. */
export function byAccount(entries: Iterable<Entry>): AccountSums[] {
  const sums = new Map<string, AccountSums>();
  for (const { account, spent, assumed, reserved, inFlight } of entries) {
    const sum = sums.get(account) ?? { account, spent: 0, assumed: 0, reserved: 0, inFlight: 0 };
    sum.spent += spent;
    sum.assumed += assumed;
    sum.reserved += reserved;
    sum.inFlight += inFlight;
    sums.set(account, sum);
  }
  return [...sums.values()];
}

/** The cost of a sent message, in millionths. */
export interface SeenPrice {
  account: string;
  network: string | null;
  segments: number;
  costMicro: MoneyMicro;
}

/** The prices of one transaction: one for each account, network and number of segments. */
export class SeenPrices {
  readonly #prices = new Map<string, SeenPrice>();

  /** The next estimate uses the latest cost; zero only if no other cost is known. */
  see(price: SeenPrice): void {
    const key = `${price.segments} ${price.network ?? ''} ${price.account}`;
    if (price.costMicro > 0 || !this.#prices.has(key)) this.#prices.set(key, price);
  }

  values(): Iterable<SeenPrice> {
    return this.#prices.values();
  }
}

/** Books an uncertain message as a person mapped its answer. */
export function bookMapped(
  entry: Entry,
  { reserved, counted }: MessageMoney,
  meaning: Exclude<AnswerMeaning, 'uncertain'>,
): void {
  entry.reserved -= reserved;
  if (meaning === 'accepted') entry.assumed += reserved;
  else entry.campaignSpent -= counted;
}
