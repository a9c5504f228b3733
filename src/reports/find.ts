import type { Campaign } from '../domain/campaign.ts';
import { parseMobile } from '../domain/numbers/mobile.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';
import { type MessageOfCampaign, timeOfMessage, withCampaigns } from './found-messages.ts';
import { type NumberStanding, numberStanding } from './number-standing.ts';

/** What a search found. What was typed is looked up as each kind of thing that it may be. */
export interface Found {
  /** Null: it is no number. */
  number: FoundNumber | null;
  /** The messages with this id of the provider. */
  ofId: MessageOfCampaign[];
  /** The messages with this key. */
  ofKey: MessageOfCampaign[];
  /** Campaigns with this id, or whose name begins so; the newest first. */
  campaigns: Campaign[];
}

/** A number that somebody looks for. */
export interface FoundNumber {
  mobile: string;
  /** The latest first. */
  messages: MessageOfCampaign[];
  /** True: there are more messages than these. */
  more: boolean;
  /** The id of its latest reply, which opens the conversation; null: it never wrote. */
  reply: number | null;
  standing: NumberStanding;
}

/** What is listed of each kind. */
const MOST_FOUND = 50;
/** A key is searched in the latest campaigns that have keys, because no index holds it. */
const CAMPAIGNS_WITH_KEYS = 30;

/** Longer texts are no name of anything. */
export const MOST_SEARCHED_CHARS = 200;

/** Looks for a number in any form, an id of a message, a key, or the name or id of a campaign. */
export async function find(
  reader: LedgerReader,
  { text, country }: { text: string; country: string },
): Promise<Found> {
  const wanted = text.trim().slice(0, MOST_SEARCHED_CHARS);
  const nothing = { number: null, ofId: [], ofKey: [], campaigns: [] };
  if (wanted === '') return nothing;
  const parsed = parseMobile(wanted, country);
  if (parsed.ok) return { ...nothing, number: await numberFound(reader, parsed.mobile) };
  const all = await reader.find('');
  const ofId = await reader.messagesOfId({ messageId: wanted, limit: MOST_FOUND });
  return {
    number: null,
    ofId: await withCampaigns(reader, ofId),
    ofKey: await keyFound(reader, wanted, all),
    campaigns: all.filter((campaign) => isMeant(campaign, wanted.toLowerCase())).slice(0, MOST_FOUND),
  };
}

/** All that is known about a number (international digits). */
export async function numberFound(reader: LedgerReader, mobile: string): Promise<FoundNumber> {
  const messages = await reader.messagesTo({ mobile, before: null, limit: MOST_FOUND + 1 });
  const shown = await withCampaigns(reader, messages.slice(0, MOST_FOUND));
  const [reply] = await reader.repliesFrom({ mobile, before: null, limit: 1 });
  return {
    mobile,
    messages: shown.sort((a, b) => timeOfMessage(b.message) - timeOfMessage(a.message)),
    more: messages.length > MOST_FOUND,
    reply: reply?.id ?? null,
    standing: await numberStanding(reader, mobile),
  };
}

async function keyFound(
  reader: LedgerReader,
  key: string,
  newestFirst: readonly Campaign[],
): Promise<MessageOfCampaign[]> {
  const keyed = newestFirst.filter(({ settings }) => settings.key !== undefined);
  const found: MessageOfCampaign[] = [];
  for (const campaign of keyed.slice(0, CAMPAIGNS_WITH_KEYS)) {
    const limit = MOST_FOUND - found.length;
    if (limit <= 0) break;
    const messages = await reader.messagesOfKey({ campaign: campaign.n, key, limit });
    found.push(...messages.map((message) => ({ message, campaign })));
  }
  return found;
}

function isMeant({ id, name }: Campaign, wanted: string): boolean {
  return id.toLowerCase() === wanted || name.toLowerCase().startsWith(wanted);
}
