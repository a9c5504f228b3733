import type { CampaignOverview } from '../ledger/reader.ts';
import type { CampaignReport } from './campaign-report.ts';

const SETTLED_WITH_FAILURES = 3;

/**
 * The exit code that the state of a campaign stands for: 3 when it is settled with rejected or open uncertain messages,
 * else 0. What a pause means is for the caller to say, who knows how long it may last.
 */
export function exitCodeOf({ messages }: Pick<CampaignOverview | CampaignReport, 'messages'>): number {
  const settled = messages.queued + messages.sending === 0;
  const failed = messages.rejected + messages.uncertain - messages.written_off > 0;
  return settled && failed ? SETTLED_WITH_FAILURES : 0;
}
