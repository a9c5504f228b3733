import { forbidden, type Order } from './verb.ts';

/**
 * Pauses a campaign for the operator. A pause that would end by itself (balance, window, a canary that waits) becomes the
 * operator's. Answers false when it waits for a person already.
 */
export async function pauseCampaign(order: Order): Promise<boolean> {
  const { ledger, campaign, state, now, by } = order;
  if (state === 'scheduled')
    throw forbidden(order, { verb: 'paused', hint: `Stop it for good: tuma cancel ${campaign.id}` });
  if (state !== 'running' && state !== 'paused') throw forbidden(order, { verb: 'paused' });
  return ledger.pause(campaign.n, { now, by, reason: 'operator' });
}
