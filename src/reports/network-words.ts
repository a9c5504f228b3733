import type { CampaignOverview, HeldNetwork } from '../ledger/contracts/reader.ts';
import { momentWords } from '../domain/time/time-words.ts';

/** Names of networks by the number that the provider gives them. */
export type NetworkNames = Readonly<Record<string, string>>;

/** "Safaricom", or its number where it has no name; null: "not known". */
export function networkName(network: string | null, names: NetworkNames = {}): string {
  if (network === null) return 'not known';
  return Object.hasOwn(names, network) ? (names[network] ?? network) : network;
}

/** The networks with waiting messages, as rows of a label and words: reason, begin, and next try. */
export function networkRows({ networks = [], campaign }: CampaignOverview, now: number): string[][] {
  const { zone } = campaign.settings;
  const when = (at: number) => momentWords(at, { zone, now });
  return networks.map((held) => [
    `network ${held.network}`,
    `held: ${whyWords(held)}; since ${when(held.since)}; ${againWords(held, when)}`,
  ]);
}

/** What is wrong with a network, in words. */
export function whyWords({ cause, why }: Pick<HeldNetwork, 'cause' | 'why'>): string {
  return cause === 'sending' ? 'messages to it failed one after another' : (why ?? 'it does not deliver');
}

function againWords({ probing, until }: HeldNetwork, when: (at: number) => string): string {
  return probing ? 'a few messages try it now' : `tried again ${when(until)}`;
}

/** The same as `--json` shows it. */
export function networksPart({ networks = [] }: CampaignOverview) {
  const time = (at: number) => new Date(at).toISOString();
  return networks.map(({ network, cause, probing, since, until, why }) => ({
    network,
    cause,
    state: probing ? ('probing' as const) : ('held' as const),
    why,
    since: time(since),
    again_at: probing ? null : time(until),
  }));
}
