import type { MoneyMicro } from '../../domain/money.ts';
import { share } from '../../domain/money.ts';
import { totalOf } from '../../domain/message.ts';
import { parseCron } from '../../domain/time/cron.ts';
import type { LeftOut } from '../../ledger/contracts/answers.ts';
import type { CampaignOverview, Tallies } from '../../ledger/contracts/reader.ts';

/** An order that a campaign allows now, and what it will do. Times in milliseconds, money in millionths; null: not known. */
export type LegalOrder =
  /** `waiting`: the messages that leave no more until somebody lets them. */
  | { verb: 'pause'; waiting: number }
  /** `needs`: what it must be given so that it does not pause again at once. */
  | { verb: 'resume'; waiting: number; costMicro: MoneyMicro | null; needs: 'budget' | 'sender' | null }
  /** `isMicro`: the present budget, which is never lowered. */
  | { verb: 'budget'; isMicro: MoneyMicro }
  | { verb: 'rate'; perSecond: number | null }
  | { verb: 'retry'; messages: number; costMicro: MoneyMicro | null }
  /** `again`: those that may be called not sent, and so be sent again; `from`: when the others may, null: all may. */
  | { verb: 'resolve'; messages: number; again: number; from: number | null }
  | { verb: 'skip'; at: number }
  | { verb: 'cancel_person' }
  /** `waiting`: the messages that would never be sent. */
  | { verb: 'cancel'; waiting: number };

/** The facts that decide which orders are legal. */
export interface OrderFacts {
  overview: CampaignOverview;
  reasons: Tallies['reasons'];
  /** Rejected messages that a retry leaves out. */
  leftOut: LeftOut;
  /** Open uncertain messages: how many may be sent again, and the time (milliseconds) from which all may; null: now. */
  uncertain: { again: number; allFrom: number | null };
  /** The next firing of a recurring job; null: none. */
  nextAt: number | null;
}

/** The orders that a campaign allows now, in the order in which a person should see them. */
export function legalOrders(facts: OrderFacts): LegalOrder[] {
  const { overview } = facts;
  const isOver = overview.state === 'finished' || overview.state === 'canceled';
  return [
    ...(isOver ? [] : [...resume(overview), ...pause(overview), ...skip(facts), ...limits(overview)]),
    ...retry(facts),
    ...resolve(facts),
    ...(isOver ? [] : ends(overview)),
  ];
}

/** The order of one verb; null: it is not legal now. */
export function legalOrder<Verb extends LegalOrder['verb']>(
  orders: readonly LegalOrder[],
  verb: Verb,
): Extract<LegalOrder, { verb: Verb }> | null {
  return (orders.find((order) => order.verb === verb) as Extract<LegalOrder, { verb: Verb }>) ?? null;
}

/** What waits to be sent of a campaign. */
export function waitingOf({ messages }: Pick<CampaignOverview, 'messages'>): number {
  return messages.queued + messages.sending;
}

/** A pause by its hours ends by itself, and an order to go on would not send before. */
function resume(overview: CampaignOverview): LegalOrder[] {
  const { state, reason, leftMicro = null } = overview;
  if (state !== 'paused' || reason === 'window') return [];
  const needs = reason === 'budget' || reason === 'sender' ? reason : null;
  return [{ verb: 'resume', waiting: waitingOf(overview), costMicro: leftMicro, needs }];
}

/** A pause that waits for a person already stays as it is, because its reason tells the person what to do. */
function pause(overview: CampaignOverview): LegalOrder[] {
  const { state, reason, canary } = overview;
  const isCanary = reason === 'canary' && (canary?.verdict === 'waiting' || canary?.verdict === 'sending');
  const endsItself = reason === 'window' || reason === 'balance' || isCanary;
  if (state === 'paused' && !endsItself) return [];
  return [{ verb: 'pause', waiting: waitingOf(overview) }];
}

function skip({ overview: { campaign, state, reason }, nextAt }: OrderFacts): LegalOrder[] {
  const { every } = campaign.settings;
  const waits = state === 'scheduled' || (state === 'paused' && reason === 'operator');
  if (every === undefined || parseCron(every.cron) === null || !waits || nextAt === null) return [];
  return [{ verb: 'skip', at: nextAt }];
}

/** A job that is read anew at each firing takes its rate from the file. */
function limits({ campaign, budgetMicro }: CampaignOverview): LegalOrder[] {
  const isReread = campaign.settings.every?.reread !== undefined;
  return [
    ...(budgetMicro === null ? [] : [{ verb: 'budget' as const, isMicro: budgetMicro }]),
    ...(isReread ? [] : [{ verb: 'rate' as const, perSecond: campaign.settings.ratePerSecond }]),
  ];
}

function retry({ overview, reasons, leftOut }: OrderFacts): LegalOrder[] {
  if (overview.state === 'canceled') return [];
  const messages = toRetry(reasons, leftOut);
  if (messages <= 0) return [];
  return [{ verb: 'retry', messages, costMicro: costOf(overview, messages) }];
}

/** The reasons that a retry means: all that it can help, or only this one, as the ledger writes it. */
export function reasonsToRetry(reasons: Tallies['reasons'], reason: string | null): Tallies['reasons'] {
  return reasons.filter(
    (each) => each.state === 'rejected' && (reason === null ? each.retryHelps : each.reason === reason),
  );
}

/** How many messages a retry would put back: all that it can help, or (`reason`) all of one reason. */
export function toRetry(reasons: Tallies['reasons'], leftOut: LeftOut, reason: string | null = null): number {
  return (
    reasonsToRetry(reasons, reason).reduce((sum, { count }) => sum + count, 0) -
    leftOut.named -
    leftOut.tooYoung
  );
}

/** What so many messages of a campaign cost by its estimate; null: it has none. */
export function costOf(overview: CampaignOverview, messages: number): MoneyMicro | null {
  const { estimatedMicro } = overview.campaign;
  const all = totalOf(overview);
  return estimatedMicro === null || all === 0 ? null : share(estimatedMicro * messages, all);
}

function resolve({ overview, uncertain }: OrderFacts): LegalOrder[] {
  const { state, messages } = overview;
  const open = messages.uncertain - messages.written_off;
  if (open <= 0) return [];
  const isCanceled = state === 'canceled';
  return [
    {
      verb: 'resolve',
      messages: open,
      again: isCanceled ? 0 : uncertain.again,
      from: isCanceled ? null : uncertain.allFrom,
    },
  ];
}

function ends(overview: CampaignOverview): LegalOrder[] {
  const isReread = overview.campaign.settings.every?.reread !== undefined;
  const waiting = waitingOf(overview);
  return [
    ...(isReread || waiting === 0 ? [] : [{ verb: 'cancel_person' as const }]),
    { verb: 'cancel', waiting },
  ];
}
