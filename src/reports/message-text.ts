import type { Campaign } from '../domain/campaign.ts';
import { campaignTexts } from '../domain/text/campaign-texts.ts';
import type { MessageRow } from '../ledger/contracts/reader.ts';

/** What a person got: the text of the campaign with the cells of the row, and what the provider appends. */
export interface MessageText {
  text: string;
  /** Empty: nothing is appended. */
  appended: string;
}

/** The text of a message; null: its cells were purged. */
export function messageText(campaign: Campaign, { fields }: Pick<MessageRow, 'fields'>): MessageText | null {
  if (fields.length === 0) return null;
  const rendered = campaignTexts(campaign).render(fields);
  return rendered.ok ? { text: rendered.text, appended: campaign.settings.optOutText } : null;
}
