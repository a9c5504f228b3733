import type { CanaryStep, NetworkStep } from '../../ledger/sending.ts';
import type { Env } from '../env.ts';

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

/** Has the ledger judge the canaries, and logs what became of them. */
export async function watchCanaries({ ledger, clock, log }: WatchEnv): Promise<void> {
  for (const { id, step, why } of await ledger.watchCanaries(clock.now())) {
    if (step === 'failed') log.warn({ campaign: id, why }, CANARY_WORDS.failed);
    else log.info({ campaign: id }, CANARY_WORDS[step]);
  }
}

/** Has the ledger judge the networks and bring back the messages that may go, and logs what became of them. */
export async function watchNetworks({ ledger, clock, log }: WatchEnv): Promise<void> {
  for (const { id, network, step, why } of await ledger.watchNetworks(clock.now())) {
    const facts = { campaign: id, network, ...(why === null ? {} : { why }) };
    if (step === 'held' || step === 'paused') log.warn(facts, NETWORK_WORDS[step]);
    else log.info(facts, NETWORK_WORDS[step]);
  }
  await ledger.bringBackHeld(clock.now());
}
