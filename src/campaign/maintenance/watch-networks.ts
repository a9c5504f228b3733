import type { Env } from '../env.ts';

/** Lets the ledger judge by delivery reports how the networks deliver, and tells what came of it. */
export async function watchNetworks({
  ledger,
  clock,
  log,
}: Pick<Env, 'ledger' | 'clock' | 'log'>): Promise<void> {
  for (const { id, network, step, why } of await ledger.watchNetworks(clock.now())) {
    const facts = { campaign: id, network, ...(why === null ? {} : { why }) };
    if (step === 'held' || step === 'paused') log.warn(facts, WORDS[step]);
    else log.info(facts, WORDS[step]);
  }
  await ledger.bringBackHeld(clock.now());
}

const WORDS = {
  held: 'a network does not deliver: its messages of the campaign wait',
  probing: 'a network that did not deliver is tried again with a few messages',
  well: 'the network delivers again: its messages go on',
  paused: 'a network does not deliver, and holding it is not enough: the campaign waits for a person',
} as const;
