import type { SendingWorker } from './sending-worker.ts';

/** The interval at which a worker asks whether the campaigns of its waiting messages still run. */
export const HEED_ORDERS_MS = 200;

/**
 * Puts back claimed messages of campaigns that do not run any more, if they have no request yet. A claim may be a
 * second ahead of its messages' rate slots, and a person who pauses a campaign means these messages, too.
 */
export async function heedOrders({ env, dispatcher }: SendingWorker): Promise<void> {
  const waiting = dispatcher.waitingCampaigns;
  if (waiting.length > 0) dispatcher.putBackCampaigns(await env.ledger.haltedCampaigns(waiting));
}
