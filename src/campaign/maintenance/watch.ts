import type { Campaign } from '../../domain/campaign.ts';
import { sendingHours } from '../../domain/time/window.ts';
import type { CanaryStep, NetworkStep } from '../../ledger/contracts/sending.ts';
import type { Env } from '../env.ts';
import { checkBalance } from '../sending/check-balance.ts';
import type { SendingWorker } from '../sending/sending-worker.ts';

type WatchEnv = Pick<Env, 'ledger' | 'clock' | 'log'>;

const CANARY_WORDS = {
  waiting: 'the canary is out: the campaign waits for its delivery reports',
  passed: 'the canary passed: the rest of the campaign goes',
  failed: 'the canary failed: the campaign waits for a person',
} as const satisfies Record<CanaryStep['step'], string>;

const NETWORK_WORDS = {
  held: 'a network is ill: its messages wait',
  probing: 'a network that was ill is tried again with a few messages',
  well: 'the network is well again: its messages go on',
  paused: 'a network is ill, and holding it is not enough: the campaign waits for a person',
} as const satisfies Record<NetworkStep['step'], string>;

/** Lets the ledger judge the canaries, and logs the results. */
export async function watchCanaries({ ledger, clock, log }: WatchEnv): Promise<void> {
  for (const { id, step, why } of await ledger.watchCanaries(clock.now())) {
    if (step === 'failed') log.warn({ campaign: id, why }, CANARY_WORDS.failed);
    else log.info({ campaign: id }, CANARY_WORDS[step]);
  }
}

/** Lets the ledger judge the networks and bring back held messages, and logs the results. */
export async function watchNetworks({ ledger, clock, log }: WatchEnv): Promise<void> {
  for (const { id, network, step, why } of await ledger.watchNetworks(clock.now())) {
    const facts = { campaign: id, network, ...(why === null ? {} : { why }) };
    if (step === 'held' || step === 'paused') log.warn(facts, NETWORK_WORDS[step]);
    else log.info(facts, NETWORK_WORDS[step]);
  }
  await ledger.bringBackHeld(clock.now());
}

/** Resumes a pause by Tuma: in the hours (`window`), after a rise of credit (`balance`), after a restart. */
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
