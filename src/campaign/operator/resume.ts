import type { Advice } from '../../domain/advice.ts';
import { TumaError } from '../../domain/errors.ts';
import { formatMoney, type MoneyMicro } from '../../domain/money.ts';
import { forbidden, type Order, refuseReread } from './orders.ts';

/** A paused campaign goes on. Null leaves sender or budget unchanged. */
export interface ResumeOrder extends Order {
  /** Only for a campaign that is paused. */
  sender: string | null;
  /** Only higher than the present one. It may also be given to a campaign that is running or scheduled. */
  budgetMicro: MoneyMicro | null;
}

/**
 * Lets a paused campaign go on in one commit, under another sender or with a higher budget when given. False:
 * nothing changed, because it runs or waits for its start already. One that was paused before its start waits for it
 * again. After its `start_deadline` it is paused (`start`), and only another resume sends it. A recurring job that a
 * person paused waits for its next moment. Throws `state_forbids`, and `approval_needed` for another sender or budget
 * that no approver asks for; then nothing has changed.
 */
export async function resumeCampaign(order: ResumeOrder): Promise<boolean> {
  const { ledger, campaign, state, now, by, sender, budgetMicro } = order;
  if (budgetMicro !== null) checkRaise(order, budgetMicro);
  else if (state === 'finished' || state === 'canceled') throw forbidden(order, { verb: 'resumed' });
  if (sender !== null) refuseReread(order, 'sender');
  const resumed = await ledger.resume(campaign.n, {
    now,
    by,
    ...(sender === null ? {} : { sender }),
    ...(budgetMicro === null ? {} : { budgetMicro }),
  });
  // The campaign went on by itself since it was read, so this sender has no effect.
  if (sender !== null && !resumed) throw senderForbidden({ ...order, state: await stateNow(order) });
  return resumed;
}

async function stateNow({ ledger, campaign, state }: ResumeOrder): Promise<ResumeOrder['state']> {
  return (await ledger.campaign(campaign.n))?.state ?? state;
}

function senderForbidden(order: ResumeOrder): TumaError {
  const { campaign, state } = order;
  const advice: Advice | null = state === 'running' ? { action: 'pause_first', campaign: campaign.id } : null;
  return forbidden(order, { verb: 'given another sender', advice });
}

/** Refuses a lower budget, because messages on the wire count on the present one. */
function checkRaise(order: ResumeOrder, budgetMicro: MoneyMicro): void {
  const { campaign, state } = order;
  const verb = 'given another budget';
  if (state === 'finished' || state === 'canceled') throw forbidden(order, { verb });
  if (campaign.budgetMicro === null)
    throw forbidden(order, { verb, hint: 'It has none: nothing but the account limits what it may cost.' });
  if (budgetMicro < campaign.budgetMicro)
    throw new TumaError('state_forbids', {
      message: `The budget of ${campaign.name} (${campaign.id}) is ${formatMoney(campaign.budgetMicro)}, and it is never lowered.`,
      hint: 'To stop sending, pause or cancel it. The budget is the limit of all that it may cost, not an amount on top.',
      where: campaign.id,
    });
}
