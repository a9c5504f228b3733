import type { PlanDocument } from '../../../campaign/planning/plan-document.ts';
import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import { whole } from '../../../domain/money.ts';
import { localClock } from '../../../domain/time/local-time.ts';
import type { Frame } from '../../frame.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { monthOf, monthTable } from '../../views/calendar.ts';
import { timeOf } from '../../views/time.ts';
import { planNotice } from './plan-status.ts';
import { addressOf } from './steps.ts';

/** What will happen, in words. It looks again by itself while the plan is made, and nothing that was typed beside it goes. */
export function forecastPart(frame: Frame, preparation: Preparation): Html {
  const isRunning = preparation.plan?.planning === 'running';
  const live = html` hx-get="${addressOf(preparation.id, 'forecast')}" hx-trigger="every 1s" hx-swap="outerHTML"`;
  return html`<div class="flow" id="forecast-part"${isRunning && live}>${forecastOf(frame, preparation)}</div>`;
}

function forecastOf(frame: Frame, preparation: Preparation): Html {
  const { newCampaign: words } = frame.words;
  const { plan } = preparation;
  if (plan === null) return html`<p>${words.forecastNone}</p>`;
  if (plan.planning !== 'done') return planNotice(frame, plan) ?? html``;
  const { document } = plan;
  if (document.reminders !== null) return remindersPart(frame, document.reminders);
  return html`<ol class="life">
${eventsOf(frame, document)}</ol>`;
}

interface Event {
  at: Content;
  what: Content;
}

function eventsOf(frame: Frame, document: PlanDocument): Html[] {
  const { firings } = document.start;
  const events = firings.length > 0 ? firingEvents(frame, document) : sendingEvents(frame, document);
  return events.map(
    ({ at, what }) => html`<li>${at}<div>${what}</div></li>
`,
  );
}

function firingEvents(frame: Frame, { start, rows }: PlanDocument): Event[] {
  const { newCampaign: words } = frame.words;
  return start.firings.map((firing) => ({
    at: timeOf(frame, Date.parse(firing), frame.zone),
    what: html`<b>${words.firing(whole(rows.planned))}</b>`,
  }));
}

function sendingEvents(frame: Frame, document: PlanDocument): Event[] {
  const { newCampaign: words } = frame.words;
  const { forecast, rows, start } = document;
  const begins =
    start.at === null && Date.parse(forecast.starts_at) <= frame.now + SOON_MS
      ? html`<span class="soft">${words.atLaunch}</span>`
      : timeOf(frame, Date.parse(forecast.starts_at), frame.zone);
  const last = lastSentAt(document);
  const ends =
    last === null
      ? { at: '', what: words.finishUnknown }
      : {
          at: timeOf(frame, last, frame.zone),
          what: html`<b>${words.allSent(whole(rows.planned))}</b>${fitWords(frame, document)}`,
        };
  return [...firstEvents(frame, document, begins), ...waitEvents(frame, document), ends];
}

/** When the last message is sent, in milliseconds, if the first ones are waited for as long as that may take; null: not known. */
export function lastSentAt({ forecast, guards }: PlanDocument): number | null {
  if (forecast.finishes_at === null) return null;
  return Date.parse(forecast.finishes_at) + (guards.canary?.wait_seconds ?? 0) * 1_000;
}

/** A plan is looked at a little after it was made. */
const SOON_MS = 3_600_000;

function firstEvents(frame: Frame, { forecast, guards, rows }: PlanDocument, begins: Content): Event[] {
  const { newCampaign: words } = frame.words;
  const rate = forecast.rate_per_second === null ? '' : words.atRate(String(forecast.rate_per_second));
  const { canary } = guards;
  if (canary === null)
    return [{ at: begins, what: html`<b>${words.startsAt(whole(rows.planned))}</b>${rate}` }];
  const enough = whole(Math.ceil(canary.first * canary.delivered));
  const latest = Date.parse(forecast.starts_at) + canary.wait_seconds * 1_000;
  return [
    { at: begins, what: html`<b>${words.firstAlone(whole(canary.first))}</b>${words.firstAloneWait}` },
    {
      at: html`<span class="soft">${words.latest(clockOf(frame, latest))}</span>`,
      what: html`<b>${words.canaryThen(whole(rows.planned - canary.first))}</b>${words.canaryIf(enough, whole(canary.first))}${rate}`,
    },
  ];
}

function waitEvents(frame: Frame, { forecast }: PlanDocument): Event[] {
  if (forecast.fits !== false || forecast.goes_on_at === null) return [];
  const at = timeOf(frame, Date.parse(forecast.goes_on_at), frame.zone);
  return [{ at, what: html`<b class="warn">${frame.words.newCampaign.goesOn}</b>` }];
}

function fitWords(frame: Frame, { forecast }: PlanDocument): string {
  if (forecast.fits !== true || forecast.window_closes_at === null) return '';
  return frame.words.newCampaign.fits(clockOf(frame, Date.parse(forecast.window_closes_at)));
}

function clockOf({ zone }: Frame, at: number): string {
  return localClock(at, zone).slice(-5);
}

function remindersPart(frame: Frame, reminders: NonNullable<PlanDocument['reminders']>): Html {
  const { newCampaign: words } = frame.words;
  const { calendar, past, already_reminded: before } = reminders;
  const counts = new Map(calendar.map(({ date, count }) => [date, count]));
  const all = calendar.reduce((sum, { count }) => sum + count, 0);
  const months = [...new Set(calendar.map(({ date }) => date.slice(0, 7)))];
  return html`${months.slice(0, MOST_MONTHS).map((month) =>
    monthTable(frame, {
      month,
      caption: html`<caption>${words.calendarMonth(monthOf(frame, month))}</caption>`,
      cell: (date) => dayCell(date, counts.get(date)),
    }),
  )}
<p><b>${words.remindersAll(whole(all))}</b>${past.count > 0 && html` <span class="warn">${words.remindersPast(whole(past.count))}</span>`}${
    before > 0 && ` ${words.remindersBefore(whole(before))}`
  }</p>`;
}

const MOST_MONTHS = 3;

/** A day, and below it how many reminders go. */
function dayCell(date: string, count: number | undefined): Html {
  const day = html`<small>${Number(date.slice(-2))}</small>`;
  return count === undefined ? html`<td>${day}</td>` : html`<td>${day}<b>${whole(count)}</b></td>`;
}
