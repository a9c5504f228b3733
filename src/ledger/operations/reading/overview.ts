import type { Campaign } from '../../../domain/campaign.ts';
import type { CampaignsPage, CampaignsQuery } from '../../contracts/counters.ts';
import type { CampaignOverview, HeldNetwork, Tallies } from '../../contracts/overview.ts';
import type { canaryReads } from '../sending/canary.ts';
import { campaignFrom } from '../planning/campaigns.ts';
import { SECOND_MS } from '../keeping/message-sums.ts';
import type { FactsRow, factReads } from './campaigns.ts';
import type { Counted, CounterReads, KindRow } from './counters.ts';
import type { Price } from './prices.ts';
import { countStates, sum, talliesOf, unknownOf } from './tallies.ts';
import { flatMapInOrder, mapInOrder } from '../../in-order.ts';

/** What an overview is made of, all on one connection, so that it is of one moment. */
export interface OverviewSources {
  counters: CounterReads;
  campaigns: Pick<ReturnType<typeof factReads>, 'campaigns'>;
  canaries: ReturnType<typeof canaryReads>;
  heldNetworks: (campaign: number) => Promise<HeldNetwork[]>;
}

/** Reads campaigns in numbers, from their counters. */
export function overviewReads(sources: OverviewSources) {
  const { counters, campaigns } = sources;
  const overview = async (row: FactsRow) => await overviewOf(sources, row, await counters.of(row.n));
  return {
    /** One campaign, or (null) all of them, newest first. */
    overviews: async (campaign: number | null): Promise<CampaignOverview[]> =>
      await mapInOrder(await campaigns.campaigns(campaign), overview),

    tallies: async (campaign: number, unreportedBefore: number): Promise<Tallies> =>
      talliesOf(await counters.of(campaign), await counters.pendingBefore(campaign, unreportedBefore)),

    /** Undefined: there is no such campaign. */
    async campaignCounters(campaign: number, unreportedBefore: number) {
      const [row] = await campaigns.campaigns(campaign);
      if (row === undefined) return undefined;
      const all = await counters.of(campaign);
      return {
        total: sum(all.kinds, ({ messages }) => messages),
        overview: await overviewOf(sources, row, all),
        tallies: talliesOf(all, await counters.pendingBefore(campaign, unreportedBefore)),
      };
    },

    async campaignsPage({ limit, ...query }: CampaignsQuery): Promise<CampaignsPage> {
      const found = await counters.pageOf({ ...query, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const rows = await flatMapInOrder(shown, (n) => campaigns.campaigns(n));
      const next = found.length > limit ? (shown.at(-1) ?? null) : null;
      return { campaigns: await mapInOrder(rows, overview), next };
    },
  };
}

async function overviewOf(
  sources: OverviewSources,
  row: FactsRow,
  { kinds, prices, times }: Counted,
): Promise<CampaignOverview> {
  const campaign = campaignFrom(row);
  const messages = countStates(kinds);
  // The messages of corrected contacts are still to come.
  const settled = messages.queued + messages.sending === 0 && row.applying === 0;
  const finished = settled && campaign.state !== 'canceled';
  return {
    campaign,
    ...(await gatesOf(sources, campaign, settled)),
    state: finished ? 'finished' : campaign.state,
    reason: finished ? null : campaign.reason,
    ...(finished ? {} : pauseOf(campaign, row.pause)),
    messages,
    takenBack: row.taken_back,
    startedAt: row.first_claim_at,
    finishedAt: settled ? latest(times.lastLeft, row.canceled_at) : null,
    ...moneyOf(row.spent, kinds, prices),
    leftMicro: row.price === null ? null : leftSegments(kinds) * row.price,
    budgetMicro: campaign.budgetMicro,
    sentLast10s: times.recent,
    lastSentAt: secondOf(times.last),
  };
}

/** The charged money with the possible cost beyond what messages of unknown cost count. */
function moneyOf(
  spentMicro: number,
  kinds: KindRow[],
  prices: Price[],
): Pick<CampaignOverview, 'spentMicro' | 'unpriced'> {
  const { unknownMicro, atStakeMicro, writtenOffMicro, unpriced } = unknownOf(kinds, prices);
  const counted = sum(kinds, ({ unknown, messages }) => messages * Math.max(0, unknown));
  return { spentMicro: spentMicro - counted + unknownMicro + atStakeMicro + writtenOffMicro, unpriced };
}

function leftSegments(kinds: KindRow[]): number {
  const left = kinds.filter(({ state }) => state === 'queued' || state === 'sending');
  return sum(left, ({ segments, messages }) => segments * messages);
}

function pauseOf(
  { reason, settings }: Campaign,
  pause: string | null,
): Pick<CampaignOverview, 'cutOffAt' | 'filesUnread' | 'pauseSaid'> {
  const { cutOffAt, words } = JSON.parse(pause ?? '{}') as { cutOffAt?: number; words?: string };
  const filesUnread = reason === 'start' && settings.every !== undefined;
  return {
    ...(filesUnread ? { filesUnread } : {}),
    ...(cutOffAt === undefined ? {} : { cutOffAt }),
    ...(words === undefined ? {} : { pauseSaid: words }),
  };
}

/** What its messages wait for: the canary, and networks that are held. */
async function gatesOf(
  { canaries, heldNetworks }: OverviewSources,
  { n, state, settings }: Campaign,
  settled: boolean,
): Promise<Pick<CampaignOverview, 'canary' | 'networks'>> {
  const canary = settings.canary === undefined ? {} : { canary: await canaries.canary(n) };
  if (settled || (state !== 'running' && state !== 'paused')) return canary;
  const networks = await heldNetworks(n);
  return networks.length === 0 ? canary : { ...canary, networks };
}

function latest(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.max(left, right);
}

function secondOf(instant: number | null): number | null {
  return instant === null ? null : instant - (instant % SECOND_MS);
}
