import type { MoneyMicro } from '../domain/money.ts';

/* What the account's statement reads: a part of the read contract. */

/** The read part. */
export interface StatementReader {
  /** Every account that was ever launched under or whose balance was read, in order of id. */
  accounts(): Promise<string[]>;
  /** Campaigns of all accounts that put a message on the wire before an instant, oldest first. */
  campaignsBefore(instant: number): Promise<ChargedCampaign[]>;
  /**
   * What a campaign's messages cost, by day and network. `midnights`: the instants that begin each day, then the one that
   * ends the last. A message belongs to the day of its verdict; without a known charge to the day on which it left.
   */
  costs(query: { campaign: number; midnights: number[] }): Promise<CostCell[]>;
}

/** A campaign that was charged for in the time asked for. */
export interface ChargedCampaign {
  n: number;
  id: string;
  name: string;
  account: string;
  currency: string;
  /** As at launch, for the whole campaign; null: no price was known. */
  estimatedMicro: MoneyMicro | null;
}

/** Sums over sent messages, in millionths. */
export interface Costs {
  /** Messages sent. */
  sent: number;
  /** The known costs of those. */
  chargedMicro: MoneyMicro;
  /** Sent messages whose cost is not known, and the price that they count as. */
  unknown: number;
  unknownMicro: MoneyMicro;
  /** Open uncertain messages, and the most that they may have cost. */
  uncertain: number;
  atStakeMicro: MoneyMicro;
  /** Those that were written off, and the most that they may have cost. */
  writtenOff: number;
  writtenOffMicro: MoneyMicro;
  /** How many of those whose cost is not known count as nothing, because no price is known. */
  unpriced: number;
}

/** The sums over no message. */
export const NO_COSTS: Readonly<Costs> = {
  sent: 0,
  chargedMicro: 0,
  unknown: 0,
  unknownMicro: 0,
  uncertain: 0,
  atStakeMicro: 0,
  writtenOff: 0,
  writtenOffMicro: 0,
  unpriced: 0,
};

/** What a campaign cost on one network and on one day. */
export interface CostCell extends Costs {
  /** Which of the days, from 0; null: none of them. */
  day: number | null;
  network: string | null;
}
