import type { CampaignsPage, CampaignsQuery } from '../../contracts/counters.ts';
import type { CampaignOverview, Tallies } from '../../contracts/overview.ts';
import type { canaryReads } from '../sending/canary.ts';
import { SECOND_MS } from '../sending/message-sums.ts';
import type { agendaReads } from './reader-agenda.ts';
import type { CampaignFacts, campaignReads } from './reader-campaigns.ts';
import type { CounterReads, KindRow } from './reader-counters.ts';
import { atMost, isUnpriced, type Price } from './reader-prices.ts';
import { countStates, talliesOf } from './reader-tallies.ts';
import { flatMapInOrder, mapInOrder } from '../../in-order.ts';

/** What an overview is made of, all on one connection, so that it is of one moment. */
export interface OverviewSources {
  counters: CounterReads;
  campaigns: Pick<ReturnType<typeof campaignReads>, 'campaigns'>;
  prices: (campaign: number) => Promise<Price[]>;
  canaries: ReturnType<typeof canaryReads>;
  agenda: Pick<ReturnType<typeof agendaReads>, 'heldNetworks'>;
}

const RATE_MS = 10_000;

/** Reads campaigns in numbers, from their counters. */
export function overviewReads(sources: OverviewSources) {
  const { counters, campaigns } = sources;
  const tallies = async (campaign: number, unreportedBefore: number, kinds: KindRow[]): Promise<Tallies> =>
    talliesOf(kinds, {
      prices: await sources.prices(campaign),
      unreported: await counters.pendingBefore(campaign, unreportedBefore),
      sent: await counters.sentTimes(campaign),
    });
  return {
    /** One campaign, or (null) all of them, newest first. */
    overviews: async (campaign: number | null): Promise<CampaignOverview[]> =>
      await mapInOrder(
        await campaigns.campaigns(campaign),
        async (each) => await overviewOf(sources, each, await counters.kinds(each.campaign.n)),
      ),

    tallies: async (campaign: number, unreportedBefore: number) =>
      await tallies(campaign, unreportedBefore, await counters.kinds(campaign)),

    async campaignCounters(campaign: number, unreportedBefore: number) {
      const kinds = await counters.kinds(campaign);
      return (
        await mapInOrder(await campaigns.campaigns(campaign), async (each) => ({
          total: kinds.reduce((sum, { messages }) => sum + messages, 0),
          overview: await overviewOf(sources, each, kinds),
          tallies: await tallies(campaign, unreportedBefore, kinds),
        }))
      )[0];
    },

    async campaignsPage({ limit, ...query }: CampaignsQuery): Promise<CampaignsPage> {
      const found = await counters.pageOf({ ...query, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const overviews = await mapInOrder(
        await flatMapInOrder(shown, (n) => campaigns.campaigns(n)),
        async (each) => await overviewOf(sources, each, await counters.kinds(each.campaign.n)),
      );
      return { campaigns: overviews, next: found.length > limit ? (shown.at(-1) ?? null) : null };
    },
  };
}

async function overviewOf(
  sources: OverviewSources,
  facts: CampaignFacts,
  kinds: KindRow[],
): Promise<CampaignOverview> {
  const { campaign, spentMicro, launchPriceMicro: price, firstClaimAt, canceledAt } = facts;
  const { counters } = sources;
  const messages = countStates(kinds);
  // The messages of corrected contacts are still to come.
  const settled = messages.queued + messages.sending === 0 && !facts.isApplying;
  const finished = settled && campaign.state !== 'canceled';
  return {
    campaign,
    ...(campaign.settings.canary === undefined ? {} : { canary: await sources.canaries.canary(campaign.n) }),
    ...(settled ? {} : await networksOf(sources, campaign)),
    state: finished ? 'finished' : campaign.state,
    reason: finished ? null : campaign.reason,
    ...pauseOf(facts, finished),
    messages,
    takenBack: facts.takenBack,
    startedAt: firstClaimAt,
    finishedAt: settled ? latest(await counters.lastLeftAt(campaign.n), canceledAt) : null,
    ...moneyOf({ spentMicro, kinds }, await sources.prices(campaign.n)),
    leftMicro: price === null ? null : leftSegments(kinds) * price,
    budgetMicro: campaign.budgetMicro,
    ...(await lastSeconds(counters, campaign.n)),
  };
}

/** The charged money with the possible cost beyond what messages of unknown cost count. */
function moneyOf(
  { spentMicro, kinds }: { spentMicro: number; kinds: KindRow[] },
  prices: Price[],
): Pick<CampaignOverview, 'spentMicro' | 'unpriced'> {
  const open = kinds.filter(({ unknown }) => unknown >= 0);
  const beyond = open.map(({ unknown: counted, segments, messages }) => {
    return messages * (atMost(prices, { counted, segments }) - counted);
  });
  const unpriced = open.filter(({ unknown: counted }) => isUnpriced(prices, { counted }));
  return {
    spentMicro: beyond.reduce((sum, each) => sum + each, spentMicro),
    unpriced: unpriced.reduce((sum, { messages }) => sum + messages, 0),
  };
}

function leftSegments(kinds: KindRow[]): number {
  const left = kinds.filter(({ state }) => state === 'queued' || state === 'sending');
  return left.reduce((sum, { segments, messages }) => sum + segments * messages, 0);
}

function pauseOf(
  { pause, campaign }: CampaignFacts,
  finished: boolean,
): Pick<CampaignOverview, 'cutOffAt' | 'filesUnread' | 'pauseSaid'> {
  const { cutOffAt, words } = finished ? {} : pause;
  const filesUnread = !finished && campaign.reason === 'start' && campaign.settings.every !== undefined;
  return {
    ...(filesUnread ? { filesUnread } : {}),
    ...(cutOffAt === undefined ? {} : { cutOffAt }),
    ...(words === undefined ? {} : { pauseSaid: words }),
  };
}

async function networksOf(
  { agenda }: OverviewSources,
  { n, state }: CampaignFacts['campaign'],
): Promise<Pick<CampaignOverview, 'networks'>> {
  if (state !== 'running' && state !== 'paused') return {};
  const networks = await agenda.heldNetworks(n);
  return networks.length === 0 ? {} : { networks };
}

function latest(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.max(left, right);
}

async function lastSeconds(
  counters: CounterReads,
  campaign: number,
): Promise<Pick<CampaignOverview, 'sentLast10s' | 'lastSentAt'>> {
  const { last } = await counters.sentTimes(campaign);
  if (last === null) return { sentLast10s: 0, lastSentAt: null };
  const second = last - (last % SECOND_MS);
  return {
    sentLast10s: await counters.sentSince(campaign, second - RATE_MS + SECOND_MS),
    lastSentAt: second,
  };
}
