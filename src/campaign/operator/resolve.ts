import { formatDuration } from '../../domain/time/time-words.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Resolution } from '../../ledger/contracts/records.ts';
import { forbidden, type Order } from './orders.ts';

/** A person's decision about uncertain messages: all of a campaign, or only one line or number. */
export interface ResolveOrder extends Order {
  decision: Resolution['decision'];
  /** Only the message of this line of the contacts, or to this number (international digits); null: all. */
  line: number | null;
  mobile: string | null;
  /** The rest of an uncertain message before it may be sent again, in milliseconds. */
  resolveAfterMs: number;
}

/**
 * Decides uncertain messages. `not_sent` sends them again, so it is refused while their first try may still
 * be in flight. Only this order can make Tuma send twice.
 */
export async function resolveUncertain(
  order: ResolveOrder,
): Promise<{ resolved: number; tooYoung: number; named?: number }> {
  const { ledger, campaign, now, by, decision, line, mobile, resolveAfterMs } = order;
  if (decision === 'not_sent') refuseCanceled(order);
  const done = await ledger.resolve(campaign.n, {
    now,
    by,
    decision,
    before: now - resolveAfterMs,
    ...(line === null ? {} : { line }),
    ...(mobile === null ? {} : { mobile }),
  });
  const { resolved, tooYoung } = done;
  if (resolved === 0 && tooYoung > 0) throw tooEarly(tooYoung, resolveAfterMs);
  if (resolved === 0 && (line !== null || mobile !== null)) throw noneThere(order);
  return done;
}

function refuseCanceled(order: ResolveOrder): void {
  if (order.state !== 'canceled') return;
  throw forbidden(order, {
    verb: 'sent again',
    advice: { action: 'decide_otherwise', campaign: order.campaign.id },
  });
}

function tooEarly(count: number, resolveAfterMs: number): TumaError {
  const them = count === 1 ? 'The uncertain message is' : `${count} uncertain messages are`;
  return new TumaError('too_early', {
    message: `${them} younger than ${formatDuration(resolveAfterMs)} (TUMA_RESOLVE_AFTER).`,
    hint: 'Wait: a report or a late answer may still tell, and the first try could still be under way.',
  });
}

function noneThere({ campaign, line }: ResolveOrder): TumaError {
  const which = line === null ? 'to that number' : `of line ${line}`;
  return new TumaError('not_found', {
    message: `No uncertain message ${which} in campaign ${campaign.id}.`,
    advice: { action: 'find_uncertain', campaign: campaign.id },
    where: campaign.id,
  });
}
