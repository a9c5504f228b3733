import type { Campaign } from '../domain/campaign.ts';
import type { FoundMessage } from '../ledger/contracts/finding.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';

/** A message and its campaign. */
export interface MessageOfCampaign {
  message: FoundMessage;
  campaign: Campaign;
}

/** Adds the campaign of each message. */
export async function withCampaigns(
  reader: Pick<LedgerReader, 'campaignsNumbered'>,
  messages: readonly FoundMessage[],
): Promise<MessageOfCampaign[]> {
  const numbers = [...new Set(messages.map(({ campaign }) => campaign))];
  const campaigns = new Map((await reader.campaignsNumbered(numbers)).map((each) => [each.n, each]));
  return messages.flatMap((message) => {
    const campaign = campaigns.get(message.campaign);
    return campaign === undefined ? [] : [{ message, campaign }];
  });
}

/** When something last happened to a message: it left, was settled, or is due. Milliseconds. */
export function timeOfMessage({ sentAt, settledAt, notBefore, queuedAt }: FoundMessage): number {
  return sentAt ?? settledAt ?? Math.max(notBefore, queuedAt);
}
