import type { Connection } from '../../connection.ts';
import type {
  Campaign,
  CampaignHashes,
  CampaignKind,
  CampaignSettings,
  CampaignState,
  PauseReason,
} from '../../../domain/campaign.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { UploadCounts } from '../../contracts/records.ts';
import { askedAddress } from '../../thread/asked.ts';
import { loadStatements } from '../../statements.ts';

/** The look-up of campaigns, and the audit trail of all their changes. */
export type CampaignRecords = ReturnType<typeof campaignRecords>;

/** The person, the action, the campaign and the time (milliseconds). */
export interface AuditEntry {
  now: number;
  by: string;
  verb: string;
  campaign: number | null;
  detail: object;
}

/** A row of a campaign. */
export interface CampaignRow {
  n: number;
  id: string;
  name: string;
  kind: CampaignKind;
  state: CampaignState;
  reason: PauseReason | null;
  account: string | null;
  sender: string;
  template: string;
  settings: string;
  rate: number | null;
  hash_job: string;
  hash_template: string;
  hash_contacts: string;
  budget: number | null;
  estimated: number | null;
  created_at: number;
  activated_at: number | null;
  start_at: number | null;
  start_deadline: number;
  /** Not null: its personal data was removed, or is being. */
  purge_seq: number | null;
}

/** The operations on campaigns: find, require, audit. */
export function campaignRecords(database: Connection) {
  const sql = loadStatements(database, new URL('./campaigns.sql', import.meta.url));
  const row = async (n: number) => await sql<CampaignRow>('campaign').get(n);
  return {
    async find(n: number): Promise<Campaign | null> {
      const found = await row(n);
      return found === undefined ? null : campaignFrom(found);
    },
    /** The campaign, which must not be a draft when `launched`. Throws `not_found` or `state_forbids`. */
    async require(n: number, { launched }: { launched: boolean }): Promise<CampaignRow> {
      const found = await row(n);
      if (found === undefined)
        throw new TumaError('not_found', { message: `There is no campaign number ${n}.` });
      if ((found.state === 'draft') !== launched) return found;
      throw new TumaError('state_forbids', {
        message: launched
          ? `Campaign ${found.id} was not launched yet.`
          : `Campaign ${found.id} was already launched.`,
      });
    },
    /** The seq of the campaign's last message; 0: it has none. */
    lastSeq: async (n: number): Promise<number> => Number((await sql('last_seq').get(n))?.['last']),
    async latestNamed(name: string): Promise<{ campaign: Campaign; settled: boolean } | null> {
      const found = await sql<CampaignRow & { settled: number }>('latest_named').get(name);
      return found === undefined ? null : { campaign: campaignFrom(found), settled: found.settled === 1 };
    },
    async latestOfContacts(hashes: CampaignHashes, since: number): Promise<Campaign | null> {
      const { contacts, job, template } = hashes;
      const found = await sql<CampaignRow>('latest_of_contacts').get(contacts, job, template, since);
      return found === undefined ? null : campaignFrom(found);
    },
    paused: async (): Promise<Campaign[]> => (await sql<CampaignRow>('paused').all()).map(campaignFrom),
    /** Notes an upload of contacts. Returns its number in the campaign. */
    async addUpload(campaign: number, counts: UploadCounts, now: number): Promise<number> {
      const { read, planned, unchanged, duplicate, invalid, suppressed } = counts;
      const values = [read, planned, unchanged, duplicate, invalid, suppressed];
      return Number((await sql('add_upload').get(campaign, now, ...values))?.['number']);
    },
    /** Removes an empty draft. */
    async discard(draft: number): Promise<void> {
      await sql('discard').run(draft);
    },
    async audit({ now, by, verb, campaign, detail }: AuditEntry): Promise<void> {
      await sql('audit').run(now, by, verb, campaign, JSON.stringify(detail), askedAddress());
    },
  };
}

/** The domain's campaign of a row, with the present rate. */
export function campaignFrom(row: CampaignRow): Campaign {
  const settings = JSON.parse(row.settings) as CampaignSettings;
  return {
    n: row.n,
    id: row.id,
    name: row.name,
    kind: row.kind,
    state: row.state,
    reason: row.reason,
    account: row.account,
    sender: row.sender,
    template: row.template,
    settings: { ...settings, ratePerSecond: row.rate },
    hashes: { job: row.hash_job, template: row.hash_template, contacts: row.hash_contacts },
    budgetMicro: row.budget,
    estimatedMicro: row.estimated,
    createdAt: row.created_at,
    activatedAt: row.activated_at,
    startAt: row.start_at,
    startDeadlineMs: row.start_deadline,
  };
}
