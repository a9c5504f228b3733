import type { MoneyMicro } from '../../domain/money.ts';
import { minuteOf } from '../../domain/time/local-time.ts';
import { type PlannedCost, unpricedOf } from './credit-ahead.ts';
import type { Forecast } from './estimate.ts';
import type { PlannedJob } from './plan-job.ts';
import type { PlannedStart } from './plan-start.ts';

/** What is planned before is named up to here; the rest is one sum. */
const MOST_NAMED = 10;
const DAY_MINUTES = 24 * 60;

/** What the balance comes to once this plan is sent. Money in millionths, all of the moment of the plan. */
export interface PlanBalance {
  /** Null: the account did not answer. */
  creditMicro: MoneyMicro | null;
  /** What else the account sends until this begins, the earliest first; those with a known price. */
  before: Omit<PlannedCost, 'afterMicro'>[];
  /** Those beyond the named ones. */
  more: { count: number; costMicro: MoneyMicro };
  /** The cost of all of them. */
  beforeMicro: MoneyMicro;
  /** The messages before it whose price is not known: they count as nothing. */
  unpriced: number;
  /** The upper estimate of this plan; null: a price is not known. */
  upperMicro: MoneyMicro | null;
  /** What is left then at least; below zero: so much is missing. Null: the credit or a price is not known. */
  leftMicro: MoneyMicro | null;
}

/** The credit, less what is planned before this, less this at its most. `planned`: of the same account. */
export function planBalance(
  { creditMicro, upperMicro }: Pick<PlanBalance, 'creditMicro' | 'upperMicro'>,
  planned: readonly PlannedCost[],
  begins: number,
): PlanBalance {
  const before = planned.filter(({ at }) => (at ?? 0) <= begins);
  const priced = before.filter(({ costMicro }) => costMicro !== null);
  const sum = (of: readonly PlannedCost[]) => of.reduce((all, { costMicro }) => all + (costMicro ?? 0), 0);
  const beforeMicro = sum(priced);
  const isKnown = creditMicro !== null && upperMicro !== null;
  return {
    creditMicro,
    before: priced
      .slice(0, MOST_NAMED)
      .map(({ campaign, at, messages, costMicro }) => ({ campaign, at, messages, costMicro })),
    more: {
      count: Math.max(0, priced.length - MOST_NAMED),
      costMicro: sum(priced.slice(MOST_NAMED)),
    },
    beforeMicro,
    unpriced: unpricedOf(before),
    upperMicro,
    leftMicro: isKnown ? creditMicro - beforeMicro - upperMicro : null,
  };
}

/** When a plan begins, in milliseconds; of reminders the end of their first day, by the clock of their zone. */
export function beginOf(
  { reminders, draft }: Pick<PlannedJob, 'reminders' | 'draft'>,
  { startAt, firings }: Pick<PlannedStart, 'startAt' | 'firings'>,
  { startsAt }: Pick<Forecast, 'startsAt'>,
): number {
  const [day] = reminders?.tally.calendar() ?? [];
  if (day !== undefined) return minuteOf(day.date, DAY_MINUTES, draft.settings.zone);
  return startAt ?? firings[0] ?? startsAt;
}
