import type { StateChange } from './records.ts';

/* The removal of old personal data: a part of both contracts. Counts, costs, states and message ids stay. */

/** The write part, in steps of at most 5,000 rows. After a crash the same order finishes the rest. */
export interface PurgeLedger {
  /**
   * Removes number, key, fields and evidence from every message of a settled campaign. Returns the number of
   * messages; null: the campaign is not settled, recurs, or was purged before.
   */
  purgeCampaign(campaign: number, change: StateChange): Promise<number | null>;
  /** Empties raw webhooks, numbers of reports, and replies from before an instant. */
  purgeTraces(order: StateChange & { before: number }): Promise<TraceCounts>;
  /** True, once in 24 hours over all processes: whoever gets it purges what is old. */
  takeDailyPurge(now: number): Promise<boolean>;
  /** Writes the whole ledger anew, so that unused space holds no removed data. False: it was in use. */
  rewrite(): Promise<boolean>;
}

/** The numbers of people's traces, existing or removed. */
export interface TraceCounts {
  webhooks: number;
  reports: number;
  replies: number;
}

/** The read part. */
export interface PurgeReader {
  /** Purged campaigns. `purgedAt` null: not completely purged yet. */
  purges(): Promise<{ campaign: number; purgedAt: number | null }[]>;
}
