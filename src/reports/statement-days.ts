import { localToInstant } from '../domain/time/local-time.ts';

/** Days of a zone's calendar, and the instants that divide them: midnights[i] begins days[i], the last one ends the last. */
export interface StatementDays {
  days: string[];
  midnights: number[];
}

/** More is a slip of the pen: ten years. */
export const MOST_DAYS = 3_660;
const DAY_MS = 86_400_000;
const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether a text is a date of the calendar, as 2026-11-27. */
export function isDate(text: string): boolean {
  if (!ISO_DATE.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && isoDate(at) === text;
}

/** How many days two dates and all between them are; not positive when they are the wrong way round. */
export function countDays(from: string, to: string): number {
  return (utcOf(to) - utcOf(from)) / DAY_MS + 1;
}

/** The days from one date to another, both included. A day that the zone's clock was changed on is shorter or longer. */
export function statementDays({ from, to, zone }: { from: string; to: string; zone: string }): StatementDays {
  const count = Math.max(0, Math.min(MOST_DAYS, countDays(from, to)));
  const dates = Array.from({ length: count + 1 }, (_, index) => isoDate(utcOf(from) + index * DAY_MS));
  return { days: dates.slice(0, -1), midnights: dates.map((date) => midnight(date, zone)) };
}

function midnight(date: string, zone: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return localToInstant({ year, month, day, minuteOfDay: 0 }, zone);
}

function utcOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function isoDate(utc: number): string {
  return new Date(utc).toISOString().slice(0, 10);
}
