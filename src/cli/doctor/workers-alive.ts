import { hintOf } from '../text/advice-text.ts';
import type { PlanWarning } from '../../campaign/planning/plan-warning.ts';
import { lackOnDisk } from '../../runtime/health/disk-room.ts';
import { workersAlive } from '../../campaign/operator/living-workers.ts';
import type { Context } from '../context.ts';

/** Says so when nothing will be sent because nobody is there to send it. */
export async function noteWithoutWorker(context: Context): Promise<void> {
  if ((await workersAlive(context)) > 0) return;
  context.output.note('No worker is alive. Start one: tuma serve');
}

/** The plan's warnings where this command has a TUMA_RATE of its own, and another process sends at another rate. */
export async function rateWarnings(context: Context, campaign: string): Promise<PlanWarning[]> {
  const { origins, ratePerSecond } = context.config;
  const { from } = origins.TUMA_RATE;
  if (from !== 'flag' && from !== 'environment') return [];
  if ((await workersAlive(context)) === 0) return [];
  return [{ code: 'other_rate', facts: { campaign, rate: ratePerSecond } }];
}

/** Reports a lack of space, because then no message is sent although all other checks pass. */
export function noteFullDisk({ config, output }: Pick<Context, 'config' | 'output'>): void {
  const lack = config.postgres === null ? lackOnDisk(config.ledgerFile) : null;
  if (lack !== null) output.note(`${lack.message} Sending waits. ${hintOf(lack) ?? ''}`);
}
