import type { Campaign, CampaignState, PauseReason } from '../../domain/campaign.ts';
import type { Delivery, MessageState } from '../../domain/message.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { CanaryProgress } from '../../domain/pace/canary.ts';

/* One campaign in numbers. Readers take them from the counters (counters.ts). */

/** A campaign with its counts and its money. Times in milliseconds, money in millionths. */
export interface CampaignOverview {
  campaign: Campaign;
  /** `finished`: activated, not canceled, nothing queued or sending, and no corrected contacts wait. */
  state: CampaignState | 'finished';
  reason: PauseReason | null;
  /** The last sign of sending before it was paused (`start`) as cut off; left out: it was not cut off. */
  cutOffAt?: number;
  /** True: a recurring job that was paused (`start`), because it could not read its files; else left out. */
  filesUnread?: true;
  /** The provider's own words about the pause, cleaned; left out: none. */
  pauseSaid?: string;
  /** The progress of its canary; null or left out: it has none. */
  canary?: CanaryProgress | null;
  /** Networks whose messages wait, while it is running or paused; left out: none. */
  networks?: HeldNetwork[];
  messages: Record<MessageState, number> & { written_off: number };
  /** The number of messages that a killed worker had claimed and never sent. */
  takenBack: number;
  startedAt: number | null;
  /** The time when the last message was settled; for one decided later, the time when it left. */
  finishedAt: number | null;
  /** The charged money, and the highest possible cost of messages with unknown cost by present prices. */
  spentMicro: MoneyMicro;
  /** Messages that may have a cost but count as nothing, because no price is known. Left out: none. */
  unpriced?: number;
  /** The cost of queued and sending messages at the price of the launch; null or left out: unknown. */
  leftMicro?: MoneyMicro | null;
  budgetMicro: MoneyMicro | null;
  /** Sent in the last 10 seconds of the campaign's activity, for the rate shown. */
  sentLast10s: number;
  /** The second of the latest sent message; null: none was sent. */
  lastSentAt: number | null;
}

/** A network whose messages of a campaign wait. Times in milliseconds. */
export interface HeldNetwork {
  network: string;
  /** The evidence: messages that failed while they were sent, or delivery reports. */
  cause: 'sending' | 'delivery';
  /** A few messages try it now. */
  probing: boolean;
  since: number;
  /** The time of the next try; during a try, the end of the wait for its reports. */
  until: number;
  /** The reason in words, if the cause is `delivery`. */
  why: string | null;
}

/** The sums over all messages of a campaign. */
export interface Tallies {
  messages: Record<MessageState, number> & { written_off: number };
  delivery: Record<Delivery, number> & { unreported: number; conflict: number };
  reasons: { state: MessageState; reason: string; count: number; retryHelps: boolean }[];
  segments: { planned: number; one: number; two: number; more: number };
  chargedMicro: MoneyMicro;
  /** Sent messages whose cost is not known. */
  unknownCost: number;
  /** The highest reserved or known prices of these, of open uncertain messages, and of written-off ones. */
  unknownMicro: MoneyMicro;
  atStakeMicro: MoneyMicro;
  writtenOffMicro: MoneyMicro;
  /** The number of these that count as nothing, because no price is known. */
  unpriced: number;
  /** The possible cost of the skipped messages at the lowest price seen; 0: no price is known. */
  sparedMicro: MoneyMicro;
  /** The lowest price seen on the account for one segment; null when none is known. */
  lowestPriceMicro: MoneyMicro | null;
  byNetwork: { network: string | null; sent: number; delivered: number; chargedMicro: MoneyMicro }[];
  firstSentAt: number | null;
  lastSentAt: number | null;
}
