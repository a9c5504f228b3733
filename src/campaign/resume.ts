import { formatMoney, type MoneyMicro } from '../domain/money.ts';
import { forbidden, type Order } from './verb.ts';

/** A paused campaign goes on; each of these may be null: as it is. */
export interface ResumeOrder extends Order {
  sender: string | null;
  /** Only higher than the present one. It may also be given to a campaign that is running or scheduled. */
  budgetMicro: MoneyMicro | null;
}

/**
 * Lets a paused campaign go on, under another sender or with a higher budget when one is given, in one commit. Answers
 * false when it was so already.
 */
export async function resumeCampaign(order: ResumeOrder): Promise<boolean> {
  const { ledger, campaign, state, now, by, sender, budgetMicro } = order;
  if (state === 'running' && sender !== null) {
    throw forbidden(order, {
      verb: 'given another sender',
      hint: `Pause it first: tuma pause ${campaign.id}`,
    });
  }
  if (budgetMicro !== null) checkRaise(order, budgetMicro);
  else if (state === 'running') return false;
  else if (state !== 'paused') throw forbidden(order, { verb: 'resumed' });
  return ledger.resume(campaign.n, {
    now,
    by,
    ...(sender === null ? {} : { sender }),
    ...(budgetMicro === null ? {} : { budgetMicro }),
  });
}

/** Messages may be on the wire that count on the present budget, so it is never lowered. */
function checkRaise(order: ResumeOrder, budgetMicro: MoneyMicro): void {
  const { campaign, state } = order;
  const verb = 'given another budget';
  if (state === 'finished' || state === 'canceled') throw forbidden(order, { verb });
  const hint =
    campaign.budgetMicro === null
      ? 'It has none: nothing but the account limits what it may cost.'
      : `A budget is only raised, and it is ${formatMoney(campaign.budgetMicro)} now; to stop sending, pause or cancel it.`;
  if (campaign.budgetMicro === null || budgetMicro < campaign.budgetMicro)
    throw forbidden(order, { verb, hint });
}
