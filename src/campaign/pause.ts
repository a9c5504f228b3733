import { forbidden, type Order } from './verb.ts';

/**
 * Pauses a campaign for the operator. Answers false when it was paused by one already. A pause of Tuma's own making
 * (balance, window …) would end by itself, so it becomes the operator's.
 */
export async function pauseCampaign(order: Order): Promise<boolean> {
  const { ledger, campaign, state, now, by } = order;
  if (state === 'scheduled')
    throw forbidden(order, { verb: 'paused', hint: `Stop it for good: tuma cancel ${campaign.id}` });
  if (state !== 'running' && state !== 'paused') throw forbidden(order, { verb: 'paused' });
  if (campaign.reason === 'operator') return false;
  if (campaign.reason !== null) await ledger.resume(campaign.n, { now, by, reasons: [campaign.reason] });
  return ledger.pause(campaign.n, { now, by, reason: 'operator' });
}
