import type { Connection } from '../../connection.ts';
import type { CampaignState } from '../../../domain/campaign.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/**
 * The totals of accounts and campaigns, kept as sums so that a claim reads two rows. `tuma verify` adds the
 * messages up and compares. account.reserved = Σ message.reserved; campaign.spent = Σ message.counted;
 * campaign.reserved = Σ message.reserved of those sending; account.in_flight = messages sending.
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

/** The cost of a sent message, in millionths. */
export interface SeenPrice {
  campaign: number;
  network: string | null;
  segments: number;
  costMicro: MoneyMicro;
}

/** Opens the totals of one transaction. */
export type OpenTotals = () => RunningTotals;

/** Makes the totals that collect a transaction's changes. */
export function totalsOpener(database: Connection): OpenTotals {
  const sql = loadStatements(database, new URL('./running-totals.sql', import.meta.url));
  return () => new RunningTotals(sql);
}

/** The totals of one transaction: entries by campaign, and the seen prices. */
export class RunningTotals {
  readonly #sql: Sql;
  readonly #entries = new Map<number, Entry>();
  readonly #prices = new Map<string, SeenPrice>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async of(campaign: number): Promise<Entry> {
    let entry = this.#entries.get(campaign);
    if (entry === undefined) {
      entry = await this.#emptyEntry(campaign);
      this.#entries.set(campaign, entry);
    }
    return entry;
  }

  /** The next estimate uses the latest cost by network and segments; zero only if no other cost is known. */
  see(price: SeenPrice): void {
    const key = `${price.campaign} ${price.segments} ${price.network}`;
    if (price.costMicro > 0 || !this.#prices.has(key)) this.#prices.set(key, price);
  }

  /** Writes all changes; the caller calls it once, at the end. */
  async post(now: number): Promise<void> {
    for (const { campaign, network, segments, costMicro } of this.#prices.values()) {
      await this.#sql('learn_price').run(
        (await this.of(campaign)).account,
        network ?? '',
        segments,
        costMicro,
        now,
      );
    }
    for (const [campaign, entry] of this.#entries) {
      const { account, campaignSpent, campaignReserved, spent, assumed, reserved, inFlight } = entry;
      await this.#sql('post_campaign').run(campaign, campaignSpent, campaignReserved);
      await this.#sql('post_account').run(account, spent, assumed, reserved, inFlight);
    }
  }

  async #emptyEntry(campaign: number): Promise<Entry> {
    const found = (await this.#sql('campaign_totals').get(campaign)) as unknown as
      | Pick<Entry, 'account' | 'state'>
      | undefined;
    if (found === undefined) throw new RangeError(`there is no campaign number ${campaign}`);
    const { account, state } = found;
    const zero = { campaignSpent: 0, campaignReserved: 0, spent: 0, assumed: 0, reserved: 0, inFlight: 0 };
    return { account, state, ...zero };
  }
}
