import type { CampaignState } from '../../domain/campaign.ts';
import type { CampaignOverview, Tallies } from './overview.ts';

/*
 * Counters: small rows of sums beside a campaign, which change in the commit that changes a message. A page of a
 * campaign of a million messages reads as much as one of a thousand. They are for display only: claims, money and
 * settling never read them. `tuma verify` adds the messages up and names what differs.
 */

/** What pages read of campaigns. Each call is one snapshot and costs the same for any number of messages. */
export interface CounterReader {
  /** One campaign in all its numbers. Throws `not_found`. Pending since before `unreportedBefore` counts as unreported. */
  campaignCounters(campaign: number, unreportedBefore: number): Promise<CampaignCounters>;
  /** What happened in each step of a span, in order of time; steps in which nothing happened are left out. */
  campaignSeries(campaign: number, span: SeriesSpan): Promise<SeriesStep[]>;
  /** How long the service took to answer, and the reports to come. */
  campaignLatency(campaign: number): Promise<{ send: LatencyHistogram; delivery: LatencyHistogram }>;
  /** A page of the list of campaigns, newest first. */
  campaignsPage(query: CampaignsQuery): Promise<CampaignsPage>;
}

/** The numbers of one campaign, all of one moment, so that every part adds up to the sum above it. */
export interface CampaignCounters {
  /** All messages of the campaign: the sum of the seven states. */
  total: number;
  overview: CampaignOverview;
  tallies: Tallies;
}

/** The wanted time: `from` is in it, `to` is not. Milliseconds. */
export interface SeriesSpan {
  from: number;
  to: number;
  /** The length of a step, whole minutes; left out: one minute. Steps begin at multiples of it (UTC). */
  stepMs?: number;
}

/** What happened in one step. Messages count by when they left; delivered and undelivered ones by their report. */
export interface SeriesStep {
  /** When the step begins (milliseconds). */
  at: number;
  sent: number;
  rejected: number;
  uncertain: number;
  skipped: number;
  canceled: number;
  delivered: number;
  undelivered: number;
}

/** Times in milliseconds. The buckets grow with the time, so each is exact to a fifth of its value. */
export interface LatencyHistogram {
  /** From the shortest to the longest; empty ones are left out. A time t is in it when fromMs <= t < toMs. */
  buckets: { fromMs: number; toMs: number; messages: number }[];
  /** The end of the bucket below which this part of all times lies; null: there are none. */
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

/** The wanted part of the list of campaigns. */
export interface CampaignsQuery {
  /** Null: in any state. */
  states: (CampaignState | 'finished')[] | null;
  /** A part of the name, in upper or lower case; null: any. */
  name: string | null;
  /** `next` of the page before; null: the first page. */
  cursor: number | null;
  /** The most campaigns of the page. */
  limit: number;
}

/** A page of the list of campaigns. */
export interface CampaignsPage {
  campaigns: CampaignOverview[];
  /** The cursor of the next page; null: this is the last one. */
  next: number | null;
}
