import type { Env } from '../env.ts';
import type { Lane } from './lease-queue.ts';

/**
 * Those of a lane that missed their rate slots take new ones; nothing of it leaves meanwhile. A ledger that gives none
 * stops the lane, whose messages are put back.
 */
export async function takeNewSlots(
  env: Pick<Env, 'clock' | 'ledger' | 'log'>,
  lane: Lane,
  { lateMs, accountRate }: { lateMs: number; accountRate: number | null },
): Promise<void> {
  const { campaign, account } = lane.sending;
  const now = env.clock.now();
  const late = lane.laterThan(lateMs, now);
  const count = late.reduce((sum, { message }) => sum + lane.slotsOf(message), 0);
  lane.reslotting = true;
  try {
    lane.moveTo(await env.ledger.takeSlots({ campaign, account, count, now, accountRate }), late);
  } catch (error) {
    env.log.warn({ error: String(error) }, 'no new rate slots: claimed messages are put back');
    lane.stopped = true;
  } finally {
    lane.reslotting = false;
  }
}
