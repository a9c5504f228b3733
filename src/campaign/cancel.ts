import type { Campaign } from '../domain/campaign.ts';
import { forbidden, type Order } from './verb.ts';

/** The command that writes those whom a canceled campaign did not reach, to be launched with `--contacts`. */
export function restCommand({ id }: Pick<Campaign, 'id'>): string {
  return `tuma export ${id} --as contacts --state canceled --out rest.csv`;
}

/**
 * Stops a campaign for good. Answers how many messages will now never be sent. A campaign that was canceled already is
 * gone through again, in case the process that canceled it died half-way.
 */
export async function cancelCampaign(order: Order): Promise<{ changed: boolean; canceled: number }> {
  const { ledger, campaign, state, now, by } = order;
  if (state === 'finished')
    throw forbidden(order, { verb: 'canceled', hint: 'Everything of it has been sent or settled.' });
  const canceled = await ledger.cancel(campaign.n, { now, by });
  return { changed: state !== 'canceled', canceled };
}
