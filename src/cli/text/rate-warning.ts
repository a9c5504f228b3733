import { rateWords } from '../../domain/pace/rate.ts';
import type { Context } from '../context.ts';
import { workersAlive } from '../doctor/workers-alive.ts';

/** What a plan says where TUMA_RATE was given to this command alone, and another process sends by its own. */
export async function rateWarnings(context: Context, campaign: string): Promise<string[]> {
  const { origins, ratePerSecond } = context.config;
  const { from } = origins.TUMA_RATE;
  if (from !== 'flag' && from !== 'environment') return [];
  if ((await workersAlive(context)) === 0) return [];
  const rate = ratePerSecond === null ? 'unlimited' : rateWords(ratePerSecond);
  const ask = ratePerSecond === null ? 'RATE' : rate;
  return [
    `a worker runs already and sends this at its own TUMA_RATE, not at the ${rate} given here: what holds wherever it is sent is \`rate\` in the job, or tuma rate ${campaign} ${ask}`,
  ];
}
