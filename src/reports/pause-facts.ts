import type { CampaignOverview } from '../ledger/contracts/reader.ts';

/** The part of a document about the pause of a campaign. */
export function pauseFacts({
  reason,
  cutOffAt,
  filesUnread,
}: Pick<CampaignOverview, 'reason' | 'cutOffAt' | 'filesUnread'>) {
  return {
    reason,
    ...(cutOffAt === undefined ? {} : { cut_off_at: new Date(cutOffAt).toISOString() }),
    ...(filesUnread === true ? { files_unread: true as const } : {}),
  };
}
