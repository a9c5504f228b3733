import type { Connection } from '../../connection.ts';
import type { Campaign } from '../../../domain/campaign.ts';
import type { FindingReader } from '../../contracts/finding.ts';
import type { LedgerReader } from '../../contracts/reader.ts';
import type { UploadCounts } from '../../contracts/records.ts';
import { type CampaignRow, campaignFrom } from '../planning/campaigns.ts';
import { loadStatements } from '../../statements.ts';

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

/** Reads campaigns by what people call them. */
export function campaignReads(
  database: Connection,
): Pick<LedgerReader, 'find' | 'uploads'> & Pick<FindingReader, 'campaignsNumbered'> {
  const sql = loadStatements(database, new URL('./campaigns.sql', import.meta.url));
  return {
    async find(reference) {
      const exact =
        (await sql<CampaignRow>('by_id').get(reference)) ??
        (await sql<CampaignRow>('latest_named').get(reference));
      const rows = exact === undefined ? await sql<CampaignRow>('by_prefix').all(reference) : [exact];
      return rows.map(campaignFrom);
    },

    campaignsNumbered: async (numbers) =>
      (await sql<CampaignRow>('campaigns_numbered').all(JSON.stringify(numbers))).map(campaignFrom),

    uploads: async (campaign) => (await sql('uploads').get(campaign)) as unknown as UploadCounts,
  };
}

/** Reads the facts of campaigns, for other reads of the same connection. */
export function factReads(database: Connection) {
  const sql = loadStatements(database, new URL('./campaigns.sql', import.meta.url));
  return {
    /** One campaign, or (null) all of them, newest first. */
    campaigns: async (n: number | null): Promise<CampaignFacts[]> =>
      (await sql<FactsRow>('campaigns').all(n)).map((row) => ({
        campaign: campaignFrom(row),
        spentMicro: row.spent,
        launchPriceMicro: row.price,
        firstClaimAt: row.first_claim_at,
        canceledAt: row.canceled_at,
        takenBack: row.taken_back,
        isApplying: row.applying === 1,
        pause: row.pause === null ? {} : (JSON.parse(row.pause) as CampaignFacts['pause']),
      })),

    lastSeq: async (campaign: number): Promise<number> =>
      (await sql<{ last: number }>('last_seq').get(campaign))?.last ?? 0,
  };
}
