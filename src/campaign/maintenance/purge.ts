import type { Ledger } from '../../ledger/ledger.ts';
import type { TraceCounts } from '../../ledger/purge.ts';

/** The scope of a purge, and who does it. */
export interface PurgeOrder {
  ledger: Ledger;
  /** Settled campaigns, by their number in the ledger. */
  campaigns: number[];
  /** Webhooks, reports and replies that came before this instant go, too. */
  before: number;
  now: number;
  by: string;
  /** Told after each campaign. */
  onCampaign?: (done: number) => void;
}

/** How much a purge removed. */
export interface Purged extends TraceCounts {
  campaigns: number;
  messages: number;
  /** Campaigns that were left, because some of their messages are to be sent again. */
  left: number;
}

/** Removes personal data. If it is cut short, the same order again goes on where it was. */
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
