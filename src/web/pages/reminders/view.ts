import { whole } from '../../../domain/money.ts';
import { addDays } from '../../../domain/time/dates.ts';
import type { Calendar, CalendarDay } from '../../../reports/calendar.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { table } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';

/** The calendar, and the months beside it. */
export interface RemindersPage extends Calendar {
  before: string;
  after: string;
  present: string;
}

const DAYS_A_WEEK = 7;

/** What comes in a month: a small calendar, then each day. */
export function remindersView(frame: Frame, page: RemindersPage): Html {
  const { reminders: words } = frame.words;
  const { days, before, after, present, month, isCut } = page;
  const link = (to: string, name: string) => html`<a href="/reminders?month=${to}">${name}</a>`;
  return html`<header class="head"><div><h1>${words.title}</h1><p class="soft">${words.intro}</p></div></header>
<section aria-labelledby="month"><h2 id="month">${monthWords(frame, month)}</h2>
<p class="actions">${link(before, words.before)}${month !== present && link(present, words.present)}${link(after, words.after)}</p>
${days.length === 0 ? html`<p><b>${words.nothing}.</b> ${words.nothingHelp}</p>` : grid(frame, page)}
${isCut && html`<p class="warn">${words.cut}</p>`}
</section>
${days.map((day) => dayPart(frame, day))}`;
}

function monthWords({ language }: Frame, month: string): string {
  const locale = language === 'sw' ? 'sw-KE' : 'en-GB';
  const format = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(`${month}-01T00:00:00Z`));
}

function dayWords({ language }: Frame, day: string): string {
  const locale = language === 'sw' ? 'sw-KE' : 'en-GB';
  const format = new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  return format.format(new Date(`${day}T00:00:00Z`));
}

/** Each week is a row. A day on which something comes is a link to it, with the number of its messages. */
function grid(frame: Frame, { month, days }: RemindersPage): Html {
  const { reminders: words } = frame.words;
  const known = new Map(days.map((each) => [each.day, messagesOf(each)]));
  const all = [...known.values()].reduce((sum, count) => sum + count, 0);
  return html`<p>${words.sum(whole(all), whole(days.length))}</p>
<table class="calendar"><caption class="hear">${words.calendar(monthWords(frame, month))}</caption>
<thead><tr>${words.weekdays.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${weeksOf(month).map(
  (week) => html`<tr>${week.map((day) => gridCell(day, day === null ? undefined : known.get(day)))}</tr>
`,
)}</tbody></table>`;
}

function gridCell(day: string | null, count: number | undefined): Html {
  if (day === null) return html`<td></td>`;
  const number = Number(day.slice(8));
  if (count === undefined) return html`<td>${number}</td>`;
  return html`<td class="some"><a href="#day-${day}">${number}<small>${whole(count)}</small></a></td>`;
}

/** The days of a month from Monday to Sunday; null: a day of another month. */
function weeksOf(month: string): (string | null)[][] {
  const first = `${month}-01`;
  const lead = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % DAYS_A_WEEK;
  const weeks: (string | null)[][] = [];
  for (
    let monday = addDays(first, -lead);
    weeks.length === 0 || monday.startsWith(month);
    monday = addDays(monday, DAYS_A_WEEK)
  ) {
    const week = Array.from({ length: DAYS_A_WEEK }, (_, index) => addDays(monday, index));
    weeks.push(week.map((day) => (day.startsWith(month) ? day : null)));
  }
  return weeks;
}

function messagesOf({ items }: CalendarDay): number {
  return items.reduce((sum, { messages }) => sum + messages, 0);
}

function dayPart(frame: Frame, day: CalendarDay): Html {
  const { reminders: words } = frame.words;
  return html`<section aria-labelledby="day-${day.day}"><h2 id="day-${day.day}">${dayWords(frame, day.day)}</h2>
${table({
  caption: dayWords(frame, day.day),
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
