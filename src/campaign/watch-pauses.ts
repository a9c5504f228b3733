import type { Campaign } from '../domain/campaign.ts';
import { sendingHours } from '../domain/window.ts';
import { checkBalance } from './check-balance.ts';
import type { SendingWorker } from './sending-worker.ts';

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
  for (const account of new Set(short.map((campaign) => campaign.account ?? '')))
    if (await creditRose(worker, account))
      for (const campaign of short.filter((other) => other.account === account))
        await resume(worker, campaign);
}

async function creditRose(worker: SendingWorker, account: string): Promise<boolean> {
  const funds = await checkBalance(worker.env, account);
  if (funds.state !== 'known') return false;
  const before = worker.creditAtPause.get(account);
  worker.creditAtPause.set(account, funds.creditMicro);
  return before === undefined ? funds.creditMicro > 0 : funds.creditMicro > before;
}

async function resume(worker: SendingWorker, campaign: Campaign): Promise<void> {
  const { env } = worker;
  const reasons = campaign.reason === null ? [] : [campaign.reason];
  const change = { now: env.clock.now(), by: 'worker', reasons };
  if (await env.ledger.resume(campaign.n, change))
    env.log.info({ campaign: campaign.id }, 'the campaign goes on');
}
