import type { Connection } from '../../connection.ts';
import type { Campaign } from '../../../domain/campaign.ts';
import type { UploadCounts } from '../../contracts/records.ts';
import { type CampaignRow, campaignFrom } from '../planning/campaigns.ts';
import { loadStatements } from '../../statements.ts';

/** A range of messages of one campaign, both ends included. */
export interface Span {
  campaign: number;
  firstSeq: number;
  lastSeq: number;
}

/** Messages whose rows are in memory at once. */
const MOST_IN_MEMORY = 10_000;

/** The span in steps of rows that fit in memory: campaign, first and last seq. All belong to one snapshot. */
export function* inSteps({ campaign, firstSeq, lastSeq }: Span): Generator<[number, number, number]> {
  for (let from = firstSeq; from <= lastSeq; from += MOST_IN_MEMORY)
    yield [campaign, from, Math.min(lastSeq, from + MOST_IN_MEMORY - 1)];
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

/** Reads campaigns and related data. Each function is one short statement. */
export function campaignReads(database: Connection) {
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
    campaigns: async (n: number | null): Promise<CampaignFacts[]> =>
      ((await sql('campaigns').all(n)) as unknown as FactsRow[]).map(facts),

    async find(reference: string): Promise<Campaign[]> {
      const exact = (await sql('by_id').get(reference)) ?? (await sql('latest_named').get(reference));
      const rows = exact === undefined ? await sql('by_prefix').all(reference) : [exact];
      return (rows as unknown as FactsRow[]).map(campaignFrom);
    },

    lastSeq: async (campaign: number) => ((await sql('last_seq').get(campaign)) as { last: number }).last,

    uploads: async (campaign: number) =>
      ({ ...(await sql('uploads').get(campaign)) }) as unknown as UploadCounts,
  };
}
