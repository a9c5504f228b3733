import type { DatabaseSync } from 'node:sqlite';
import type { CampaignState } from '../../domain/campaign.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { AccountTotals, KnownPrice, NewReading } from '../records.ts';
import { prepareStatements } from './statements.ts';

/**
 * The totals of accounts and campaigns. They are kept as sums so that a claim reads two rows; `tuma verify` adds the
 * messages up and compares. account.reserved = Σ message.reserved; campaign.spent = Σ message.counted; campaign.reserved
 * = Σ message.reserved of those sending; account.in_flight = messages sending.
 */

/** What one transaction changes of one campaign's money, summed up and posted once. */
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

export interface SeenPrice {
  campaign: number;
  network: string | null;
  segments: number;
  costMicro: MoneyMicro;
}

/** The books of one transaction: entries by campaign, and the prices that it saw. */
export interface Books {
  of(campaign: number): Entry;
  see(price: SeenPrice): void;
  /** Writes everything; call it once, at the end. */
  post(now: number): void;
}

export type MoneyRecords = ReturnType<typeof moneyRecords>;

export function moneyRecords(database: DatabaseSync) {
  const sql = prepareStatements(database, new URL('./money.sql', import.meta.url), [
    'campaign_books',
    'post_campaign',
    'post_account',
    'add_account',
    'account_totals',
    'held_messages',
    'release_hold',
    'add_reading',
    'learn_price',
    'known_prices',
  ]);

  function emptyEntry(campaign: number): Entry {
    const found = sql.campaign_books.get(campaign) as { account: string; state: CampaignState } | undefined;
    if (found === undefined) throw new RangeError(`there is no campaign number ${campaign}`);
    const { account, state } = found;
    return {
      account,
      state,
      campaignSpent: 0,
      campaignReserved: 0,
      spent: 0,
      assumed: 0,
      reserved: 0,
      inFlight: 0,
    };
  }

  function postEntry(campaign: number, entry: Entry): void {
    const { account, campaignSpent, campaignReserved, spent, assumed, reserved, inFlight } = entry;
    sql.post_campaign.run(campaign, campaignSpent, campaignReserved);
    sql.post_account.run(account, spent, assumed, reserved, inFlight);
  }

  function openBooks(): Books {
    const entries = new Map<number, Entry>();
    const prices = new Map<string, SeenPrice>();
    return {
      of(campaign) {
        let entry = entries.get(campaign);
        if (entry === undefined) {
          entry = emptyEntry(campaign);
          entries.set(campaign, entry);
        }
        return entry;
      },
      see(price) {
        prices.set(`${price.campaign} ${price.segments} ${price.network}`, price);
      },
      post(now) {
        for (const { campaign, network, segments, costMicro } of prices.values()) {
          const account = entries.get(campaign)?.account ?? emptyEntry(campaign).account;
          sql.learn_price.run(account, network ?? '', segments, costMicro, now);
        }
        for (const [campaign, entry] of entries) postEntry(campaign, entry);
      },
    };
  }

  function totals(account: string) {
    return sql.account_totals.get(account) as {
      spent: number;
      assumed: number;
      reserved: number;
      in_flight: number;
      claims: number;
    };
  }

  return {
    openBooks,

    beginReading({ account, now }: { account: string; now: number }): AccountTotals {
      sql.add_account.run(account);
      const { spent, assumed, reserved, in_flight: inFlight, claims } = totals(account);
      return {
        account,
        at: now,
        spentMicro: spent + assumed,
        assumedMicro: assumed,
        reservedMicro: reserved,
        inFlight,
        claims,
      };
    },

    recordReading({ account, begun, at, creditMicro }: NewReading): void {
      const now = totals(account);
      const quiet = begun.inFlight === 0 && now.in_flight === 0 && begun.claims === now.claims;
      const known = begun.spentMicro - begun.assumedMicro;
      sql.add_reading.run(account, begun.at, at, creditMicro, known, quiet ? 1 : 0);
      let released = 0;
      for (const held of sql.held_messages.all(account, begun.at)) {
        const { campaign, seq, reserved } = held as { campaign: number; seq: number; reserved: number };
        sql.release_hold.run(campaign, seq);
        released += reserved;
      }
      if (released > 0) sql.post_account.run(account, 0, 0, -released, 0);
    },

    knownPrices(account: string | null): KnownPrice[] {
      const rows = sql.known_prices.all(account) as { network: string; segments: number; cost: number }[];
      return rows.map(({ network, segments, cost }) => ({ network, segments, costMicro: cost }));
    },
  };
}
