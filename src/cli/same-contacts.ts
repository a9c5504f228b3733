import type { Campaign, CampaignHashes } from '../domain/campaign.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { whole } from '../reports/report-words.ts';
import { localWords } from './agenda-text.ts';
import type { Context } from './context.ts';

/** A mistake is made within a day; a newsletter goes to the same people next week. */
const SPAN_MS = 24 * 60 * 60_000;

/** What is said where another campaign had the very same contacts a short while ago (B4 of docs/reliability.md). */
export async function sameContactsWarnings(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  ledger: Pick<Ledger, 'sameContacts'> | null,
  { draft, hashes }: { draft: Campaign; hashes: CampaignHashes },
): Promise<string[]> {
  // A job that reminds a week before and one that does on the day before have the same contacts.
  if (draft.settings.remind !== undefined) return [];
  const sameTextMs = draft.settings.guard?.sameTextMs ?? null;
  const since = clock.now() - Math.max(SPAN_MS, sameTextMs ?? 0);
  const other = (await ledger?.sameContacts(hashes, since)) ?? null;
  if (other === null) return [];
  const { id, name, launchedAt, messages } = other;
  const then = localWords(launchedAt, config.zone);
  const guarded =
    sameTextMs === null
      ? 'each of them gets another message'
      : 'who had the same text from it is skipped, another text goes to all of them';
  return [
    `the same contacts were launched ${then} as ${name} (${id}, ${whole(messages)} messages): ${guarded}`,
  ];
}
