import { TumaError } from '../../domain/errors.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import type { Context } from '../context.ts';
import type { Output } from './output.ts';
import { EXIT } from '../exit.ts';
import { lookAgain } from './look-again.ts';
import { lookNow, progressLine } from './progress.ts';
import { newsTeller } from './show-progress.ts';
import { type Look } from '../../reports/campaign-pace.ts';
import { pausePart } from '../text/pause-text.ts';
import { pauseOf, servicePart, statusDocument } from '../../reports/campaign-status.ts';
import { noteWithoutWorker } from '../doctor/workers-alive.ts';

/** Between two looks. */
export const LOOK_MS = 1_000;
/** Counting a large campaign takes a while; looking may not take more than this share of the time. */
const WORK_SHARE = 0.1;

/** The subject of a watch. */
export interface StatusWatch {
  /** Only this campaign, until it is settled; null: all, until a signal. */
  only: number | null;
  /** The last words about the one that was watched. */
  settledText: (overview: CampaignOverview) => string;
}

/**
 * Shows campaigns until the watched one is settled, or all of them until a signal; with `--json` one event a
 * campaign and look. Throws `interrupted` when the watched one is not settled yet.
 */
export async function watchStatus(context: Context, { only, settledText }: StatusWatch): Promise<number> {
  const { output, clock, signal } = context;
  const reader = await context.reader();
  const show = statusShower(context, { named: only === null });
  while (!signal.aborted && !output.unread) {
    const begun = clock.monotonic();
    const overviews = await lookAgain(context, async () => {
      const found = only === null ? await reader.campaigns() : [await reader.overview(only)];
      await show(found);
      return found;
    });
    const [watched] = overviews;
    if (only !== null && watched !== undefined && !isOpen(watched)) {
      output.progress(null);
      if (!output.json) output.result(null, () => settledText(watched));
      return EXIT.done;
    }
    await clock.sleep(Math.max(LOOK_MS, (clock.monotonic() - begun) / WORK_SHARE), signal);
  }
  output.progress(null);
  if (only === null) return EXIT.done;
  throw interrupted(context, (await reader.overview(only)).campaign.id);
}

function interrupted({ signal }: Context, id: string): TumaError {
  const stopped = signal.aborted ? `Stopped by ${String(signal.reason)}` : 'Nobody read this any more';
  return new TumaError('interrupted', {
    message: `${stopped} before campaign ${id} was settled. The campaign itself is not touched.`,
    hint: `Watch it again: tuma status ${id} --watch`,
    where: id,
  });
}

/** Shows the campaigns as they stand. */
export type Show = (overviews: CampaignOverview[]) => Promise<void>;

/** A live block of the open campaigns, and their news. `named`: the news of a campaign begin with its name. */
export function statusShower(context: Context, { named }: { named: boolean }): Show {
  const { output } = context;
  const tellers = new Map<number, ReturnType<typeof newsTeller>>();
  const tellWorkers = workersTeller(context);
  return async (overviews) => {
    const look = await lookNow(context);
    const { workers = 0 } = look;
    for (const overview of overviews) {
      const { n, name } = overview.campaign;
      const tell = tellers.get(n) ?? newsTeller(context, named ? `${name}: ` : '');
      tellers.set(n, tell);
      if (output.json) output.event(await eventOf(context, overview, look));
      else await tell(overview);
    }
    await tellWorkers(overviews, workers);
    const lines = overviews.filter(isOpen).map((overview) => progressLine(output, overview, look));
    if (lines.length > 0) output.progress(fitting(lines, output).join('\n'));
  };
}

/** At most as many lines as the terminal has, because a line above its top cannot be replaced. */
function fitting(lines: string[], { liveProgress, progressLines }: Output): string[] {
  if (!liveProgress || lines.length <= progressLines) return lines;
  const shown = lines.slice(0, progressLines - 1);
  return [...shown, `and ${lines.length - shown.length} more`];
}

async function eventOf(context: Context, overview: CampaignOverview, look: Look) {
  const document = statusDocument(overview, look);
  return {
    ...document,
    ...pausePart(await pauseOf({ reader: await context.reader(), now: look.now }, overview)),
    workers: look.workers,
    service: servicePart(look.outage),
  };
}

/** Says once that nobody is there to send, and again when somebody came and went. */
function workersTeller(context: Context): (overviews: CampaignOverview[], workers: number) => Promise<void> {
  let told = false;
  return async (overviews, workers) => {
    const missing = workers === 0 && overviews.some(({ state }) => state === 'running');
    if (missing && !told) await noteWithoutWorker(context);
    told = missing;
  };
}

/** True: something of it may still be sent. */
export function isOpen({ state, messages }: CampaignOverview): boolean {
  return state !== 'finished' && (state !== 'canceled' || messages.sending > 0);
}
