import type { Task } from '../../../campaign/tasks/task.ts';
import { totalOf } from '../../../domain/message.ts';
import { whole } from '../../../domain/money.ts';
import { paceOf } from '../../../reports/campaign-pace.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { stateOf } from '../../views/state.ts';
import { timeWords } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';
import { filesView } from '../tasks/view.ts';
import { agendaView } from './agenda-view.ts';
import { chartsView, chartTables } from './charts-view.ts';
import { failuresView } from './failures-view.ts';
import { fileLink } from './file-link.ts';
import { aheadView, moneyView } from './money-view.ts';
import { notice } from '../../views/notice.ts';
import { noticesView } from './notices-view.ts';
import { numbersView } from './numbers-view.ts';
import { ordersView } from './orders-view.ts';
import { pastView } from './past-view.ts';
import type { CampaignNow } from './campaign-now.ts';
import { durationOf } from '../../views/amounts.ts';
import { uncertainView } from './uncertain-view.ts';

/** The page of one campaign; `files`: those that the person asked for. */
export function campaignView(frame: Frame, now: CampaignNow, files: readonly Task[]): Html {
  const { campaign } = now.overview;
  return html`${headView(frame, now)}
${sayView(frame, now)}
<div id="live" hx-sse:connect="/campaigns/${campaign.id}/live" hx-trigger="load, tuma:again" hidden></div>
${lostView(frame)}
${noticesView(frame, now)}
${numbersView(frame, now)}
${ordersView(frame, now)}
${chartsView(frame, now)}
${failuresView(frame, now)}
${uncertainView(frame, now)}
${agendaView(frame, now)}
${foldedMoney(frame, now)}
${aheadView(frame, now)}
${pastView(frame, now)}
${reportView(frame, now, files)}`;
}

/** Shown by stay-live.js while the numbers cannot come. */
function lostView({ words: { campaign: words } }: Frame): Html {
  return html`<div id="live-lost" role="status" hidden>${notice({ look: 'warn', title: words.lost, text: words.lostHelp })}</div>`;
}

/**
 * The parts of the page that change by themselves, each with the id of what it replaces. The sentence for who does not
 * see the page is apart, because it changes less often.
 */
export function liveParts(frame: Frame, now: CampaignNow): Html[] {
  return [
    liveState(frame, now),
    noticesView(frame, now),
    numbersView(frame, now),
    ordersView(frame, now),
    ...chartTables(frame, now),
    failuresView(frame, now),
    uncertainView(frame, now),
    agendaView(frame, now),
    moneyView(frame, now),
    aheadView(frame, now),
    pastView(frame, now),
  ];
}

function headView(frame: Frame, now: CampaignNow): Html {
  const { words } = frame;
  const { campaign } = now.overview;
  return html`<header class="head"><div>
<p class="crumb"><a href="/campaigns">${words.campaigns.title}</a></p>
<h1>${campaign.name}</h1>
${liveState(frame, now)}
<p class="soft">${words.campaign.from(words.campaign.kinds[campaign.kind], campaign.sender)} ${origin(frame, now)} <span class="id">${campaign.id}</span></p>
</div></header>`;
}

function liveState({ words }: Frame, { overview }: CampaignNow): Html {
  return html`<span id="live-state">${stateOf(overview.state, words)}</span>`;
}

/** When it started and by whom, or which job fired it. */
function origin(frame: Frame, { overview, agenda, trail }: CampaignNow): Html | null {
  const { campaign: words } = frame.words;
  if (agenda.firedBy !== null)
    return html`${words.firedBy} <a href="/campaigns/${agenda.firedBy}">${agenda.firedBy}</a>.`;
  const launch = trail.entries.find(({ verb }) => verb === 'launch');
  if (launch === undefined) return null;
  const { zone } = overview.campaign.settings;
  return html`${words.pastBy(`${words.past.launch()} ${timeWords(frame, launch.at, zone)}`, launch.by)}`;
}

/** One sentence for who does not see the page. */
export function sayView(frame: Frame, now: CampaignNow): Html {
  return html`<p class="hear" id="live-say" aria-live="polite">${sentence(frame, now)}</p>`;
}

function sentence(frame: Frame, { overview, look }: CampaignNow): string {
  const { campaign: words, common } = frame.words;
  const { state, messages } = overview;
  const sent = words.say.running(whole(messages.sent), whole(totalOf(overview)));
  if (state !== 'running') return `${words.say.state(common.states[state])}. ${sent}.`;
  const { leftMs } = paceOf(overview, look);
  return leftMs === null ? `${sent}.` : `${sent}, ${words.say.left(durationOf(frame, leftMs))}.`;
}

/** What it cost, which a phone folds. */
function foldedMoney(frame: Frame, now: CampaignNow): Html {
  return html`<details class="fold" open><summary><h2>${frame.words.campaign.money}</h2></summary>
${moneyView(frame, now)}
</details>`;
}

/** The report to print, and one row a message for who may have numbers. */
function reportView(frame: Frame, now: CampaignNow, files: readonly Task[]): Html {
  const { campaign: words } = frame.words;
  const { overview } = now;
  const { id } = overview.campaign;
  const mayExport = isAllowed(frame.who, 'operator');
  return html`<section aria-labelledby="report"><h2 id="report">${words.reportTitle}</h2>
<p class="actions"><a class="button" href="/campaigns/${id}/report.html" download>${words.reportHtml}</a>${mayExport && html` ${fileLink(overview, { file: 'messages.csv', words: words.reportCsv })} ${fileLink(overview, { file: 'messages.xlsx', words: words.reportXlsx })}`}</p>
${grows(frame, now)}
${mayExport && overview.messages.canceled > 0 && html`<p>${fileLink(overview, { file: 'contacts.csv', state: 'canceled', words: words.reportContacts })}</p>`}
${filesView(frame, files)}
<p><a href="/campaigns/${id}/people">${words.peopleOf}</a></p></section>`;
}

/** Until when reports are awaited, while some are. */
function grows(frame: Frame, { tallies, reportWaitMs, overview }: CampaignNow): Html | null {
  const { delivery, lastSentAt } = tallies;
  if (delivery.pending === 0 || lastSentAt === null) return null;
  const until = timeWords(frame, lastSentAt + reportWaitMs, overview.campaign.settings.zone);
  return html`<p class="soft">${frame.words.campaign.reportGrows(until)}</p>`;
}
