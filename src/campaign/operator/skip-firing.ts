import { TumaError } from '../../domain/errors.ts';
import { nextFiring, parseCron } from '../../domain/time/cron.ts';
import { forbidden, type Order } from './orders.ts';

/** The moments of a recurring job, in milliseconds. */
export interface SkippedFiring {
  /** The firing that is left out. */
  at: number;
  /** The next firing; null: none. */
  next: number | null;
  /** False: it was left out before. */
  changed: boolean;
}

/**
 * Leaves out the next firing of a recurring job. `nextAt`: the firing that the job waits for, as it was shown; a due one
 * may still be under way. The next moment by the clock is meant, so the same order again leaves out no other one.
 * Throws `state_forbids` where another process fired it meanwhile, and for other campaigns.
 */
export async function skipFiring(order: Order & { nextAt: number | null }): Promise<SkippedFiring> {
  const { ledger, campaign, now, by, nextAt } = order;
  const nextAfter = momentsOf(order);
  const at = nextAt !== null && nextAt <= now ? nextAt : nextAfter(now);
  if (at === null) throw forbidden(order, { verb: 'left out', hint: 'It fires no more.' });
  const next = nextAfter(Math.max(at, now));
  const left = await ledger.leaveOutFiring({ schedule: campaign.n, at, followingAt: next, now, by });
  if (left.done === 'fired')
    throw forbidden(order, {
      verb: 'kept from a firing that has begun',
      advice: { action: 'cancel_firing', campaign: left.campaign },
    });
  if (left.done === 'changed') throw otherFiring(order);
  return { at, next, changed: left.done === 'now' };
}

/** The moments of a recurring job that waits for one. Throws `state_forbids` for every other campaign. */
function momentsOf(order: Order): (after: number) => number | null {
  const { campaign, state } = order;
  const { every, zone } = campaign.settings;
  const cron = every === undefined ? null : parseCron(every.cron);
  if (cron === null)
    throw forbidden(order, {
      verb: 'left out',
      hint: 'Only a recurring job (`every`) has a next firing.',
      advice: { action: 'cancel', campaign: campaign.id },
    });
  const waits = state === 'scheduled' || (state === 'paused' && campaign.reason === 'operator');
  if (!waits) throw forbidden(order, { verb: 'given another next firing' });
  return (after) => nextFiring(cron, zone, after);
}

function otherFiring({ campaign: { name, id } }: Order): TumaError {
  return new TumaError('campaign_changed', {
    message: `The next firing of ${name} (${id}) is no longer the one that was shown. Nothing was left out.`,
    advice: { action: 'look_again', campaign: id },
    where: id,
  });
}
