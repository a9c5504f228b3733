import type { Person } from '../../../campaign/operator/cancel-person.ts';
import type { Campaign } from '../../../domain/campaign.ts';
import { whole } from '../../../domain/money.ts';
import { printableLine } from '../../../domain/text/printable.ts';
import type { CampaignOverview, MessageRow } from '../../../ledger/reader.ts';
import type { PersonMessages } from '../../../ledger/records.ts';
import type { Frame } from '../../frame.ts';
import { textField } from '../../views/field.ts';
import { html, type Html } from '../../views/html.ts';
import { csrfField, type PageContent } from '../../views/layout.ts';
import { errorSummary, type FieldError, notice } from '../../views/notice.ts';
import { coveredNumber, shownNumber } from '../../views/number.ts';
import { timeOf } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';
import { sumTable, type SumRow } from './orders/order-page.ts';

/** One page of the people of a campaign. */
export interface PeoplePage {
  campaign: Campaign;
  state: CampaignOverview['state'];
  rows: readonly MessageRow[];
  /** The place after which the next page begins; null: this is the last. */
  next: number | null;
  isFirst: boolean;
  errors: readonly FieldError[];
  fields: Readonly<Record<string, string>>;
}

/** Who gets what, and when, by the line of the contacts. */
export function peopleView(frame: Frame, content: PeoplePage): PageContent {
  const { orders: words } = frame.words;
  const { campaign, rows, next, isFirst, errors } = content;
  const title = words.peopleTitle(campaign.name);
  const mayOrder = isAllowed(frame.who, 'operator') && content.state !== 'canceled';
  const isReread = campaign.settings.every?.reread !== undefined;
  const main = html`<header><p class="crumb"><a href="/campaigns/${campaign.id}">${campaign.name}</a></p>
<h1>${title}</h1></header>
${errorSummary(frame, errors)}
${mayOrder && (isReread ? html`<p>${words.reread}</p>` : personForm(frame, content))}
${rows.length === 0 ? html`<p>${words.peopleNone}</p>` : table(frame, content, mayOrder && !isReread)}
<p class="actions">${!isFirst && html`<a href="/campaigns/${campaign.id}/people">${words.first}</a>`}${next !== null && html` <a href="/campaigns/${campaign.id}/people?after=${next}">${words.next}</a>`}</p>`;
  return { title, main };
}

function personForm(frame: Frame, { campaign, errors, fields }: PeoplePage): Html {
  const { orders: words } = frame.words;
  const number = textField(frame, {
    name: 'mobile',
    label: words.personNumber,
    hint: words.personNumberHint,
    value: fields['mobile'] ?? '',
    errors,
    width: 'w2',
    inputMode: 'tel',
  });
  const key = textField(frame, {
    name: 'key',
    label: words.personKey,
    value: fields['key'] ?? '',
    errors,
    width: 'w2',
  });
  return html`<section aria-labelledby="one"><h2 id="one">${words.personFind}</h2><p class="text">${words.personText}</p>
<form class="row" method="post" action="/campaigns/${campaign.id}/people">${csrfField(frame)}${number}${key}<button>${words.personButton}</button></form></section>`;
}

function table(frame: Frame, { campaign, rows }: PeoplePage, mayOrder: boolean): Html {
  const { orders: words } = frame.words;
  const isKeyed = rows.some(({ key }) => key !== '');
  const isDated = rows.some(({ occurrence }) => occurrence !== '');
  const heading = (text: string) => html`<th scope="col" role="columnheader">${text}</th>`;
  return html`<table class="stack" role="table"><caption class="hear">${words.peopleCaption}</caption>
<thead role="rowgroup"><tr role="row">${heading(words.line)}${heading(words.number)}${isKeyed && heading(words.key)}${isDated && heading(words.date)}${heading(words.due)}${heading(words.state)}${mayOrder && html`<td role="cell"></td>`}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  (
    row,
  ) => html`<tr role="row"><th scope="row" role="rowheader">${whole(row.line)}</th><td role="cell" data-label="${words.number}">${coveredNumber(frame, row.mobile)}</td>${isKeyed && html`<td role="cell" data-label="${words.key}">${printableLine(row.key)}</td>`}${isDated && html`<td role="cell" data-label="${words.date}">${row.occurrence}</td>`}<td role="cell" data-label="${words.due}">${whenOf(frame, campaign, row)}</td><td role="cell" data-label="${words.state}">${stateWords(frame, row)}</td>${mayOrder && html`<td role="cell" class="bare">${row.state === 'queued' && html`<a href="/campaigns/${campaign.id}/people/${row.seq}">${words.cancelPerson}<span class="hear"> ${words.line} ${whole(row.line)}</span></a>`}</td>`}</tr>
`,
)}</tbody></table>`;
}

/** When it left, or from when it may. */
function whenOf(
  frame: Frame,
  { settings, startAt }: Campaign,
  { sentAt, notBefore }: MessageRow,
): Html | null {
  const at = sentAt ?? (notBefore === 0 ? startAt : notBefore);
  return at === null ? null : timeOf(frame, at, settings.zone);
}

function stateWords({ words: { orders: words } }: Frame, { state, delivery, reason }: MessageRow): Html {
  const shown = state === 'sent' && delivery !== null ? words.deliveries[delivery] : words.states[state];
  return html`${shown}${reason !== null && html`<small>${printableLine(reason)}</small>`}`;
}

/** One person of a campaign, and what the order would do. */
export interface FoundPerson {
  person: Person;
  /** The date that one of the reminders is about; null: none was asked for. */
  occurrence: string | null;
  /** All messages to the person, and only those about that date. */
  all: PersonMessages;
  only: PersonMessages | null;
  /** The count that was shown, where another one holds now; null: the same. */
  was: number | null;
}

/** Asks before one person is canceled. */
export function personView(frame: Frame, campaign: Campaign, found: FoundPerson): PageContent {
  const { orders: words } = frame.words;
  const { person, occurrence, all, only, was } = found;
  const title = words.personTitle(campaign.name);
  const fields = {
    ...(person.mobile === undefined ? {} : { mobile: person.mobile }),
    ...(person.key === undefined ? {} : { key: person.key }),
    ...(occurrence === null ? {} : { occurrence }),
    shown: String(all.queued),
    ...(only === null ? {} : { 'shown-only': String(only.queued) }),
  };
  const main = html`<header><p class="crumb"><a href="/campaigns/${campaign.id}/people">${words.peopleTitle(campaign.name)}</a></p>
<h1>${title}</h1>
<p class="soft">${person.mobile !== undefined && shownNumber(frame, person.mobile)} ${person.key !== undefined && printableLine(person.key)}</p></header>
${was !== null && notice({ look: 'warn', title: words.changed, text: words.changedHelp(whole(was), whole(all.queued)) })}
<section class="text flow" aria-labelledby="what"><h2 id="what">${words.willHappen}</h2>
${personSum(frame, all)}
<p>${all.queued === 0 ? words.personNone : words.personText}</p></section>
<form class="form text" method="post" action="/campaigns/${campaign.id}/people/cancel">${csrfField(frame)}${Object.entries(
    fields,
  ).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${occurrence !== null && whichChoice(frame, occurrence)}
<div class="actions"><button class="danger">${words.personCancelButton}</button> <a href="/campaigns/${campaign.id}/people">${words.personKeep}</a></div></form>`;
  return { title, main };
}

function personSum({ words: { orders: words } }: Frame, all: PersonMessages): Html {
  const maybe = all.sending + all.uncertain;
  const other = all.messages - all.queued - maybe - all.sent;
  const rows: SumRow[] = [
    [words.personWaiting, whole(all.queued)],
    ...(maybe > 0 ? [[words.personMaybe, whole(maybe)] as const] : []),
    ...(all.sent > 0 ? [[words.personSent, whole(all.sent)] as const] : []),
    ...(other > 0 ? [[words.personOther, whole(other)] as const] : []),
  ];
  return sumTable(words.willHappen, rows, [words.personAll, whole(all.messages)]);
}

function whichChoice({ words: { orders: words } }: Frame, occurrence: string): Html {
  return html`<fieldset><legend>${words.willHappen}</legend>
<div class="choice"><input id="which-all" type="radio" name="which" value="all" checked><label for="which-all">${words.personAllOf}</label></div>
<div class="choice"><input id="which-only" type="radio" name="which" value="only"><label for="which-only">${words.personOnly(occurrence)}</label></div></fieldset>`;
}
