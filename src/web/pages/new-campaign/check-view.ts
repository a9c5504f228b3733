import type { PlanDocument } from '../../../campaign/planning/plan-document.ts';
import type { DonePlan, Preparation } from '../../../campaign/prepare/preparation.ts';
import { formatMoney, grouped, parseAmount, whole } from '../../../domain/money.ts';
import type { Frame } from '../../frame.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { networkWords } from '../../views/network.ts';
import { errorSummary, notice, type FieldError } from '../../views/notice.ts';
import { table } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';
import { balancePart } from './balance-view.ts';
import { checksPart } from './checks-view.ts';
import { inputField } from './fields.ts';
import { lastSentAt } from './forecast-view.ts';
import { countryName, dateOf } from './moments.ts';
import { planStatus } from './plan-status.ts';
import { reasonWords, rejectsLink } from './rejected-rows.ts';
import { addressOf, stepHeader } from './steps.ts';

/** What the fourth step shows. */
export interface CheckPage {
  preparation: Preparation;
  errors: readonly FieldError[];
  /** Names of networks by their number. */
  networks: Readonly<Record<string, string>>;
  /** The number for a test, as it was typed. */
  to: string;
  /** The campaign of the test that was just sent; null: none was. */
  tested: string | null;
}

/** The fourth step: everything that adds up, and what was looked at. */
export function checkView(frame: Frame, page: CheckPage): Html {
  const { preparation, errors } = page;
  const { newCampaign: words, common } = frame.words;
  const { plan } = preparation;
  const back = html`<a href="${addressOf(preparation.id, 'when')}">${common.back}</a>`;
  const header = html`${stepHeader(frame, preparation, 'check')}
${errorSummary(frame, errors)}`;
  if (plan?.planning !== 'done')
    return html`${header}
${planStatus(frame, preparation)}
<p class="actions">${back}</p>`;
  const { document, money } = plan;
  return html`${header}
${plan.corrects !== null && correction(frame, plan.corrects, plan)}
${sums(frame, preparation, document)}
<div class="two">
${testPart(frame, page)}
<section aria-labelledby="looked"><h2 id="looked">${words.looked}</h2>
${checksPart(frame, plan)}
</section>
</div>
<div class="two">
${leftOutPart(frame, preparation.id, document)}
${balancePart(frame, money.balance, document.cost.currency)}
</div>
${networksPart(frame, page.networks, document)}
${examplesPart(frame, document)}
<p class="actions"><a class="button primary" href="${addressOf(preparation.id, 'launch')}">${words.toLaunch}</a> ${back}</p>`;
}

/** What corrected contacts do to the campaign that is open. */
export function correction(frame: Frame, name: string, { document, questions }: DonePlan): Html {
  const { newCampaign: words } = frame.words;
  const upload = document.reminders?.upload ?? null;
  const counts =
    upload === null ? [] : (['new', 'moved', 'unchanged', 'canceled', 'already_reminded'] as const);
  const text = counts.map((each) => `${words.correction[each]}: ${whole(upload?.[each] ?? 0)}`).join('. ');
  const isMuch = questions.includes('cancel_missing') && upload !== null;
  const much = isMuch ? ` ${words.correctionMuch(whole(upload.missing), whole(upload.open))}` : '';
  return notice({ look: 'warn', title: words.corrects(name), text: `${text}.${much}` });
}

/** The sums of a plan: people, segments, cost, start. */
function sums(frame: Frame, { job }: Preparation, document: PlanDocument): Html {
  const { newCampaign: words } = frame.words;
  const { rows, segments, cost, lengths, reminders } = document;
  const budget =
    job.budget === undefined ? words.noLimit : words.neverAbove(budgetWords(job.budget, cost.currency));
  const each = lengths.map(({ messages, segments }) => words.segmentsOf(whole(messages), String(segments)));
  return html`<dl class="parts">
${part(reminders === null ? words.people : words.messages, whole(messagesOf(document)), words.ofRows(whole(rows.read)))}
${part(words.segmentsPart, whole(segments.planned), each.join(', '))}
${part(words.cost(cost.currency), costWords(frame, cost), budget)}
${part(words.beginsPart, beginWords(frame, document), endWords(frame, document))}
</dl>`;
}

function part(words: string, value: Content, note: Content): Html {
  return html`<div><dt>${words}</dt><dd>${value}<small>${note}</small></dd></div>`;
}

/** A budget as amounts stand on pages: `1,000.00`. */
export function budgetWords(budget: string, currency: string): string {
  const amount = parseAmount(budget, currency);
  return amount === null ? budget : grouped(formatMoney(amount));
}

/** The messages that are to be sent: without reminders that are too late or were sent before. */
export function messagesOf({ cost }: Pick<PlanDocument, 'cost'>): number {
  return cost.parts.reduce((sum, { messages }) => sum + messages, 0);
}

/** The cost of a plan, such as `979.00 to 985.30`. */
export function costWords(
  { words: { newCampaign: words } }: Frame,
  { lower, upper }: Pick<PlanDocument['cost'], 'lower' | 'upper'>,
): string {
  if (lower === null || upper === null) return words.costUnknown;
  return words.costRange(grouped(lower), grouped(upper));
}

/** When a plan begins. */
export function beginWords(frame: Frame, { start, reminders, forecast }: PlanDocument): Content {
  const { newCampaign: words } = frame.words;
  if (reminders !== null) return words.perDate;
  const at = start.at ?? start.firings[0];
  if (at !== undefined) return timeOf(frame, Date.parse(at), frame.zone);
  // Outside of its hours it waits for them.
  const first = Date.parse(forecast.starts_at);
  return first > frame.now ? timeOf(frame, first, frame.zone) : words.atOnce;
}

/** When its last message is sent. */
export function endWords(frame: Frame, document: PlanDocument): Content {
  const { reminders, start } = document;
  const { newCampaign: words } = frame.words;
  if (reminders !== null) return remindersNote(frame, reminders);
  const last = lastSentAt(document);
  if (start.firings.length > 0 || last === null) return null;
  const end = timeOf(frame, last, frame.zone);
  return html`${words.endsAbout} ${end}`;
}

function remindersNote(frame: Frame, { calendar }: NonNullable<PlanDocument['reminders']>): string {
  const { newCampaign: words } = frame.words;
  const all = words.remindersAll(whole(calendar.reduce((sum, { count }) => sum + count, 0)));
  const [first] = calendar;
  return first === undefined ? all : `${all} ${words.remindersFirst(dateOf(frame, first.date))}`;
}

function testPart(frame: Frame, { preparation, errors, to, tested }: CheckPage): Html {
  const { newCampaign: words } = frame.words;
  const more = html` autocomplete="tel" inputmode="tel"`;
  return html`<section aria-labelledby="test"><h2 id="test">${words.test}</h2>
<p>${words.testHelp}</p>
<form class="row" method="post" action="${addressOf(preparation.id, 'test')}"><input type="hidden" name="_csrf" value="${frame.csrf}"><input type="hidden" name="revision" value="${preparation.revision}">
${inputField({ id: 'to', label: words.testTo, errors, value: to, width: 'w2', type: 'tel', more })}
<button>${words.testSend}</button></form>
${
  tested !== null &&
  html`<p role="status">${words.testSent} <a href="/campaigns/${tested}">${words.testPage}</a></p>`
}
</section>`;
}

function leftOutPart(frame: Frame, id: string, { reasons, rows, rejects }: PlanDocument): Html {
  const { newCampaign: words, common } = frame.words;
  const all = rows.duplicate + rows.invalid + rows.suppressed;
  if (all === 0) return html`<section><h2>${words.leftOutNone}</h2></section>`;
  return html`<section aria-labelledby="left"><h2 id="left">${words.leftOut(whole(all))}</h2>
<table><caption class="hear">${words.leftOutCaption}</caption>
<thead><tr><th scope="col">${words.why}</th><th scope="col" class="n">${words.rows}</th></tr></thead>
<tbody>
${reasons.map(
  ({
    reason,
    count,
  }) => html`<tr><th scope="row">${reasonWords(frame, reason)}</th><td class="n">${whole(count)}</td></tr>
`,
)}<tr class="total"><th scope="row">${common.all}</th><td class="n">${whole(all)}</td></tr>
</tbody></table>
${rejects !== null && rejectsLink(frame, id, all)}</section>`;
}

/** What each country and network costs; its rows come to the estimate. */
function networksPart(
  frame: Frame,
  names: CheckPage['networks'],
  { cost, segments }: PlanDocument,
): Html | null {
  const { newCampaign: words, common } = frame.words;
  if (cost.parts.length === 0) return null;
  const columns = [
    { name: words.network },
    { name: words.messages, isNumber: true },
    { name: words.segmentsPart, isNumber: true },
    { name: words.cost(cost.currency), isNumber: true },
  ];
  const all = [common.all, whole(messagesOf({ cost })), whole(segments.planned), costWords(frame, cost)];
  return html`<section aria-labelledby="networks"><h2 id="networks">${words.networks}</h2>
${table({
  caption: words.networks,
  columns,
  rows: cost.parts.map((part) => [
    placeWords(frame, names, { part, parts: cost.parts }),
    whole(part.messages),
    whole(part.segments),
    costWords(frame, part),
  ]),
  total: all,
})}</section>`;
}

type CostPart = PlanDocument['cost']['parts'][number];

function placeWords(
  frame: Frame,
  names: CheckPage['networks'],
  { part, parts }: { part: CostPart; parts: readonly CostPart[] },
): string {
  const { newCampaign: words } = frame.words;
  const country = countryName(frame.language, part.country);
  if (part.network !== null) return `${country}, ${networkWords(frame, part.network, names)}`;
  const hasOthers = parts.some((other) => other !== part && other.country === part.country);
  return hasOthers ? `${country}, ${words.networkUnknown}` : country;
}

function examplesPart(frame: Frame, { examples, longest }: PlanDocument): Html {
  const { newCampaign: words } = frame.words;
  const shown = examples.map((example) => ({ ...example, isLongest: example.line === longest?.line }));
  if (longest !== null && !shown.some(({ isLongest }) => isLongest))
    shown.push({ ...longest, isLongest: true });
  return html`<section aria-labelledby="first"><h2 id="first">${words.firstMessages}</h2>
<table class="stack" role="table"><caption class="hear">${words.firstMessagesCaption}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${words.line}</th><th scope="col" role="columnheader">${words.message}</th><th scope="col" role="columnheader" class="n">${words.segmentsColumn}</th></tr></thead>
<tbody role="rowgroup">
${shown.map(
  ({ line, text, segments, isLongest }) =>
    html`<tr role="row"><td role="cell" data-label="${words.line}">${whole(line)}</td><td role="cell" class="full bare" data-label="${words.message}">${text}${isLongest && html`<small>${words.theLongest}</small>`}</td><td role="cell" class="n" data-label="${words.segmentsColumn}">${segments}</td></tr>
`,
)}</tbody></table></section>`;
}
