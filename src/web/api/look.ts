import type { CampaignOverview } from '../../ledger/reader.ts';
import { TumaError } from '../../domain/errors.ts';
import { jointOutage } from '../../domain/pace/outage.ts';
import type { Look } from '../../reports/campaign-pace.ts';
import type { WebEnv } from '../web-env.ts';

/** A worker gives a sign of life every few seconds; without one for so long it is not counted. */
const ALIVE_MS = 30_000;

/** A look by the clock, the settings and the workers of now. */
export async function lookNow(web: WebEnv): Promise<Look & { workers: number }> {
  const { clock, config } = web;
  const now = clock.now();
  const living = await (await web.reader()).aliveWorkers(now - ALIVE_MS);
  const outage = jointOutage(living.map((worker) => worker.outage));
  return { now, accountRate: config.ratePerSecond, workers: living.length, outage };
}

/** The campaign with this id; no beginning of one, and no name. Throws `not_found`. */
export async function overviewOf(web: Pick<WebEnv, 'reader'>, id: string): Promise<CampaignOverview> {
  const reader = await web.reader();
  const campaign = (await reader.find(id)).find((each) => each.id === id);
  if (campaign !== undefined) return reader.overview(campaign.n);
  throw new TumaError('not_found', { message: 'There is no campaign with that id.' });
}
