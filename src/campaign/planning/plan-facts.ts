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
import { counted, type MoneyMicro, formatMoney, grouped } from '../../domain/money.ts';
import type { KnownPrice } from '../../ledger/records.ts';
import type { LaunchEnv } from '../launch/launch-settings.ts';
import { type PlannedStart, plannedStart } from './plan-start.ts';
import { type ConfiguredPrices, microPerSegment } from './price-book.ts';

/** A plan with everything that appears with it. */
export interface PlanFacts {
  planned: PlannedJob;
  cost: CostEstimate;
  costParts: CostPart[];
  forecast: Forecast;
  start: PlannedStart;
  /** Null: the account did not answer. */
  creditMicro: MoneyMicro | null;
  warnings: string[];
  /** A launch of the same would be refused; one of the warnings says why. */
  refused: boolean;
}

/** Characters of a cell that a warning shows. */
const MOST_CELL = 40;

/** The beginning of a warning that says why a launch is refused. */
export const REFUSED = 'a launch is refused: ';

/** Warns of a profile that may send twice (row P11 of docs/state-machines.md). */
export function profileWarnings(notAccepted: readonly number[]): string[] {
  if (notAccepted.length === 0) return [];
  const statuses = notAccepted.join(', ');
  return [
    `the profile takes HTTP ${statuses} for "not accepted" (not_accepted): such a message is sent again, twice where the service took it all the same`,
  ];
}

/** Puts a plan beside its price, balance and forecast. `startAt`: its start or next firing; null: at once. */
export function planFacts(
  { settings, clock }: Pick<LaunchEnv, 'settings' | 'clock'>,
  loaded: LoadedJob,
  given: {
    planned: PlannedJob;
    learned: KnownPrice[];
    creditMicro: MoneyMicro | null;
    startAt: number | null;
    warnings: string[];
  },
): PlanFacts {
  const { planned, learned, creditMicro, startAt } = given;
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
  const warnings = [
    ...given.warnings,
    ...priceWarnings(prices, currency),
    ...chargedSegments(prices),
    ...budgetWarnings(loaded, planned, cost),
  ];
  const parts = costParts(tally.countries, prices);
  const facts = { planned, cost, costParts: parts, forecast: seen, start, creditMicro };
  const all = [...warnings, ...planWarnings(facts)];
  return { ...facts, warnings: all, refused: all.some((warning) => warning.startsWith(REFUSED)) };
}

function planWarnings({
  planned,
  cost,
  forecast: seen,
  start,
  creditMicro,
}: Omit<PlanFacts, 'warnings' | 'refused'>) {
  const warnings = [...lookalikeWarnings(planned), ...doubtWarnings(planned)];
  if (start.missed)
    warnings.push(
      `${REFUSED}the start is longer ago than start_deadline, and it never fires late (--at TIME takes its place)`,
    );
  if (cost.upperMicro !== null && creditMicro !== null && cost.upperMicro > creditMicro)
    warnings.push(
      `the balance is ${planned.draft.settings.currency} ${grouped(formatMoney(cost.upperMicro - creditMicro))} short of the upper estimate`,
    );
  if (seen.fits === false && planned.reminders === null)
    warnings.push('the campaign does not fit into the send window and goes on the next day');
  return warnings;
}

function lookalikeWarnings({ draft: { template, settings } }: PlannedJob): string[] {
  const texts = [template, ...Object.values(settings.remind?.texts ?? {})];
  const found = texts.flatMap((text) => fieldLookalikes(text, settings));
  const each = new Map(found.map((lookalike) => [lookalike.marked, lookalike]));
  return [...each.values()].map(
    ({ marked, name }) =>
      `the text says ${marked} as it stands, to everybody: a field is written <<${name}>>`,
  );
}

/** Cells that would be read as they stand, and that nobody should read. */
function doubtWarnings({ tally }: PlannedJob): string[] {
  return tally.doubts().map(({ doubt, field, cell, count, lines }) => {
    const where = `line ${lines.join(', ')}${count > lines.length ? ', …' : ''}`;
    const shown = shortened(maskText(printableLine(cell)), MOST_CELL);
    return doubt === 'nothing'
      ? `the cell of "${field}" is a program's word for nothing in ${counted(count, 'row')}, such as "${shown}" (${where}): a person would read it, so blank such cells`
      : `a letter of "${field}" is lost in ${counted(count, 'row')}, as in "${shown}" (${where}): correct it, or export the list again as UTF-8`;
  });
}

/** Claims reserve the highest price that the account has paid, which may be more than the estimate's. */
export function priceWarnings(
  { configured, learned }: { configured: ConfiguredPrices; learned: KnownPrice[] },
  currency: string,
): string[] {
  const paid = Math.max(0, ...learned.map(microPerSegment));
  if (configured === null || paid <= Math.max(0, ...configured)) return [];
  return [
    `the account has paid ${currency} ${grouped(formatMoney(paid))} a segment, more than TUMA_PRICE: this much is held back for each segment, so a budget or the balance may pause the campaign early`,
  ];
}

/** Says that the provider charges more segments than Tuma counts, as with an opt-out text that it appends. */
export function chargedSegments(prices: { configured: ConfiguredPrices; learned: KnownPrice[] }): string[] {
  const [price = 0, ...others] = prices.configured ?? [];
  if (price === 0 || others.length > 0) return [];
  const more = prices.learned.find(
    ({ costMicro, segments }) => costMicro % price === 0 && costMicro / price > segments,
  );
  if (more === undefined) return [];
  const charged = counted(more.costMicro / price, 'segment');
  return [
    `messages are charged as ${charged}, counted ${more.segments}: set TUMA_OPT_OUT_TEXT to the text that the provider appends, or correct TUMA_PRICE`,
  ];
}

function budgetWarnings(
  { job }: LoadedJob,
  planned: PlannedJob,
  { heldMicro: upperMicro }: CostEstimate,
): string[] {
  const { budgetMicro } = job;
  const { currency } = planned.draft.settings;
  if (budgetMicro === null) return [];
  if (upperMicro === null)
    return [`${REFUSED}the budget needs a price for each message, and one is not known yet (set TUMA_PRICE)`];
  // The budget covers the whole campaign. This cost covers only the reminders that a correction adds or
  // moves.
  const corrected = planned.reminders?.upload ?? null;
  if (corrected !== null || upperMicro <= budgetMicro) return [];
  return [
    `the budget of ${currency} ${grouped(formatMoney(budgetMicro))} is ${grouped(formatMoney(upperMicro - budgetMicro))} below the upper estimate: the campaign pauses before it is passed`,
  ];
}
