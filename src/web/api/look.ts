import { campaignWithId } from '../../campaign/operator/campaign-with-id.ts';
import { livingWorkers } from '../../campaign/operator/living-workers.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import type { Look } from '../../reports/campaign-pace.ts';
import type { WebEnv } from '../web-env.ts';

/** A look by the clock, the settings and the workers of now. */
export async function lookNow(web: WebEnv): Promise<Look & { workers: number }> {
  const { clock, config } = web;
  return { now: clock.now(), accountRate: config.ratePerSecond, ...(await livingWorkers(web)) };
}

/** The campaign with this id; no beginning of one, and no name. Throws `not_found`. */
export async function overviewOf(web: Pick<WebEnv, 'reader'>, id: string): Promise<CampaignOverview> {
  const reader = await web.reader();
  return reader.overview((await campaignWithId(reader, id)).n);
}
