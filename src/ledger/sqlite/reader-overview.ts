import type { CampaignsPage, CampaignsQuery } from '../counters.ts';
import type { CampaignOverview, Tallies } from '../overview.ts';
import type { canaryReads } from './canary.ts';
import { SECOND_MS } from './message-sums.ts';
import type { agendaReads } from './reader-agenda.ts';
import type { CampaignFacts, campaignReads } from './reader-campaigns.ts';
import type { CounterReads, KindRow } from './reader-counters.ts';
import { atMost, isUnpriced, type Price } from './reader-prices.ts';
import { countStates, talliesOf } from './reader-tallies.ts';

/** What an overview is made of, all on one connection, so that it is of one moment. */
export interface OverviewSources {
  counters: CounterReads;
  campaigns: Pick<ReturnType<typeof campaignReads>, 'campaigns'>;
  prices: (campaign: number) => Price[];
  canaries: ReturnType<typeof canaryReads>;
  agenda: Pick<ReturnType<typeof agendaReads>, 'heldNetworks'>;
}

const RATE_MS = 10_000;

/** Reads campaigns in numbers, from their counters. */
export function overviewReads(sources: OverviewSources) {
  const { counters, campaigns } = sources;
  const tallies = (campaign: number, unreportedBefore: number, kinds: KindRow[]): Tallies =>
    talliesOf(kinds, {
      prices: sources.prices(campaign),
      unreported: counters.pendingBefore(campaign, unreportedBefore),
      sent: counters.sentTimes(campaign),
    });
  return {
    /** One campaign, or (null) all of them, newest first. */
    overviews: (campaign: number | null): CampaignOverview[] =>
      campaigns.campaigns(campaign).map((each) => overviewOf(sources, each, counters.kinds(each.campaign.n))),

    tallies: ({ campaign, unreportedBefore }: { campaign: number; unreportedBefore: number }) =>
      tallies(campaign, unreportedBefore, counters.kinds(campaign)),

    campaignCounters({ campaign, unreportedBefore }: { campaign: number; unreportedBefore: number }) {
      const kinds = counters.kinds(campaign);
      return campaigns.campaigns(campaign).map((each) => ({
        total: kinds.reduce((sum, { messages }) => sum + messages, 0),
        overview: overviewOf(sources, each, kinds),
        tallies: tallies(campaign, unreportedBefore, kinds),
      }))[0];
    },

    campaignsPage({ limit, ...query }: CampaignsQuery): CampaignsPage {
      const found = counters.pageOf({ ...query, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const overviews = shown
        .flatMap((n) => campaigns.campaigns(n))
        .map((each) => overviewOf(sources, each, counters.kinds(each.campaign.n)));
      return { campaigns: overviews, next: found.length > limit ? (shown.at(-1) ?? null) : null };
    },
  };
}

function overviewOf(sources: OverviewSources, facts: CampaignFacts, kinds: KindRow[]): CampaignOverview {
  const { campaign, spentMicro, launchPriceMicro: price, firstClaimAt, canceledAt } = facts;
  const { counters } = sources;
  const messages = countStates(kinds);
  // The messages of corrected contacts are still to come.
  const settled = messages.queued + messages.sending === 0 && !facts.isApplying;
  const finished = settled && campaign.state !== 'canceled';
  return {
    campaign,
    ...(campaign.settings.canary === undefined ? {} : { canary: sources.canaries.canary(campaign.n) }),
    ...(settled ? {} : networksOf(sources, campaign)),
    state: finished ? 'finished' : campaign.state,
    reason: finished ? null : campaign.reason,
    ...pauseOf(facts, finished),
    messages,
    takenBack: facts.takenBack,
    startedAt: firstClaimAt,
    finishedAt: settled ? latest(counters.lastLeftAt(campaign.n), canceledAt) : null,
    ...moneyOf({ spentMicro, kinds }, sources.prices(campaign.n)),
    leftMicro: price === null ? null : leftSegments(kinds) * price,
    budgetMicro: campaign.budgetMicro,
    ...lastSeconds(counters, campaign.n),
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

function networksOf(
  { agenda }: OverviewSources,
  { n, state }: CampaignFacts['campaign'],
): Pick<CampaignOverview, 'networks'> {
  if (state !== 'running' && state !== 'paused') return {};
  const networks = agenda.heldNetworks(n);
  return networks.length === 0 ? {} : { networks };
}

function latest(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.max(left, right);
}

function lastSeconds(
  counters: CounterReads,
  campaign: number,
): Pick<CampaignOverview, 'sentLast10s' | 'lastSentAt'> {
  const { last } = counters.sentTimes(campaign);
  if (last === null) return { sentLast10s: 0, lastSentAt: null };
  const second = last - (last % SECOND_MS);
  return { sentLast10s: counters.sentSince(campaign, second - RATE_MS + SECOND_MS), lastSentAt: second };
}
