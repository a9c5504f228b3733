import type { PauseReason } from '../domain/campaign.ts';
import type { CampaignOverview } from '../ledger/reader.ts';
import type { Context } from './context.ts';
import { pauseAdvice } from './pause-advice.ts';
import { progressLine, waitingLine } from './progress.ts';
import type { Watching } from './watch-campaign.ts';

/** Shows a watched campaign: the progress line, and above it one line each time that it pauses for a new reason. */
export function progressShower(context: Context): Pick<Watching, 'show' | 'showWaiting'> {
  const { output } = context;
  let told = '';
  return {
    async show(overview) {
      // A canary that failed after its wait is another pause than the wait.
      const news = `${overview.reason} ${overview.canary?.verdict}`;
      if (overview.reason !== null && news !== told) await tellPause(context, overview, overview.reason);
      told = news;
      output.progress(progressLine(output, overview));
    },
    showWaiting: (overview, pending) => output.progress(waitingLine(output, overview, pending)),
  };
}

/** A paused campaign's balance is read again every few seconds; an older reading says nothing. */
const FRESH_MS = 600_000;

async function tellPause(context: Context, overview: CampaignOverview, reason: PauseReason): Promise<void> {
  const { output, clock } = context;
  const now = clock.now();
  output.note(pauseAdvice({ overview, reason, creditMicro: await creditOf(context, overview), now }));
}

async function creditOf(context: Context, { campaign }: CampaignOverview): Promise<number | null> {
  if (campaign.account === null) return null;
  const now = context.clock.now();
  const span = { from: now - FRESH_MS, to: now };
  const readings = await (await context.reader()).readings(campaign.account, span);
  return readings.at(-1)?.creditMicro ?? null;
}
