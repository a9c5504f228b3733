import type { PlanDocument } from '../../../campaign/planning/plan-document.ts';
import { formatMoney, grouped, type MoneyMicro, parseMoney } from '../../../domain/money.ts';
import type { PlannedCost } from '../../../reports/credit-ahead.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { timeWords } from '../../views/time.ts';

/** Campaigns that are named one by one. */
const MOST_NAMED = 10;

/** What else is planned until this plan begins, with a known price. `planned`: everything that is planned. */
export function plannedBefore(planned: readonly PlannedCost[], document: PlanDocument): PlannedCost[] {
  const begins = beginOf(document);
  return planned.filter(({ at, costMicro }) => costMicro !== null && (at ?? 0) <= begins);
}

/** When the first message of a plan leaves, in milliseconds. */
function beginOf({ start, forecast, reminders }: PlanDocument): number {
  const [day] = reminders?.calendar ?? [];
  if (day !== undefined) return Date.parse(`${day.date}T23:59:59Z`);
  return Date.parse(start.at ?? start.firings[0] ?? forecast.starts_at);
}

/** The balance before this plan, what others take of it, and what is left after both (below zero: missing). */
interface BalanceThen {
  now: MoneyMicro;
  others: MoneyMicro;
  upper: MoneyMicro;
  after: MoneyMicro;
}

/** What a plan does to the balance; null: the balance or a price is not known. */
export function balanceThen(
  { balance, cost }: PlanDocument,
  before: readonly PlannedCost[],
): BalanceThen | null {
  const [now, upper] = [microOf(balance.before), microOf(cost.upper)];
  if (now === null || upper === null) return null;
  const others = before.reduce((sum, { costMicro }) => sum + (costMicro ?? 0), 0);
  return { now, others, upper, after: now - others - upper };
}

/** The balance now, less what is planned before and less this plan: what is left then, or missing. */
export function balancePart(frame: Frame, document: PlanDocument, before: readonly PlannedCost[]): Html {
  const { newCampaign: words } = frame.words;
  const { balance, cost } = document;
  const heading = html`<section aria-labelledby="money"><h2 id="money">${words.balance}</h2>`;
  const then = balanceThen(document, before);
  if (then === null)
    return html`${heading}<p>${balance.before === null ? words.balanceNot : words.priceNot}</p></section>`;
  const { now, others, upper, after } = then;
  return html`${heading}
<table class="sum"><caption class="hear">${words.balanceCaption(cost.currency)}</caption>
${line(words.balanceNow, now)}
${others > 0 && line(words.minusPlanned, others)}
${line(words.minusThis, upper)}
${lastLine(frame, cost.currency, after)}</table>
${before.length > 0 && plannedList(frame, before, others)}
${after < 0 && html`<p>${words.balancePauses}</p>`}</section>`;
}

function plannedList(frame: Frame, before: readonly PlannedCost[], all: MoneyMicro): Html {
  const { newCampaign: words, common } = frame.words;
  const named = before.slice(0, MOST_NAMED);
  const rest = before.slice(MOST_NAMED).reduce((sum, { costMicro }) => sum + (costMicro ?? 0), 0);
  return html`<details><summary>${words.plannedBefore}</summary>
<table class="sum"><caption class="hear">${words.plannedBefore}</caption>
${named.map(({ campaign, at, costMicro }) => {
  const when = at === null ? words.plannedNow : timeWords(frame, at, campaign.settings.zone);
  return line(html`<a href="/campaigns/${campaign.id}">${campaign.name}</a>, ${when}`, costMicro ?? 0);
})}${rest > 0 && line(words.plannedOthers, rest)}
${line(common.all, all, 'total')}</table></details>`;
}

function lastLine({ words: { newCampaign: words } }: Frame, currency: string, after: MoneyMicro): Html {
  if (after >= 0) return line(words.balanceAfter, after, 'total');
  return line(`${words.balanceMissing}, ${currency}`, -after, 'total warn');
}

function line(words: string | Html, amount: MoneyMicro, look = ''): Html {
  return html`<tr class="${look}"><th scope="row">${words}</th><td class="n">${grouped(formatMoney(amount))}</td></tr>
`;
}

function microOf(amount: string | null): MoneyMicro | null {
  return amount === null ? null : parseMoney(amount);
}
