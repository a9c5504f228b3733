import type { Ledger } from '../../ledger/ledger.ts';
import type { PurgeReader, TraceCounts } from '../../ledger/purge.ts';
import type { CampaignOverview, LedgerReader } from '../../ledger/reader.ts';

/** The scope of a purge, and the person who orders it. */
export interface PurgeOrder {
  ledger: Ledger;
  /** Settled campaigns, by their number in the ledger. */
  campaigns: number[];
  /** Older webhooks, reports and replies are purged, too. */
  before: number;
  now: number;
  by: string;
  /** Called after each campaign. */
  onCampaign?: (done: number) => void;
}

/** The counts of a purge. */
export interface Purged extends TraceCounts {
  campaigns: number;
  messages: number;
  /** Campaigns that were left, because some of their messages wait to be sent again. */
  left: number;
}

/** Campaigns with nothing left to send that were finished before, and that have not been purged. */
export async function oldCampaigns(
  reader: Pick<LedgerReader, 'campaigns'> & PurgeReader,
  before: number,
): Promise<CampaignOverview[]> {
  const purged = await reader.purges();
  const done = new Set(purged.filter(({ purgedAt }) => purgedAt !== null).map(({ campaign }) => campaign));
  const all = await reader.campaigns();
  return all.filter(({ campaign, messages, finishedAt }) => {
    const settled = messages.queued + messages.sending === 0 && finishedAt !== null && finishedAt < before;
    return settled && !done.has(campaign.n);
  });
}

/** Removes personal data. After an interruption the same order, given again, continues. */
export async function purge(order: PurgeOrder): Promise<Purged> {
  const { ledger, campaigns, before, now, by, onCampaign = () => {} } = order;
  const purged = { campaigns: 0, messages: 0, left: 0 };
  for (const [index, campaign] of campaigns.entries()) {
    const messages = await ledger.purgeCampaign(campaign, { now, by });
    if (messages === null) purged.left += 1;
    else {
      purged.campaigns += 1;
      purged.messages += messages;
    }
    onCampaign(index + 1);
  }
  return { ...purged, ...(await ledger.purgeTraces({ before, now, by })) };
}
