import {
  type CostEstimate,
  type CostPart,
  costParts,
  estimateCost,
  type Forecast,
  forecast,
} from './estimate.ts';
import type { PlannedJob } from './plan-job.ts';
import type { LoadedJob } from '../jobs/load-job.ts';
import { fieldLookalikes } from '../../domain/text/field-lookalikes.ts';
import { maskText } from '../../domain/text/mask.ts';
import { printableLine, shortened } from '../../domain/text/printable.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { KnownPrice } from '../../ledger/contracts/records.ts';
import type { LaunchEnv } from '../launch/launch-settings.ts';
import { type PlannedStart, plannedStart } from './plan-start.ts';
import { beginOf, type PlanBalance, planBalance } from './plan-balance.ts';
import type { PlannedCost } from './credit-ahead.ts';
import { isRefusal, type PlanWarning } from './plan-warning.ts';
import { type ConfiguredPrices, microPerSegment } from './price-book.ts';

/** A plan with everything that appears with it. */
export interface PlanFacts {
  planned: PlannedJob;
  cost: CostEstimate;
  costParts: CostPart[];
  forecast: Forecast;
  start: PlannedStart;
  balance: PlanBalance;
  warnings: PlanWarning[];
  /** A launch of the same would be refused; one of the warnings says why. */
  refused: boolean;
}

/** Characters of a cell that a warning shows. */
const MOST_CELL = 40;

/** Warns of a profile that may send twice (row P11 of docs/state-machines.md). */
export function profileWarnings(notAccepted: readonly number[]): PlanWarning[] {
  return notAccepted.length === 0 ? [] : [{ code: 'not_accepted', facts: { statuses: [...notAccepted] } }];
}

/** Puts a plan beside its price, balance and forecast. `startAt`: its start or next firing; null: at once. */
export function planFacts(
  { settings, clock }: Pick<LaunchEnv, 'settings' | 'clock'>,
  loaded: LoadedJob,
  given: {
    planned: PlannedJob;
    learned: KnownPrice[];
    /** Null: the account did not answer. */
    creditMicro: MoneyMicro | null;
    /** What is planned on the account. */
    ahead: readonly PlannedCost[];
    startAt: number | null;
    warnings: PlanWarning[];
  },
): PlanFacts {
  const { planned, learned, creditMicro, ahead, startAt } = given;
  const now = clock.now();
  const { tally, draft } = planned;
  const prices = {
    home: settings.countries[0] ?? '',
    configured: settings.prices,
    abroad: settings.pricesAbroad,
    learned,
  };
  const cost = estimateCost(tally.countries, prices);
  const { window, zone, currency } = draft.settings;
  const { ratePerSecond: campaign } = loaded.job;
  const seen = forecast({
    messages: settings.rateBySegment ? tally.segments.planned : tally.planned,
    account: settings.ratePerSecond,
    campaign,
    window,
    zone,
    startsAt: Math.max(now, startAt ?? now),
  });
  const start = plannedStart(loaded, { startAt, zone, now });
  const charged = chargedMore(prices);
  const warnings: PlanWarning[] = [
    ...given.warnings,
    ...priceWarnings(prices, currency),
    ...(charged === null ? [] : [{ code: 'charged_more' as const, facts: charged }]),
    ...budgetWarnings(loaded, planned, cost),
  ];
  const parts = costParts(tally.countries, prices);
  const begins = beginOf(planned, start, seen);
  const balance = planBalance({ creditMicro, upperMicro: cost.upperMicro }, ahead, begins);
  const facts = { planned, cost, costParts: parts, forecast: seen, start, balance };
  const all = [...warnings, ...planWarnings(facts)];
  return { ...facts, warnings: all, refused: all.some(isRefusal) };
}

function planWarnings({
  planned,
  cost,
  forecast: seen,
  start,
  balance: { creditMicro },
}: Omit<PlanFacts, 'warnings' | 'refused'>): PlanWarning[] {
  const warnings = [...lookalikeWarnings(planned), ...doubtWarnings(planned)];
  const { currency } = planned.draft.settings;
  if (start.missed) warnings.push({ code: 'start_missed', facts: {} });
  if (cost.upperMicro !== null && creditMicro !== null && cost.upperMicro > creditMicro)
    warnings.push({
      code: 'balance_short',
      facts: { currency, missingMicro: cost.upperMicro - creditMicro },
    });
  if (seen.fits === false && planned.reminders === null) warnings.push({ code: 'window_short', facts: {} });
  return warnings;
}

function lookalikeWarnings({ draft: { template, settings } }: PlannedJob): PlanWarning[] {
  const texts = [template, ...Object.values(settings.remind?.texts ?? {})];
  const found = texts.flatMap((text) => fieldLookalikes(text, settings));
  const each = new Map(found.map((lookalike) => [lookalike.marked, lookalike]));
  return [...each.values()].map(({ marked, name }) => ({ code: 'field_lookalike', facts: { marked, name } }));
}

/** Cells that would be read as they stand, and that nobody should read. */
function doubtWarnings({ tally }: PlannedJob): PlanWarning[] {
  return tally.doubts().map(({ doubt, field, cell, count, lines }) => ({
    code: doubt === 'nothing' ? 'cell_nothing' : 'cell_letter',
    facts: { field, cell: shortened(maskText(printableLine(cell)), MOST_CELL), count, lines },
  }));
}

/** Claims reserve the highest price that the account has paid, which may be more than the estimate's. */
export function priceWarnings(
  { configured, learned }: { configured: ConfiguredPrices; learned: KnownPrice[] },
  currency: string,
): PlanWarning[] {
  const paidMicro = Math.max(0, ...learned.map(microPerSegment));
  if (configured === null || paidMicro <= Math.max(0, ...configured)) return [];
  return [{ code: 'paid_more', facts: { currency, paidMicro } }];
}

/** The segments that the provider charges for a message and those counted, where it charges more; null: it does not. */
export function chargedMore(prices: {
  configured: ConfiguredPrices;
  learned: KnownPrice[];
}): { charged: number; counted: number } | null {
  const [price = 0, ...others] = prices.configured ?? [];
  if (price === 0 || others.length > 0) return null;
  const more = prices.learned.find(
    ({ costMicro, segments }) => costMicro % price === 0 && costMicro / price > segments,
  );
  return more === undefined ? null : { charged: more.costMicro / price, counted: more.segments };
}

function budgetWarnings(
  { job }: LoadedJob,
  planned: PlannedJob,
  { heldMicro: upperMicro }: CostEstimate,
): PlanWarning[] {
  const { budgetMicro } = job;
  const { currency } = planned.draft.settings;
  if (budgetMicro === null) return [];
  if (upperMicro === null) return [{ code: 'budget_unpriced', facts: {} }];
  // The budget covers the whole campaign. This cost covers only the reminders that a correction adds or
  // moves.
  const corrected = planned.reminders?.upload ?? null;
  if (corrected !== null || upperMicro <= budgetMicro) return [];
  return [{ code: 'budget_short', facts: { currency, budgetMicro, missingMicro: upperMicro - budgetMicro } }];
}
