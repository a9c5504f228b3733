import { estimateCost, forecast } from '../campaign/estimate.ts';
import type { PlannedJob } from '../campaign/plan-job.ts';
import type { LoadedJob } from '../campaign/load.ts';
import { configuredPrices } from '../config-values.ts';
import type { MoneyMicro } from '../domain/money.ts';
import { formatMoney } from '../domain/money.ts';
import type { KnownPrice } from '../ledger/records.ts';
import { rateBySegment } from '../runtime-rate.ts';
import type { Context } from './context.ts';
import type { PlanFacts } from './plan-document.ts';

/** What a profile of the user's own takes upon itself (row P11 of docs/state-machines.md), said before anything is sent. */
export function profileWarnings(notAccepted: readonly number[]): string[] {
  if (notAccepted.length === 0) return [];
  const statuses = notAccepted.join(', ');
  return [
    `the profile takes HTTP ${statuses} for "not accepted" (not_accepted): such a message is sent again, twice where the service took it all the same`,
  ];
}

/** Puts a plan beside its price, its balance and its forecast. `startsAt`: when sending would begin. */
export function planFacts(
  context: Context,
  loaded: LoadedJob,
  given: {
    planned: PlannedJob;
    learned: KnownPrice[];
    creditMicro: MoneyMicro | null;
    startsAt: number;
    warnings: string[];
  },
): PlanFacts {
  const { config } = context;
  const { planned, learned, creditMicro, startsAt } = given;
  const { tally, draft } = planned;
  const cost = estimateCost(tally.segments.planned, { configured: configuredPrices(config.price), learned });
  const { window, zone } = draft.settings;
  const { ratePerSecond: full, ramp } = loaded.job;
  const seen = forecast({
    messages: rateBySegment(config) ? tally.segments.planned : tally.planned,
    rates: [config.ratePerSecond, full],
    ...(ramp === null || full === null ? {} : { rises: { ramp, full } }),
    window,
    zone,
    startsAt,
  });
  const warnings = [...given.warnings];
  if (cost.upperMicro !== null && creditMicro !== null && cost.upperMicro > creditMicro)
    warnings.push(
      `the balance is ${formatMoney(cost.upperMicro - creditMicro)} ${draft.settings.currency} short of the upper estimate`,
    );
  if (seen.fits === false && planned.reminders === null)
    warnings.push('the campaign does not fit into the send window and goes on the next day');
  return { planned, cost, forecast: seen, creditMicro, warnings };
}
