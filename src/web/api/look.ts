import type { CampaignOverview } from '../../ledger/reader.ts';
import { TumaError } from '../../domain/errors.ts';
import { jointOutage } from '../../domain/pace/outage.ts';
import type { Look } from '../../reports/campaign-pace.ts';
import type { WebEnv } from '../web-env.ts';

/** A worker gives a sign of life every few seconds; without one for so long it is not counted. */
const ALIVE_MS = 30_000;

/** A look by the clock, the settings and the workers of now. */
export async function lookNow({ clock, config, reader }: WebEnv): Promise<Look & { workers: number }> {
  const now = clock.now();
  const living = await (await reader()).aliveWorkers(now - ALIVE_MS);
  const outage = jointOutage(living.map((worker) => worker.outage));
  return { now, accountRate: config.ratePerSecond, workers: living.length, outage };
}

/** The campaign with this id; no beginning of one, and no name. Throws `not_found`. */
export async function overviewOf({ reader }: Pick<WebEnv, 'reader'>, id: string): Promise<CampaignOverview> {
  const ledger = await reader();
  const campaign = (await ledger.find(id)).find((each) => each.id === id);
  if (campaign !== undefined) return ledger.overview(campaign.n);
  throw new TumaError('not_found', { message: 'There is no campaign with that id.' });
}
