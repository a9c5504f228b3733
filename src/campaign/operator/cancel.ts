import type { Campaign } from '../../domain/campaign.ts';
import type { TumaError } from '../../domain/errors.ts';
import { forbidden, type Order } from './orders.ts';

/**
 * How those whom a canceled campaign did not reach are sent to. The file has its id: that of another is the contacts of a launch
 * since, which are never written over. `launch`: what is launched, of a firing not its own job.
 */
export function restWay({ id }: Pick<Campaign, 'id'>, launch = 'launch'): string {
  const file = `rest-${id}.csv`;
  return `tuma export ${id} --as contacts --state canceled --out ${file}, and ${launch} with --contacts ${file}`;
}

/**
 * Stops a campaign for good. Answers how many messages will now never be sent. A campaign that was canceled already is
 * gone through again, in case the process that canceled it died half-way. Throws `state_forbids` of one that is finished.
 */
export async function cancelCampaign(order: Order): Promise<{ changed: boolean; canceled: number }> {
  const { ledger, campaign, state, now, by } = order;
  if (state === 'finished') throw finished(order);
  const canceled = await ledger.cancel(campaign.n, { now, by });
  // The last of it was settled since it was read: it stays as it is, and nobody must believe that something was stopped.
  if ((await ledger.campaign(campaign.n))?.state !== 'canceled') throw finished(order);
  return { changed: state !== 'canceled', canceled };
}

function finished(order: Order): TumaError {
  const hint = 'Everything of it has been sent or settled.';
  return forbidden({ ...order, state: 'finished' }, { verb: 'canceled', hint });
}
