import type { MoneyMicro } from '../../domain/money.ts';

/* The reads of the account's statement: a part of the read contract. */

/** The read part. */
export interface StatementReader {
  /** Every account with a launch or a balance reading, in order of id. */
  accounts(): Promise<string[]>;
  /** Campaigns of all accounts that sent a message before an instant, oldest first. */
  campaignsBefore(instant: number): Promise<ChargedCampaign[]>;
  /**
   * The cost of a campaign's messages, by day and network, as of when they left. `midnights`: the instants that begin each
   * day, then the end of the last; multiples of a quarter of an hour, or of the length of the first day if that is shorter.
   */
  costs(query: { campaign: number; midnights: number[] }): Promise<CostCell[]>;
}

/** A campaign with charges in the given time. */
export interface ChargedCampaign {
  n: number;
  id: string;
  name: string;
  account: string;
  currency: string;
  /** The launch estimate for the whole campaign; null: no price was known. */
  estimatedMicro: MoneyMicro | null;
}

/** Sums over sent messages, in millionths. */
export interface Costs {
  /** Messages sent. */
  sent: number;
  /** Sent messages that were reported delivered, and undelivered. */
  delivered: number;
  undelivered: number;
  /** The known costs of the sent messages. */
  chargedMicro: MoneyMicro;
  /** Sent messages with unknown cost, and the price that they count as. */
  unknown: number;
  unknownMicro: MoneyMicro;
  /** Open uncertain messages, and their highest possible cost. */
  uncertain: number;
  atStakeMicro: MoneyMicro;
  /** Written-off messages, and their highest possible cost. */
  writtenOff: number;
  writtenOffMicro: MoneyMicro;
  /** The number of messages with unknown cost that count as nothing, because no price is known. */
  unpriced: number;
}

/** The sums over no message. */
export const NO_COSTS: Readonly<Costs> = {
  sent: 0,
  delivered: 0,
  undelivered: 0,
  chargedMicro: 0,
  unknown: 0,
  unknownMicro: 0,
  uncertain: 0,
  atStakeMicro: 0,
  writtenOff: 0,
  writtenOffMicro: 0,
  unpriced: 0,
};

/** A campaign's cost on one network and one day. */
export interface CostCell extends Costs {
  /** The day's number, from 0; null: none of the days. */
  day: number | null;
  network: string | null;
  /** When the first and the last sent message left; null: none was sent. */
  firstAt: number | null;
  lastAt: number | null;
}
