import { restWay } from '../campaign/cancel.ts';
import type { Campaign, CampaignHashes } from '../domain/campaign.ts';
import { formatDuration } from '../domain/duration.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { CampaignOverview } from '../ledger/reader.ts';
import { localWords } from './agenda-text.ts';
import type { Context } from './context.ts';
import { sentWords } from './same-files.ts';

/** A mistake is made within a day; a newsletter goes to the same people next week. */
const SPAN_MS = 24 * 60 * 60_000;

/**
 * What is said where another campaign has the very same contacts, or had them a short while ago; and where one of this name was
 * stopped half-way: who mends the text or the contacts and launches anew writes to some twice.
 */
export async function alikeWarnings(
  context: Pick<Context, 'clock' | 'config' | 'reader'>,
  ledger: Pick<Ledger, 'latestAlike' | 'latestNamed'> | null,
  { draft, hashes }: { draft: Campaign; hashes: CampaignHashes },
): Promise<string[]> {
  // A job that reminds a week before and one that does on the day before have the same contacts.
  if (draft.settings.remind !== undefined) return [];
  const identity = { name: draft.name, hashes };
  const alike = (await ledger?.latestAlike(identity, context.clock.now() - SPAN_MS)) ?? null;
  if (alike === null) return [];
  const overview = await (await context.reader()).overview(alike.n);
  const then = localWords(alike.activatedAt ?? alike.createdAt, context.config.zone);
  const had = `${alike.id}, ${sentWords(overview)}`;
  const sameContacts = alike.hashes.contacts === hashes.contacts;
  const launched = sameContacts
    ? `the same contacts were launched ${then} as ${alike.name} (${had})`
    : `${alike.name} was launched ${then} with other contacts, and canceled (${had})`;
  const sameText = alike.hashes.template === hashes.template;
  // What was launched under its name since may have been that rest.
  const latest = await ledger?.latestNamed(alike.name);
  const rest = latest?.campaign.n === alike.n ? restWords(overview, sameContacts) : '';
  return [`${launched}: ${guardWords(draft, sameText)}${rest}`];
}

function guardWords({ settings: { guard } }: Campaign, sameText: boolean): string {
  // How many messages a person gets is limited whatever they say.
  const limited = (guard?.most ?? null) === null ? '' : ', unless that is more than `most` allows';
  if (!sameText) return `its text was another, so who had that gets this one, too${limited}`;
  const sameTextMs = guard?.sameTextMs ?? null;
  return sameTextMs === null
    ? 'nothing keeps the same text from them'
    : `who had the same text within ${formatDuration(sameTextMs)} before is skipped`;
}

function restWords({ campaign, state, messages }: CampaignOverview, sameContacts: boolean): string {
  if (state !== 'canceled' || messages.queued + messages.canceled === 0) return '';
  // Whoever did as this says is told the same again, of the file that it names.
  const unless = sameContacts ? '' : ', unless these are they';
  return `; to reach only those that it did not${unless}: ${restWay(campaign)}`;
}
