import { Failures } from '../../campaign/sending/failures.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import type { Context } from '../context.ts';
import { lookNow, progressLine } from './progress.ts';
import { isOpen, LOOK_MS, type Show, statusShower } from './watch-status.ts';

/* What `serve` shows: a live block on a terminal, else lines of the log. */

/** Between two looks where there is no terminal. */
const LOG_LOOK_MS = 5_000;
/** The least time between two lines about the progress of a campaign. */
const PROGRESS_MS = 60_000;
/** `serve` sends in this process, so looking takes a small share of its time. */
const WORK_SHARE = 0.02;

/** Shows the open campaigns of `serve` until its signal. After a failed look comes the next one. */
export async function showServing(context: Context): Promise<void> {
  const { output, clock, signal } = context;
  const failures = new Failures(context);
  const about = { part: 'progress', words: 'the campaigns cannot be shown now' };
  const show = output.liveProgress ? statusShower(context, { named: true }) : logShower(context);
  while (!signal.aborted) {
    const begun = clock.monotonic();
    await failures.guard(about, async () => show(await (await context.reader()).campaigns()));
    const pause = output.liveProgress ? LOOK_MS : LOG_LOOK_MS;
    await clock.sleep(Math.max(pause, (clock.monotonic() - begun) / WORK_SHARE), signal);
  }
  output.progress(null);
}

interface Logged {
  state: CampaignOverview['state'];
  /** What the last line said, without its rate. */
  facts: string;
  /** Monotonic milliseconds. */
  at: number;
}

/** A line when a campaign is launched, paused, resumed or ended, and at most one a minute about its progress. */
function logShower(context: Context): Show {
  const { clock, log } = context;
  const logged = new Map<number, Logged>();
  const begunAt = clock.now();
  return async (overviews) => {
    const look = await lookNow(context);
    for (const overview of overviews) {
      const { n, id, createdAt } = overview.campaign;
      const before = logged.get(n);
      const step = stepOf(overview, { before: before?.state, isNew: createdAt > begunAt });
      const facts = JSON.stringify([overview.messages, overview.reason, look.outage?.since]);
      const now = clock.monotonic();
      const isDue = before === undefined || (facts !== before.facts && now - before.at >= PROGRESS_MS);
      if (step === null && !(isOpen(overview) && isDue)) continue;
      logged.set(n, { state: overview.state, facts, at: now });
      const words = progressLine(context.output, overview, look);
      log.info({ campaign: id }, step === null ? words : `${step}: ${words}`);
    }
  };
}

/** What happened to a campaign since the line before; null: nothing that has a name. */
function stepOf(
  { state }: CampaignOverview,
  { before, isNew }: { before: CampaignOverview['state'] | undefined; isNew: boolean },
): string | null {
  if (before === undefined) return isNew && state !== 'draft' ? 'launched' : null;
  if (state === before) return null;
  if (state === 'running') return before === 'paused' ? 'resumed' : 'started';
  return state;
}
