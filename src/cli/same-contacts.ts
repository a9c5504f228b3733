import type { Campaign, CampaignHashes } from '../domain/campaign.ts';
import { formatDuration } from '../domain/duration.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { whole } from '../reports/report-words.ts';
import { localWords } from './agenda-text.ts';
import type { Context } from './context.ts';

/** A mistake is made within a day; a newsletter goes to the same people next week. */
const SPAN_MS = 24 * 60 * 60_000;

/** What is said where another campaign has the very same contacts, or had them a short while ago (B4 of docs/reliability.md). */
export async function sameContactsWarnings(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  ledger: Pick<Ledger, 'sameContacts'> | null,
  { draft, hashes }: { draft: Campaign; hashes: CampaignHashes },
): Promise<string[]> {
  // A job that reminds a week before and one that does on the day before have the same contacts.
  if (draft.settings.remind !== undefined) return [];
  const other = (await ledger?.sameContacts(hashes, clock.now() - SPAN_MS)) ?? null;
  if (other === null) return [];
  const { id, name, launchedAt, messages } = other;
  const then = localWords(launchedAt, config.zone);
  const sameTextMs = draft.settings.guard?.sameTextMs ?? null;
  const guard =
    sameTextMs === null
      ? 'nothing keeps the same text from them'
      : `who had the same text within ${formatDuration(sameTextMs)} before is skipped`;
  return [
    `the same contacts were launched ${then} as ${name} (${id}, ${whole(messages)} messages planned): ${guard}`,
  ];
}
