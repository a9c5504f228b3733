import { changeEach, type Connection, getEach, runEach } from '../../connection.ts';
import { byAccount, emptyEntry, type Entry, SeenPrices } from '../../decide/money.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/**
 * The totals of accounts and campaigns, kept as sums so that a claim reads two rows. `tuma verify` adds the
 * messages up and compares.
 */

/** Opens the totals of one transaction. */
export type OpenTotals = () => RunningTotals;

/** Makes the totals that collect a transaction's changes. */
export function totalsOpener(database: Connection): OpenTotals {
  const sql = loadStatements(database, new URL('./running-totals.sql', import.meta.url));
  return () => new RunningTotals(sql);
}

/** The totals of one transaction: entries by campaign, and the seen prices. */
export class RunningTotals {
  readonly prices = new SeenPrices();
  readonly #sql: Sql;
  readonly #entries = new Map<number, Entry>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Reads the campaigns of which nothing was read so far. */
  async load(campaigns: Iterable<number>): Promise<void> {
    const fresh = [...new Set(campaigns)].filter((campaign) => !this.#entries.has(campaign));
    const found = await getEach(this.#sql('campaign_totals'), fresh, (campaign) => [campaign]);
    for (const [index, campaign] of fresh.entries()) {
      const row = found[index];
      if (row === undefined) throw new RangeError(`there is no campaign number ${campaign}`);
      this.#entries.set(campaign, emptyEntry(row as unknown as Pick<Entry, 'account' | 'state'>));
    }
  }

  /** The entry of a campaign that was loaded. */
  entry(campaign: number): Entry {
    const entry = this.#entries.get(campaign);
    if (entry === undefined) throw new Error(`the totals of campaign number ${campaign} are not loaded`);
    return entry;
  }

  async of(campaign: number): Promise<Entry> {
    await this.load([campaign]);
    return this.entry(campaign);
  }

  /** Writes all changes; the caller calls it once, at the end. */
  async post(now: number): Promise<void> {
    const prices = [...this.prices.values()];
    await runEach(this.#sql('learn_price'), prices, ({ account, network, segments, costMicro }) => [
      account,
      network ?? '',
      segments,
      costMicro,
      now,
    ]);
    await changeEach(
      this.#sql('post_campaign'),
      [...this.#entries].map(([campaign, entry]) => [campaign, entry.campaignSpent, entry.campaignReserved]),
    );
    await changeEach(
      this.#sql('post_account'),
      byAccount(this.#entries.values()),
      ({ account, spent, assumed, reserved, inFlight }) => [account, spent, assumed, reserved, inFlight],
    );
  }
}
