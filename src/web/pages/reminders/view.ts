import { whole } from '../../../domain/money.ts';
import type { Calendar, CalendarDay } from '../../../reports/calendar.ts';
import type { Frame } from '../../frame.ts';
import { monthOf, monthTable, weekdayOf } from '../../views/calendar.ts';
import { html, type Html } from '../../views/html.ts';
import { table } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';

/** The calendar, and the months beside it. */
export interface RemindersPage extends Calendar {
  before: string;
  after: string;
  present: string;
}

/** What comes in a month: a small calendar, then each day. */
export function remindersView(frame: Frame, page: RemindersPage): Html {
  const { reminders: words } = frame.words;
  const { days, before, after, present, month, isCut } = page;
  const link = (to: string, name: string) => html`<a href="/reminders?month=${to}">${name}</a>`;
  return html`<header class="head"><div><h1>${words.title}</h1><p class="soft">${words.intro}</p></div></header>
<section aria-labelledby="month"><h2 id="month">${monthOf(frame, month)}</h2>
<p class="actions">${link(before, words.before)}${month !== present && link(present, words.present)}${link(after, words.after)}</p>
${days.length === 0 ? html`<p><b>${words.nothing}.</b> ${words.nothingHelp}</p>` : grid(frame, page)}
${isCut && html`<p class="warn">${words.cut}</p>`}
</section>
${days.map((day) => dayPart(frame, day))}`;
}

/** Each week is a row. A day on which something comes is a link to it, with the number of its messages. */
function grid(frame: Frame, { month, days }: RemindersPage): Html {
  const { reminders: words } = frame.words;
  const known = new Map(days.map((each) => [each.day, messagesOf(each)]));
  const all = [...known.values()].reduce((sum, count) => sum + count, 0);
  return html`<p>${words.sum(whole(all), whole(days.length))}</p>
${monthTable(frame, {
  month,
  caption: html`<caption class="hear">${words.calendar(monthOf(frame, month))}</caption>`,
  cell: (day) => gridCell(day, known.get(day)),
})}`;
}

function gridCell(day: string, count: number | undefined): Html {
  const number = Number(day.slice(8));
  if (count === undefined) return html`<td>${number}</td>`;
  return html`<td class="some"><a href="#day-${day}">${number}<small>${whole(count)}</small></a></td>`;
}

function messagesOf({ items }: CalendarDay): number {
  return items.reduce((sum, { messages }) => sum + messages, 0);
}

function dayPart(frame: Frame, day: CalendarDay): Html {
  const { reminders: words } = frame.words;
  return html`<section aria-labelledby="day-${day.day}"><h2 id="day-${day.day}">${weekdayOf(frame, day.day)}</h2>
${table({
  caption: weekdayOf(frame, day.day),
  columns: [
    { name: words.campaign },
    { name: words.when },
    { name: words.what },
    { name: words.messages, isNumber: true },
  ],
  rows: day.items.map(({ what, campaign, at, messages, waits }) => [
    html`<a href="/campaigns/${campaign.id}">${campaign.name}</a>`,
    timeOf(frame, at, frame.zone),
    html`${words.kinds[what]}${waits && html`<small class="warn">${words.waits}</small>`}`,
    whole(messages),
  ]),
  ...(day.items.length > 1 ? { total: [words.total, null, null, whole(messagesOf(day))] } : {}),
})}</section>`;
}
