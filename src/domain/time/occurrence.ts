import { addDays, type DateFormat, parseDate, parseTimeOfDay } from './dates.ts';
import { localDate, minuteOf } from './local-time.ts';
import { type SendWindow, sendingHours, windowState } from './window.ts';

/** The job key `remind`: every contact has its own moment, counted from a date in its row. */
export interface ReminderRule {
  /** The date column, by its header or its name in `columns`. */
  column: string;
  /** Days from the date to the reminder: -2 is two days before. */
  offsetDays: number;
  /** A series in place of `offsetDays`: one reminder for each of these; left out: none. */
  series?: number[];
  /** Own texts of the series, by offset in days; left out: all have the campaign's text. */
  texts?: Record<string, string>;
  /** Minute of the day, in the campaign's zone. */
  atMinute: number;
  /** The column of the time of day, in place of `atMinute`; left out: none. */
  atColumn?: string;
  /** The order of day and month in the column; null: not declared. */
  format: DateFormat | null;
  /** True with a `key`: a changed date moves the reminder. Without it, the date is part of its identity. */
  keyed: boolean;
}

/** The skip reason of a reminder that was sent before. */
export const ALREADY_REMINDED = 'already reminded';

/** The skip reason of a reminder that is too late. */
export const MOMENT_PAST = 'moment past';

/** One reminder: its date, its time, and its end. Instants in milliseconds. */
export interface Occurrence {
  ok: true;
  /** The date of the reminder's event, ISO. */
  date: string;
  notBefore: number;
  notAfter: number;
}

/**
 * Reads the date cell of a row, and the cell of its time if the rule has a column for it. A moment outside the window
 * moves to the next opening, for that day.
 */
export function occurrenceReader(
  rule: ReminderRule,
  hours: { window: SendWindow | null; zone: string },
): (cell: string, timeCell?: string) => Occurrence | { ok: false; reason: string; detail: string } {
  const known = new Map<string, Occurrence>();
  return (cell, timeCell) => {
    const reading = parseDate(cell, rule.format);
    if (!reading.ok) return reading;
    const minute = timeCell === undefined ? rule.atMinute : parseTimeOfDay(timeCell);
    if (minute === null) return { ok: false, reason: 'not a time', detail: 'write it as 14:30' };
    const key = `${reading.date} ${minute}`;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const occurrence = occurrenceOn(reading.date, { ...rule, atMinute: minute }, hours);
    known.set(key, occurrence);
    return occurrence;
  };
}

function occurrenceOn(
  date: string,
  rule: ReminderRule,
  hours: { window: SendWindow | null; zone: string },
): Occurrence {
  const { window, zone } = hours;
  const moment = minuteOf(addDays(date, rule.offsetDays), rule.atMinute, zone);
  const state = sendingHours(window, zone, moment);
  const notBefore = state.open ? moment : state.opensAt;
  return { ok: true, date, notBefore, notAfter: lastMoment(notBefore, hours) };
}

/**
 * The part of a series' key that tells its reminders apart: "(-2d)". So each reminder has an identity of its own, as
 * several invoices of one person have.
 */
export function seriesKey(key: string, offsetDays: number): string {
  return `${key} (${offsetDays}d)`.trimStart();
}

const OFFSET = /^([+-]?)(\d{1,3})\s*([dw])$/;

/** Reads "-2d", "0d", "3d" or "-1w" as days; null for anything else. */
export function parseOffsetDays(text: string): number | null {
  const match = OFFSET.exec(text.trim());
  if (match === null) return null;
  const days = Number(match[2]) * (match[3] === 'w' ? 7 : 1);
  return match[1] === '-' && days > 0 ? -days : days;
}

function lastMoment(
  notBefore: number,
  { window, zone }: { window: SendWindow | null; zone: string },
): number {
  const midnight = minuteOf(localDate(notBefore, zone), 24 * 60, zone);
  const state = windowState(window, zone, notBefore);
  return state.open && state.closesAt !== null ? Math.min(state.closesAt, midnight) : midnight;
}
