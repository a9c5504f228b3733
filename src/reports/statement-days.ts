import { addDays } from '../domain/time/dates.ts';
import { minuteOf } from '../domain/time/local-time.ts';

/** Days of a zone's calendar and their limits: midnights[i] begins days[i]; the last one ends them. */
export interface StatementDays {
  days: string[];
  midnights: number[];
}

/** More is a slip of the pen: ten years. */
export const MOST_DAYS = 3_660;
const DAY_MS = 86_400_000;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a text is a date of the calendar, as 2026-11-27. */
export function isDate(text: string): boolean {
  return ISO_DATE.test(text) && !Number.isNaN(utcOf(text)) && addDays(text, 0) === text;
}

/** How many days two dates and all between them are; not positive when they are the wrong way round. */
export function countDays(from: string, to: string): number {
  return (utcOf(to) - utcOf(from)) / DAY_MS + 1;
}

/** The days from one date to another, both included. A change of the clock makes a day shorter or longer. */
export function statementDays({ from, to, zone }: { from: string; to: string; zone: string }): StatementDays {
  const count = Math.max(0, Math.min(MOST_DAYS, countDays(from, to)));
  const dates = Array.from({ length: count + 1 }, (_, index) => addDays(from, index));
  return { days: dates.slice(0, -1), midnights: dates.map((date) => minuteOf(date, 0, zone)) };
}

function utcOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}
