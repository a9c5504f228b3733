import type { Connection } from '../../connection.ts';
import type { LedgerReader } from '../../contracts/reader.ts';
import type { UploadCounts } from '../../contracts/records.ts';
import { campaignFrom, campaignRecords, type CampaignRow } from '../planning/campaigns.ts';
import { loadStatements } from '../../statements.ts';

/** A range of messages of one campaign, both ends included. */
export interface Span {
  campaign: number;
  firstSeq: number;
  lastSeq: number;
}

/** A campaign's own row. Money in millionths, times in milliseconds. */
export type FactsRow = CampaignRow & {
  spent: number;
  /** A segment, as the launch was confirmed with; null: none was known. */
  price: number | null;
  first_claim_at: number | null;
  canceled_at: number | null;
  taken_back: number;
  /** 1: accepted contacts still wait to be laid over it. */
  applying: 0 | 1;
  /** JSON of the audit row of its last pause; null: it is not paused. */
  pause: string | null;
};

/** Reads campaigns by what people call them. */
export function campaignReads(database: Connection) {
  const sql = loadStatements(database, new URL('./campaigns.sql', import.meta.url));
  return {
    find: async (reference) => (await sql<CampaignRow>('found').all(reference)).map(campaignFrom),

    campaignsNumbered: async (numbers) =>
      (await sql<CampaignRow>('campaigns_numbered').all(JSON.stringify(numbers))).map(campaignFrom),

    uploads: async (campaign) => (await sql('uploads').get(campaign)) as unknown as UploadCounts,
  } satisfies Partial<LedgerReader>;
}

/** Reads the rows of campaigns, for other reads of the same connection. */
export function factReads(database: Connection) {
  const sql = loadStatements(database, new URL('./campaigns.sql', import.meta.url));
  return {
    /** One campaign, or (null) all of them, newest first. */
    campaigns: async (n: number | null) => await sql<FactsRow>('campaigns').all(n),
    lastSeq: campaignRecords(database).lastSeq,
  };
}
