import { whole } from '../../../domain/money.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { facts } from '../../views/parts.ts';
import { timeOf } from '../../views/time.ts';
import type { CampaignNow } from './campaign-now.ts';

/** The moments of reminders, or the firings of a recurring job. */
export function agendaView(frame: Frame, now: CampaignNow): Html {
  if (now.agenda.schedule !== null) return firingsView(frame, now, now.agenda.schedule);
  const isOpen = now.overview.messages.queued > 0;
  if (now.overview.campaign.settings.remind === undefined || !isOpen)
    return html`<section id="live-agenda" hidden></section>`;
  return remindersView(frame, now);
}

function remindersView(frame: Frame, { agenda, overview }: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const { campaign, messages } = overview;
  const due = agenda.due.filter((moment) => moment.messages > 0);
  const listed = due.reduce((sum, moment) => sum + moment.messages, 0);
  const later = Math.max(0, messages.queued - listed);
  return html`<section id="live-agenda" aria-labelledby="agenda"><h2 id="agenda">${words.remindersTitle}</h2>
<table><caption class="hear">${words.remindersCaption}</caption>
<thead><tr><th scope="col">${words.when}</th><th scope="col" class="n">${words.messages}</th></tr></thead>
<tbody>
${due.map(
  (
    moment,
  ) => html`<tr><th scope="row">${timeOf(frame, moment.at, campaign.settings.zone)}</th><td class="n">${whole(moment.messages)}</td></tr>
`,
)}</tbody></table>
${later > 0 && html`<p class="soft">${words.remindersMore(whole(later))}</p>`}
<p><a href="/campaigns/${campaign.id}/people">${words.remindersPeople}</a></p></section>`;
}

type Schedule = NonNullable<CampaignNow['agenda']['schedule']>;

function firingsView(frame: Frame, { overview: { campaign } }: CampaignNow, schedule: Schedule): Html {
  const { campaign: words } = frame.words;
  const { zone } = campaign.settings;
  const { nextAt, fired, missed, latest } = schedule;
  return html`<section id="live-agenda" aria-labelledby="agenda"><h2 id="agenda">${words.firingsTitle}</h2>
${facts([
  [words.nextFiring, nextAt === null ? words.noFiring : timeOf(frame, nextAt, zone)],
  [words.firedOften, whole(fired)],
  ...(missed > 0 ? [[words.missedOften, whole(missed)] as const] : []),
])}
<ol class="life">
${latest.toReversed().map(
  ({
    at,
    campaign: id,
    leftOut,
  }) => html`<li>${timeOf(frame, at, zone)}<div>${id === null ? (leftOut ? words.firingLeftOut : words.firingMissed) : html`<a href="/campaigns/${id}">${id}</a>`}</div></li>
`,
)}</ol></section>`;
}
