import { restWay } from '../operator/cancel.ts';
import type { Campaign, CampaignHashes } from '../../domain/campaign.ts';
import { formatDuration, localWords } from '../../domain/time/time-words.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { CampaignOverview } from '../../ledger/reader.ts';
import type { LaunchEnv } from './launch-settings.ts';
import { sentWords } from './previous-launches.ts';

/** A mistake is made within a day; a newsletter goes to the same people next week. */
const SPAN_MS = 24 * 60 * 60_000;

/**
 * What is said where another campaign has the very same contacts, or had them a short while ago; and where one of this name was
 * stopped half-way: who mends the text or the contacts and launches anew writes to some twice.
 */
export async function alikeWarnings(
  { clock, settings, reader }: Pick<LaunchEnv, 'clock' | 'settings' | 'reader'>,
  ledger: Pick<Ledger, 'latestAlike' | 'latestNamed'> | null,
  { draft, hashes }: { draft: Campaign; hashes: CampaignHashes },
): Promise<string[]> {
  // A job that reminds a week before and one that does on the day before have the same contacts.
  if (draft.settings.remind !== undefined || ledger === null) return [];
  const alike = await ledger.latestAlike({ name: draft.name, hashes }, clock.now() - SPAN_MS);
  if (alike === null) return [];
  const overview = await (await reader()).overview(alike.n);
  const sameContacts = alike.hashes.contacts === hashes.contacts;
  const launched = launchedWords(overview, { sameContacts, zone: settings.zone });
  // What was launched under its name since may have been that rest.
  const latest = await ledger.latestNamed(alike.name);
  const mayRest = latest?.campaign.n === alike.n && hasRest(overview);
  const sameText = alike.hashes.template === hashes.template;
  return [`${launched}: ${guardWords(draft, sameText)}${mayRest ? restWords(alike, sameContacts) : ''}`];
}

function launchedWords(
  overview: CampaignOverview,
  { sameContacts, zone }: { sameContacts: boolean; zone: string },
): string {
  const { id, name, activatedAt, createdAt } = overview.campaign;
  const then = localWords(activatedAt ?? createdAt, zone);
  const had = `${id}, ${sentWords(overview)}`;
  return sameContacts
    ? `the same contacts were launched ${then} as ${name} (${had})`
    : `${name} was launched ${then} with other contacts, and canceled (${had})`;
}

function hasRest({ state, messages }: CampaignOverview): boolean {
  return state === 'canceled' && messages.queued + messages.canceled > 0;
}

function guardWords({ settings: { guard } }: Campaign, sameText: boolean): string {
  // How many messages a person gets is limited whatever they say.
  const limited = (guard?.most ?? null) === null ? '' : ', unless that is more than `most` allows';
  if (!sameText) return `that text was different, so those people get this one as well${limited}`;
  const sameTextMs = guard?.sameTextMs ?? null;
  return sameTextMs === null
    ? 'nothing keeps the same text from them'
    : `anyone who got this same text in the last ${formatDuration(sameTextMs)} is skipped`;
}

function restWords(campaign: Campaign, sameContacts: boolean): string {
  // A person who followed this advice and corrected a row is told the same again.
  const unless = sameContacts ? '' : ', unless these are they';
  return `; to reach only those that it did not${unless}: ${restWay(campaign)}`;
}
