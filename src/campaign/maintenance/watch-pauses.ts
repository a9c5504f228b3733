import type { Campaign } from '../../domain/campaign.ts';
import { sendingHours } from '../../domain/time/window.ts';
import { checkBalance } from '../sending/check-balance.ts';
import type { SendingWorker } from '../sending/sending-worker.ts';

/**
 * Lets campaigns go on that a pause of Tuma's own making holds back: `window` when the hours have come, `balance` when
 * the credit has risen (or, after a restart, once to try).
 */
export async function watchPauses(worker: SendingWorker, paused: Campaign[]): Promise<void> {
  const { env } = worker;
  for (const campaign of paused.filter(({ reason }) => reason === 'window')) {
    const { window, zone } = campaign.settings;
    if (sendingHours(window, zone, env.clock.now()).open) await resume(worker, campaign);
  }
  const short = paused.filter(({ reason }) => reason === 'balance');
  for (const account of new Set(short.map((campaign) => campaign.account ?? ''))) {
    const own = short.filter((campaign) => campaign.account === account);
    await resumeIfRisen(worker, account, own);
  }
}

async function resumeIfRisen(worker: SendingWorker, account: string, paused: Campaign[]): Promise<void> {
  const funds = await checkBalance(worker.env, account);
  if (funds.state !== 'known') return;
  const before = worker.creditAtPause.get(account) ?? 0;
  worker.creditAtPause.set(account, funds.creditMicro);
  if (funds.creditMicro <= before) return;
  worker.tryingSince.set(account, worker.env.clock.monotonic());
  try {
    for (const campaign of paused) await resume(worker, campaign);
  } catch (error) {
    // It has not risen yet for those that still are paused: the next look tries again.
    worker.creditAtPause.set(account, before);
    throw error;
  }
}

async function resume(worker: SendingWorker, campaign: Campaign): Promise<void> {
  const { env } = worker;
  const reasons = campaign.reason === null ? [] : [campaign.reason];
  const change = { now: env.clock.now(), by: 'worker', reasons };
  if (await env.ledger.resume(campaign.n, change))
    env.log.info({ campaign: campaign.id }, 'the campaign goes on');
}
