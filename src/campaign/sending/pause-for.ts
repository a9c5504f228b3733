import type { PauseReason } from '../../domain/campaign.ts';
import type { Lease } from '../../ledger/sending.ts';
import type { SendingWorker } from './sending-worker.ts';

/** The worker pauses a campaign for a reason of its own; one that is paused already stays as it is. */
export async function pauseFor(worker: SendingWorker, lease: Lease, reason: PauseReason): Promise<void> {
  const { env } = worker;
  const { n, id, budgetMicro } = lease.campaign;
  const usedUp = reason === 'budget' ? { usedUpMicro: budgetMicro } : {};
  const paused = await env.ledger.pause(n, { now: env.clock.now(), by: 'worker', reason, ...usedUp });
  if (paused) env.log.warn({ campaign: id, reason }, 'the campaign is paused');
}
