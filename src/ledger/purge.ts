import type { StateChange } from './records.ts';

/* Removing personal data that is old: a part of both contracts. Counts, costs, states and message ids stay. */

/** The write part. Steps of at most 5,000 rows; what a crash leaves half done is finished by the same order again. */
export interface PurgeLedger {
  /**
   * Takes number, key, fields and evidence out of every message of a settled campaign. Returns how many messages; null: the
   * campaign is not settled, fires again, or was purged before.
   */
  purgeCampaign(campaign: number, change: StateChange): Promise<number | null>;
  /** Empties raw webhooks, numbers of reports, and replies that came before an instant. */
  purgeTraces(order: StateChange & { before: number }): Promise<TraceCounts>;
  /** Writes the whole ledger anew, so that unused space holds no trace of removed data. False: somebody was using it. */
  rewrite(): Promise<boolean>;
}

/** How many traces of people there are, or were removed. */
export interface TraceCounts {
  webhooks: number;
  reports: number;
  replies: number;
}

/** The read part. */
export interface PurgeReader {
  /** Campaigns that are purged. `purgedAt` null: not all of it yet. */
  purges(): Promise<{ campaign: number; purgedAt: number | null }[]>;
}
