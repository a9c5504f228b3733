import type { PauseReason } from '../domain/campaign.ts';
import type { CampaignOverview } from '../ledger/reader.ts';
import type { Context } from './context.ts';
import { latestCredit } from './latest-credit.ts';
import { pauseAdvice } from './pause-advice.ts';
import { networkRows } from './network-text.ts';
import { progressLine, waitingLine } from './progress.ts';
import type { Watching } from './watch-campaign.ts';

/** Shows a watched campaign: the progress line, and above it one line each time that it pauses for a new reason. */
export function progressShower(context: Context): Pick<Watching, 'show' | 'showWaiting'> {
  const { output } = context;
  let told = '';
  const held = new Set<string>();
  return {
    async show(overview) {
      // A canary that failed after its wait is another pause than the wait.
      const news = `${overview.reason} ${overview.canary?.verdict}`;
      if (overview.reason !== null && news !== told) await tellPause(context, overview, overview.reason);
      told = news;
      for (const words of networkNews(overview, held, context.clock.now())) output.note(words);
      output.progress(progressLine(output, overview));
    },
    showWaiting: (overview, pending) => output.progress(waitingLine(output, overview, pending)),
  };
}

/** What is to be told of networks that are held, each once. */
function networkNews(overview: CampaignOverview, told: Set<string>, now: number): string[] {
  const news = (overview.networks ?? []).filter(({ network, cause }) => !told.has(`${network} ${cause}`));
  return news.map((held) => {
    told.add(`${held.network} ${held.cause}`);
    const [[label, words] = []] = networkRows({ ...overview, networks: [held] }, now);
    const goOn = held.cause === 'delivery' ? ` (at once: tuma resume ${overview.campaign.id})` : '';
    return `${label} ${words}${goOn}`;
  });
}

async function tellPause(context: Context, overview: CampaignOverview, reason: PauseReason): Promise<void> {
  const { output, clock } = context;
  const now = clock.now();
  output.note(pauseAdvice({ overview, reason, creditMicro: await latestCredit(context, overview), now }));
}
