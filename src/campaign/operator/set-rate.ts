import { forbidden, type Order } from './verb.ts';

/** Changes the campaign's own rate at once, and ends its ramp; null leaves only the account's. Answers false when it was so already. */
export async function setRate(order: Order & { ratePerSecond: number | null }): Promise<boolean> {
  const { ledger, campaign, state, now, by, ratePerSecond } = order;
  if (state === 'finished' || state === 'canceled') throw forbidden(order, { verb: 'given another rate' });
  const { settings } = campaign;
  if (settings.ratePerSecond === ratePerSecond && settings.ramp === undefined) return false;
  await ledger.setRate(campaign.n, { now, by, ratePerSecond });
  return true;
}
