import { addDays } from '../../domain/time/dates.ts';
import type { Frame } from '../frame.ts';
import { type Content, html, type Html } from './html.ts';
import { localeOf } from './time.ts';

const DAYS_A_WEEK = 7;

/** A month as people say it, such as `December 2026`. `month`: "2026-12". */
export function monthOf({ language }: Pick<Frame, 'language'>, month: string): string {
  return calendarWords(`${month}-01`, language, { month: 'long', year: 'numeric' });
}

/** A day as people say it, such as `Thursday 3 December`. `date`: "2026-12-03". */
export function weekdayOf({ language }: Pick<Frame, 'language'>, date: string): string {
  return calendarWords(date, language, { weekday: 'long', day: 'numeric', month: 'long' });
}

/** A month as a small calendar: the days of the week above, a row a week. `cell`: what stands on a day of the month. */
export function monthTable(
  { words: { common } }: Pick<Frame, 'words'>,
  { month, caption, cell }: { month: string; caption: Html; cell: (date: string) => Content },
): Html {
  return html`<table class="calendar">${caption}
<thead><tr>${common.weekdays.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${weeksOf(month).map(
  (week) => html`<tr>${week.map((date) => (date === null ? html`<td></td>` : cell(date)))}</tr>
`,
)}</tbody></table>`;
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

function calendarWords(date: string, language: Frame['language'], parts: Intl.DateTimeFormatOptions): string {
  const format = new Intl.DateTimeFormat(localeOf(language), { ...parts, timeZone: 'UTC' });
  return format.format(Date.parse(`${date}T00:00:00Z`));
}
