import { MOST_STREAMED_ROWS, rowsToRead } from '../../../campaign/tasks/begin-export.ts';
import type { CampaignOverview } from '../../../ledger/contracts/reader.ts';
import { html, type Html } from '../../views/html.ts';

/** A file of a campaign's messages, of a state and a reason or of all. */
export interface FileLink {
  file: 'messages.csv' | 'messages.xlsx' | 'contacts.csv';
  state?: string;
  reason?: string;
  words: string;
}

/** The link to it: a download, or where it is large the page that asks. */
export function fileLink(overview: CampaignOverview, { file, state, reason, words }: FileLink): Html {
  const query = new URLSearchParams({
    ...(state === undefined ? {} : { state }),
    ...(reason === undefined ? {} : { reason }),
  }).toString();
  const href = `/campaigns/${overview.campaign.id}/${file}${query === '' ? '' : `?${query}`}`;
  const isLarge = rowsToRead(overview, { state: state ?? null, delivery: null }) > MOST_STREAMED_ROWS;
  return html`<a href="${href}"${!isLarge && html` download`}>${words}</a>`;
}
