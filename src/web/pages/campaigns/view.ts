import { totalOf } from '../../../domain/message.ts';
import { formatMoney, grouped, whole } from '../../../domain/money.ts';
import { paceOf } from '../../../reports/campaign-pace.ts';
import { percent } from '../../../reports/report-words.ts';
import type { Frame } from '../../frame.ts';
import { type Content, html, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import { stateOf } from '../../views/state.ts';
import { table } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';
import { pauseWhy } from '../campaign/notices-view.ts';
import { durationOf, rateOf } from '../../views/amounts.ts';
import { NEW_CAMPAIGN } from '../new-campaign/steps.ts';
import { nextView } from './next-view.ts';
import { type CampaignsNow, LISTED_STATES } from './read-campaigns.ts';
import { todoView } from './todo-view.ts';

/** The list of campaigns: what waits for a person, what comes next, and all of them. */
export function campaignsView(frame: Frame, now: CampaignsNow): Html {
  const { campaigns: words } = frame.words;
  if (now.isEmpty && now.preparations.length === 0) return emptyView(frame);
  return html`<header class="head"><div><h1>${words.title}</h1></div>${newButton(frame)}</header>
<div class="two">
${todoView(frame, now)}
${nextView(frame, now)}
</div>
<section aria-labelledby="all"><h2 id="all">${words.all}</h2>
${filterForm(frame, now)}
${now.rows.length === 0 ? noneView(frame, now) : list(frame, now)}
${pages(frame, now)}</section>`;
}

function newButton(frame: Frame): Html | null {
  if (!isAllowed(frame.who, 'operator')) return null;
  return html`<a class="button primary" href="${NEW_CAMPAIGN}">${frame.words.campaigns.create}</a>`;
}

/** Nothing was sent from here: what to do first. */
function emptyView(frame: Frame): Html {
  const { campaigns: words } = frame.words;
  const header = html`<header><h1>${words.none}</h1><p class="soft">${words.noneHelp}</p></header>`;
  if (!isAllowed(frame.who, 'operator')) return html`${header}<p>${words.viewerFirst}</p>`;
  return html`${header}
<ol class="todo text">
<li>${icon('draft')}<div><b>${words.firstHealth}</b><small>${words.firstHealthHelp}</small></div><a class="button" href="/health">${words.toHealth}</a></li>
<li>${icon('draft')}<div><b>${words.firstCampaign}</b><small>${words.firstCampaignHelp}</small></div>${newButton(frame)}</li>
</ol>`;
}

function filterForm(frame: Frame, { wish }: CampaignsNow): Html {
  const { campaigns: words, common } = frame.words;
  return html`<form class="row" action="/campaigns"><div><label for="name">${words.name}</label><input class="w2" id="name" name="name" type="search" value="${wish.name}"></div>
<div><label for="state">${words.state}</label><select class="w2" id="state" name="state"><option value="">${words.anyState}</option>${LISTED_STATES.map(
    (state) =>
      html`<option value="${state}"${state === wish.state && html` selected`}>${common.states[state]}</option>`,
  )}</select></div>
<button>${common.show}</button></form>`;
}

function noneView({ words: { campaigns: words } }: Frame, { isEmpty }: CampaignsNow): Html {
  return html`<p>${isEmpty ? words.none : words.noneFoundHelp}</p>`;
}

function pages({ words: { campaigns: words } }: Frame, { wish, next }: CampaignsNow): Html | null {
  if (next === null && wish.cursor === null) return null;
  const query = new URLSearchParams({
    ...(wish.name === '' ? {} : { name: wish.name }),
    ...(wish.state === null ? {} : { state: wish.state }),
  });
  const older = new URLSearchParams([...query, ['older', String(next)]]);
  return html`<p class="actions">${wish.cursor !== null && html`<a href="/campaigns?${query.toString()}">${words.newest}</a> `}${next !== null && html`<a href="/campaigns?${older.toString()}">${words.older}</a>`}</p>`;
}

function list(frame: Frame, now: CampaignsNow): Html {
  const { campaigns: words } = frame.words;
  return table({
    caption: words.caption,
    columns: [
      { name: words.campaign },
      { name: words.state, isBare: true },
      { name: words.when, isBare: true },
      { name: words.sent, isBare: true, isWhole: true },
      { name: words.delivered, isNumber: true },
      { name: words.spent(frame.currency), isNumber: true },
    ],
    rows: now.rows.map((row) => cells(frame, now, row)),
  });
}

type Row = CampaignsNow['rows'][number];

function cells(frame: Frame, now: CampaignsNow, row: Row): Content[] {
  const { overview, tallies } = row;
  const { campaign, messages, startedAt, spentMicro } = overview;
  const at = startedAt ?? campaign.startAt ?? campaign.createdAt;
  return [
    html`<a href="/campaigns/${campaign.id}">${campaign.name}</a>`,
    html`${stateOf(overview.state, frame.words)}${stateNote(frame, now, row)}`,
    timeOf(frame, at, campaign.settings.zone),
    progress(frame, row),
    messages.sent === 0 ? null : percent(tallies.delivery.delivered / messages.sent),
    messages.sent === 0 && spentMicro === 0 ? null : grouped(formatMoney(spentMicro)),
  ];
}

function progress({ words: { campaigns: words } }: Frame, { overview }: Row): Html {
  const { sent } = overview.messages;
  const all = totalOf(overview);
  if (overview.state === 'scheduled' && sent === 0) return html`${words.people(whole(all))}`;
  return html`${words.sentOf(whole(sent), whole(all))}<progress value="${sent}" max="${Math.max(1, all)}" aria-label="${words.sent}"></progress>`;
}

/** Why it is paused, how fast it goes, and what is to decide. */
function stateNote(frame: Frame, { look }: CampaignsNow, { overview }: Row): Html[] {
  const { campaigns: words } = frame.words;
  const { state, messages } = overview;
  const open = messages.uncertain - messages.written_off;
  const notes: Html[] = [];
  if (state === 'paused') notes.push(html`<small>${pauseWhy(frame, overview)}</small>`);
  const { perSecond, leftMs } = paceOf(overview, look);
  if (perSecond !== null) {
    const left = leftMs === null ? '' : `, ${words.left(durationOf(frame, leftMs))}`;
    notes.push(html`<small>${rateOf(frame, perSecond)}${left}</small>`);
  }
  if (open > 0)
    notes.push(html`<small class="warn">${icon('question')} ${words.toDecide(whole(open))}</small>`);
  return notes;
}
