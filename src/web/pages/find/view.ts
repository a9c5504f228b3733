import { formatMoney, grouped, whole } from '../../../domain/money.ts';
import type { Found, FoundNumber } from '../../../reports/find.ts';
import { type MessageOfCampaign, timeOfMessage } from '../../../reports/found-messages.ts';
import type { Frame } from '../../frame.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { csrfField } from '../../views/layout.ts';
import { messageState } from '../../views/message-state.ts';
import { coveredNumber, shownNumber, shownText } from '../../views/number.ts';
import { timeOf } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';

/** What was searched and found. */
export interface Search {
  /** As it was typed, or the number in its international form. */
  text: string;
  found: Found;
  /** The address of the number among the opt-outs. */
  standingAt: string;
  /** The address where the person is erased. */
  eraseAt: string;
}

/** Find: the form, and what was found. `search`: null before the first search. */
export function findView(frame: Frame, search: Search | null): Html {
  const { find: words } = frame.words;
  return html`<header class="head"><div><h1>${words.title}</h1></div></header>
${form(frame, search)}
${search !== null && results(frame, search)}`;
}

/** By POST, because an address must hold no number. */
function form(frame: Frame, search: Search | null): Html {
  const { find: words } = frame.words;
  const typed =
    search === null ? '' : search.found.number === null ? search.text : shownNumber(frame, search.text);
  return html`<form class="form text" method="post" action="/find" role="search" aria-label="${words.form}">${csrfField(frame)}<div>
<label for="q">${words.label}</label>
<p class="hint" id="q-hint">${words.hint}</p>
<div class="row"><input class="w3" id="q" name="q" type="search" value="${typed}" aria-describedby="q-hint" maxlength="200" autocomplete="off"><button class="primary">${words.find}</button></div>
</div></form>`;
}

function results(frame: Frame, search: Search): Html {
  const { find: words } = frame.words;
  const { number, ofId, ofKey, campaigns } = search.found;
  if (number !== null) return numberPart(frame, number, search);
  if (ofId.length + ofKey.length + campaigns.length === 0)
    return html`<section role="status"><h2>${words.nothing}</h2><p>${words.nothingTextHelp}</p></section>`;
  return html`${ofId.length > 0 && messageTable(frame, { id: 'of-id', title: words.ofId, rows: ofId })}
${ofKey.length > 0 && messageTable(frame, { id: 'of-key', title: words.ofKey, rows: ofKey })}
${campaigns.length > 0 && campaignTable(frame, campaigns)}`;
}

function numberPart(frame: Frame, number: FoundNumber, { standingAt, eraseAt }: Search): Html {
  const { find: words, removal } = frame.words;
  const { mobile, messages, more, standing } = number;
  const shown = shownNumber(frame, mobile);
  const count = more ? `${whole(messages.length)}+` : whole(messages.length);
  const isUnknown = messages.length === 0 && number.reply === null && standing.history.length === 0;
  return html`<p class="soft" role="status">${words.numberSum(shown, words.messages(count, count === '1'))}</p>
${isUnknown && html`<section><h2>${words.nothing}</h2><p>${words.nothingHelp}</p></section>`}
<section aria-labelledby="person"><h2 id="person">${words.person}</h2>
${number.reply !== null && html`<p><a href="/inbox/${number.reply}">${words.conversation}</a></p>`}
${standingPart(frame, number, standingAt)}
${isAllowed(frame.who, 'admin') && html`<div class="verbs"><div><a class="button danger" href="${eraseAt}">${removal.erase}</a><small>${removal.eraseHelp}</small></div></div>`}
</section>
${messages.length > 0 && messageTable(frame, { id: 'messages', title: words.toNumber(shown), rows: messages, isOfOne: true })}
${more && html`<p class="soft">${words.moreMessages}</p>`}`;
}

function standingPart(frame: Frame, { standing }: FoundNumber, standingAt: string): Html {
  const { find: words } = frame.words;
  if (standing.optOuts.length > 0)
    return html`<p>${words.standingHelp} <a href="${standingAt}">${words.standing}</a></p>`;
  if (!isAllowed(frame.who, 'operator'))
    return html`<p>${words.maySend} <a href="${standingAt}">${words.standing}</a></p>`;
  return html`<p>${words.maySend}</p>
<div class="verbs"><div><a class="button" href="${standingAt}">${words.optOut}</a><small>${words.optOutHelp}</small></div></div>`;
}

interface Listed {
  id: string;
  title: string;
  rows: readonly MessageOfCampaign[];
  /** True: all go to one number, so no column names it. */
  isOfOne?: boolean;
}

function messageTable(frame: Frame, { id, title, rows, isOfOne = false }: Listed): Html {
  const { find: words } = frame.words;
  const heading = (name: Content, look = '') =>
    html`<th scope="col" role="columnheader" class="${look}">${name}</th>`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<table class="stack" role="table"><caption class="hear">${title}</caption>
<thead role="rowgroup"><tr role="row">${heading(words.campaign)}${!isOfOne && heading(words.number)}${heading(words.when)}${heading(words.became)}${heading(words.cost(frame.currency), 'n')}</tr></thead>
<tbody role="rowgroup">
${rows.map((row) => messageRow(frame, row, isOfOne))}</tbody></table></section>`;
}

function messageRow(frame: Frame, { message, campaign }: MessageOfCampaign, isOfOne: boolean): Html {
  const { find: words } = frame.words;
  const { costMicro, mobile, reason, state, seq } = message;
  const at = `/messages/${campaign.id}/${seq}`;
  const cancel =
    state === 'queued' &&
    isAllowed(frame.who, 'operator') &&
    html`<small><a href="${at}/cancel">${words.cancelOne}</a></small>`;
  return html`<tr role="row"><th scope="row" role="rowheader"><a href="${at}">${campaign.name}</a></th>${
    !isOfOne && html`<td role="cell" data-label="${words.number}">${coveredNumber(frame, mobile)}</td>`
  }<td role="cell" data-label="${words.when}">${timeOf(frame, timeOfMessage(message), campaign.settings.zone)}</td><td role="cell" data-label="${words.became}">${messageState(frame, message)}${reason !== null && html`<small>${shownText(frame, reason)}</small>`}${cancel}</td><td role="cell" class="n" data-label="${words.cost(frame.currency)}">${costMicro !== null && grouped(formatMoney(costMicro))}</td></tr>
`;
}

function campaignTable(frame: Frame, campaigns: Found['campaigns']): Html {
  const { find: words } = frame.words;
  return html`<section aria-labelledby="campaigns"><h2 id="campaigns">${words.campaigns}</h2>
<table class="stack" role="table"><caption class="hear">${words.campaigns}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${words.campaign}</th><th scope="col" role="columnheader">${words.when}</th></tr></thead>
<tbody role="rowgroup">
${campaigns.map(
  (campaign) =>
    html`<tr role="row"><th scope="row" role="rowheader"><a href="/campaigns/${campaign.id}">${campaign.name}</a></th><td role="cell" data-label="${words.when}">${timeOf(frame, campaign.activatedAt ?? campaign.createdAt, campaign.settings.zone)}</td></tr>
`,
)}</tbody></table></section>`;
}
