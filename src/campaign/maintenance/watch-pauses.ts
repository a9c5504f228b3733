import type { Campaign } from '../../domain/campaign.ts';
import { sendingHours } from '../../domain/time/window.ts';
import { checkBalance } from '../sending/check-balance.ts';
import type { SendingWorker } from '../sending/sending-worker.ts';

/**
 * Resumes campaigns that Tuma itself paused: `window` when the hours have come, `balance` when the credit has risen (or,
 * after a restart, once to try).
 */
export async function watchPauses(
  { env, credit }: Pick<SendingWorker, 'env' | 'credit'>,
  paused: Campaign[],
): Promise<void> {
  for (const campaign of paused.filter(({ reason }) => reason === 'window')) {
    const { window, zone } = campaign.settings;
    if (sendingHours(window, zone, env.clock.now()).open) await resume(env, campaign);
  }
  const short = paused.filter(({ reason }) => reason === 'balance');
  for (const [account, own] of Map.groupBy(short, (campaign) => campaign.account ?? '')) {
    const funds = await checkBalance(env, account);
    if (funds.state !== 'known') continue;
    const reading = { creditMicro: funds.creditMicro, now: env.clock.monotonic() };
    await credit.goOnIfRisen(account, reading, async () => {
      for (const campaign of own) await resume(env, campaign);
    });
  }
}

async function resume({ clock, ledger, log }: SendingWorker['env'], campaign: Campaign): Promise<void> {
  const reasons = campaign.reason === null ? [] : [campaign.reason];
  if (await ledger.resume(campaign.n, { now: clock.now(), by: 'worker', reasons }))
    log.info({ campaign: campaign.id }, 'the campaign goes on');
}
