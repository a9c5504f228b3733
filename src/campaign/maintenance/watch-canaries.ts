import type { Env } from '../env.ts';

/** Lets the ledger judge the canaries, and tells what came of it. */
export async function watchCanaries({
  ledger,
  clock,
  log,
}: Pick<Env, 'ledger' | 'clock' | 'log'>): Promise<void> {
  for (const { id, step, why } of await ledger.watchCanaries(clock.now())) {
    if (step === 'failed')
      log.warn({ campaign: id, why }, 'the canary failed: the campaign waits for a person');
    else log.info({ campaign: id }, WORDS[step]);
  }
}

const WORDS = {
  waiting: 'the canary is out: the campaign waits for its delivery reports',
  passed: 'the canary passed: the rest of the campaign goes',
} as const;
