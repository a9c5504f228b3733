import type { CampaignReport } from './campaign-report.ts';

const SETTLED_WITH_FAILURES = 3;

/** What the exit code is read from. */
interface ReportedState {
  campaign: Pick<CampaignReport['campaign'], 'state'>;
  messages: CampaignReport['messages'];
}

/**
 * The exit code that the state of a campaign stands for: 3 when it is settled with rejected or open uncertain messages,
 * else 0. What a pause means is for the caller to say, who knows how long it may last.
 */
export function exitCodeOf({ campaign, messages }: ReportedState): number {
  // Of one that is neither, corrected contacts wait to be laid over it.
  const ended = campaign.state === 'finished' || campaign.state === 'canceled';
  const settled = ended && messages.queued + messages.sending === 0;
  const failed = messages.rejected + messages.uncertain - messages.written_off > 0;
  return settled && failed ? SETTLED_WITH_FAILURES : 0;
}
