import { forbidden, type Order } from './verb.ts';

/** Lets a paused campaign go on, under another sender when one is given. Answers false when it was running already. */
export async function resumeCampaign(order: Order & { sender: string | null }): Promise<boolean> {
  const { ledger, campaign, state, now, by, sender } = order;
  if (state === 'running' && sender !== null) {
    throw forbidden(order, {
      verb: 'given another sender',
      hint: `Pause it first: tuma pause ${campaign.id}`,
    });
  }
  if (state === 'running') return false;
  if (state !== 'paused') throw forbidden(order, { verb: 'resumed' });
  return ledger.resume(campaign.n, { now, by, ...(sender === null ? {} : { sender }) });
}
