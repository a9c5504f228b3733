import type { DatabaseSync } from 'node:sqlite';
import type { Campaign } from '../../domain/campaign.ts';
import type { UploadCounts } from '../records.ts';
import { type CampaignRow, campaignFrom } from './campaigns.ts';
import { atMost, isUnpriced, type Price, priceReads } from './reader-prices.ts';
import { loadStatements } from './statements.ts';

/** A range of messages of one campaign, both ends included. */
export interface Span {
  campaign: number;
  firstSeq: number;
  lastSeq: number;
}

/** The facts of the campaign's own row, beside the domain's campaign. */
export interface CampaignFacts {
  campaign: Campaign;
  spentMicro: number;
  /** A segment, as the launch was confirmed with; null: none was known. */
  launchPriceMicro: number | null;
  firstClaimAt: number | null;
  canceledAt: number | null;
  takenBack: number;
  /** True: accepted contacts still wait to be laid over it. */
  isApplying: boolean;
  /** About its last pause, while it is paused: when it was cut off while sending, and the provider's words. */
  pause: { cutOffAt?: number; words?: string };
}

/** Counts of a span, by the codes of `count_states`, and of sent messages also by the second of sending. */
export interface StateCounts {
  /** queued, sending, sent, rejected, uncertain, skipped, canceled, –, uncertain and written off. */
  codes: number[];
  sentBySecond: Map<number, number>;
  /** The time when the latest message left, or was settled without leaving. */
  lastLeftAt: number | null;
  /** The possible cost of messages with unknown cost, by present prices, beyond their counted cost. */
  beyondMicro: number;
  /** The number of these messages without any known price. */
  unpriced: number;
  /** Segments of queued and sending messages. */
  leftSegments: number;
}

type FactsRow = CampaignRow & {
  spent: number;
  price: number | null;
  first_claim_at: number | null;
  canceled_at: number | null;
  taken_back: number;
  applying: 0 | 1;
  /** JSON of the audit row of its last pause; null: it is not paused. */
  pause: string | null;
};

const CODES = 9;
const SENT = 2;

/** Reads campaigns, their counts, and related data. Each function is one short statement or a few. */
export function campaignReads(database: DatabaseSync) {
  let counts = emptyCounts();
  database.aggregate('count_states', {
    start: () => 0,
    step: (_: number, code, leftAt) => count(counts, Number(code), leftAt as number | null),
  });
  let prices: Price[] = [];
  database.aggregate('beyond', {
    start: () => 0,
    step(_: number, segments, counted) {
      const row = { segments: Number(segments), counted: Number(counted) };
      counts.beyondMicro += atMost(prices, row) - row.counted;
      if (isUnpriced(prices, row)) counts.unpriced += 1;
      return 0;
    },
  });
  const pricesOf = priceReads(database);
  const sql = loadStatements(database, new URL('./reader-campaigns.sql', import.meta.url));
  const facts = (row: FactsRow): CampaignFacts => ({
    campaign: campaignFrom(row),
    spentMicro: row.spent,
    launchPriceMicro: row.price,
    firstClaimAt: row.first_claim_at,
    canceledAt: row.canceled_at,
    takenBack: row.taken_back,
    isApplying: row.applying === 1,
    pause: row.pause === null ? {} : (JSON.parse(row.pause) as CampaignFacts['pause']),
  });
  return {
    /** One campaign, or (null) all of them, newest first. */
    campaigns: (n: number | null): CampaignFacts[] =>
      (sql('campaigns').all(n) as unknown as FactsRow[]).map(facts),

    find(reference: string): Campaign[] {
      const exact = sql('by_id').get(reference) ?? sql('latest_named').get(reference);
      const rows = exact === undefined ? sql('by_prefix').all(reference) : [exact];
      return (rows as unknown as FactsRow[]).map(campaignFrom);
    },

    lastSeq: (campaign: number) => (sql('last_seq').get(campaign) as { last: number }).last,

    countStates({ campaign, firstSeq, lastSeq }: Span): StateCounts {
      counts = emptyCounts();
      prices = pricesOf(campaign);
      const { left } = sql('count_states').get(campaign, firstSeq, lastSeq) as { left: number };
      return { ...counts, leftSegments: left };
    },

    uploads: (campaign: number) => ({ ...sql('uploads').get(campaign) }) as unknown as UploadCounts,
  };
}

function emptyCounts(): StateCounts {
  return {
    codes: Array.from({ length: CODES }, () => 0),
    sentBySecond: new Map(),
    lastLeftAt: null,
    beyondMicro: 0,
    unpriced: 0,
    leftSegments: 0,
  };
}

function count(counts: StateCounts, code: number, leftAt: number | null): number {
  counts.codes[code] = (counts.codes[code] ?? 0) + 1;
  if (leftAt === null) return 0;
  if (counts.lastLeftAt === null || leftAt > counts.lastLeftAt) counts.lastLeftAt = leftAt;
  if (code === SENT) {
    const second = Math.floor(leftAt / 1000);
    counts.sentBySecond.set(second, (counts.sentBySecond.get(second) ?? 0) + 1);
  }
  return 0;
}
