import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import type { Context } from '../context.ts';
import { pauseAdvice } from '../text/pause-text.ts';
import { networkRows } from '../../reports/network-words.ts';
import { lookNow, progressLine, waitingLine } from './progress.ts';
import { pauseOf } from '../../reports/campaign-status.ts';
import type { Watching } from './watch-campaign.ts';

/** Shows a watched campaign: the progress line, and above it what happens to it. */
export function progressShower(context: Context): Pick<Watching, 'show' | 'showWaiting'> {
  const { output } = context;
  const tell = newsTeller(context);
  return {
    async show(overview) {
      await tell(overview);
      output.progress(progressLine(output, overview, await lookNow(context)));
    },
    showWaiting: (overview, pending) => output.progress(waitingLine(output, overview, pending)),
  };
}

/** Prints each new pause of a campaign, and each held network, once. Every line begins with `before`. */
export function newsTeller(context: Context, before = ''): (overview: CampaignOverview) => Promise<void> {
  const { output, clock } = context;
  let told = '';
  const held = new Set<string>();
  return async (overview) => {
    // A canary that failed after its wait is another pause than the wait.
    const news = `${overview.reason} ${overview.canary?.verdict}`;
    const paused =
      news === told
        ? null
        : await pauseOf({ reader: await context.reader(), now: context.clock.now() }, overview);
    if (paused !== null) output.note(before + pauseAdvice(paused));
    told = news;
    for (const words of networkNews(overview, held, clock.now())) output.note(before + words);
  };
}

/** The held networks to print, each once. */
function networkNews(overview: CampaignOverview, told: Set<string>, now: number): string[] {
  const news = (overview.networks ?? []).filter(({ network, cause }) => !told.has(`${network} ${cause}`));
  return news.map((held) => {
    told.add(`${held.network} ${held.cause}`);
    const [[label, words] = []] = networkRows({ ...overview, networks: [held] }, now);
    const goOn = held.cause === 'delivery' ? ` (at once: tuma resume ${overview.campaign.id})` : '';
    return `${label} ${words}${goOn}`;
  });
}
