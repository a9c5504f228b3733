import { forbidden, type Order } from './verb.ts';

/**
 * Puts rejected messages back into the queue: those that a retry can help, or all of one reason. Uncertain messages are
 * never touched. Answers how many.
 */
export async function retryRejected(order: Order & { reason: string | null }): Promise<number> {
  const { ledger, campaign, state, now, by, reason } = order;
  if (state === 'canceled')
    throw forbidden(order, { verb: 'retried', hint: 'Nothing of a canceled campaign is sent again.' });
  return ledger.retry(campaign.n, { now, by, ...(reason === null ? {} : { reason }) });
}
