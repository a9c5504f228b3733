import type { PlainReason } from '../row-reason.ts';
import { counted } from '../money.ts';
import { addDays, type DateFormat, parseDate, parseTimeOfDay } from './dates.ts';
import { localDate, minuteOf } from './local-time.ts';
import { type SendWindow, sendingHours, windowState } from './window.ts';

/**
 * From a reminder's event to the reminder: `-2d` is two days before, at the rule's time of day; `-2h` is two hours
 * before the event itself, which needs a column of times. It is written in one way only, because it is part of keys.
 */
export type Offset = string;

/** The job key `remind`: every contact has its own moment, counted from a date in its row. */
export interface ReminderRule {
  /** The date column, by its header or its name in `columns`. */
  column: string;
  /** From the event to the reminder. */
  offset: Offset;
  /** A series in place of `offset`: one reminder for each of these; left out: none. */
  series?: Offset[];
  /** Own texts of the series, by offset; left out: all have the campaign's text. */
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
): (cell: string, timeCell?: string) => Occurrence | { ok: false; reason: PlainReason; detail: string } {
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
  const { count, unit } = partsOf(rule.offset);
  const event = minuteOf(date, rule.atMinute, zone);
  const moment = unit === 'h' ? event + count * HOUR_MS : minuteOf(addDays(date, count), rule.atMinute, zone);
  const state = sendingHours(window, zone, moment);
  const notBefore = state.open ? moment : state.opensAt;
  const last = lastMoment(notBefore, hours);
  // "In two hours" is wrong once the event has begun.
  return { ok: true, date, notBefore, notAfter: unit === 'h' && count < 0 ? Math.min(last, event) : last };
}

/** True: its moment is over, or nothing may leave between its moment and its end. */
export function isPast({ notBefore, notAfter }: Occurrence, now: number): boolean {
  return notBefore < now || notAfter <= notBefore;
}

/**
 * The part of a series' key that tells its reminders apart: "(-2d)". So each reminder has an identity of its own, as
 * several invoices of one person have.
 */
export function seriesKey(key: string, offset: Offset): string {
  return `${key} (${offset})`.trimStart();
}

/** The key of a reminder's row: of a series without the part that tells its reminders apart. */
export function rowKey(key: string, remind: ReminderRule | null | undefined): string {
  const offset = remind?.series?.find((each) => key.endsWith(`(${each})`));
  return offset === undefined ? key : key.slice(0, -`(${offset})`.length).trimEnd();
}

/**
 * The offset of a reminder in words: the one of the rule, or of a series the end of its key. Null: there are no
 * reminders, or the key was purged.
 */
export function offsetOf(key: string, remind: ReminderRule | null | undefined): string | null {
  const { offset, series = [offset] } = remind ?? {};
  const found = remind?.series === undefined ? offset : series.find((each) => key.endsWith(`(${each})`));
  return found === undefined ? null : offsetWords(found);
}

const OFFSET = /^([+-]?)(\d{1,3})\s*([hdw])$/;
const HOUR_MS = 3_600_000;
const HOURS_A_DAY = 24;

/** Reads "-2h", "-2d", "0d", "3d" or "-1w", a week as days; null for anything else. */
export function parseOffset(text: string): Offset | null {
  const match = OFFSET.exec(text.trim());
  if (match === null) return null;
  const count = Number(match[2]) * (match[3] === 'w' ? 7 : 1);
  return `${match[1] === '-' && count > 0 ? -count : count}${match[3] === 'h' ? 'h' : 'd'}`;
}

function partsOf(offset: Offset): { count: number; unit: 'd' | 'h' } {
  return { count: Number(offset.slice(0, -1)), unit: offset.endsWith('h') ? 'h' : 'd' };
}

/** "2 days before", "on the day", "1 hour after": a spreadsheet would take "-2d" for a formula. */
export function offsetWords(offset: Offset): string {
  const { count, unit } = partsOf(offset);
  if (count === 0) return unit === 'h' ? 'at the time' : 'on the day';
  return `${counted(Math.abs(count), unit === 'h' ? 'hour' : 'day')} ${count < 0 ? 'before' : 'after'}`;
}

/** True: it counts hours from the event. */
export function isInHours(offset: Offset): boolean {
  return partsOf(offset).unit === 'h';
}

/** The hours of an offset: of two with the same, both reminders would go at one moment. */
export function hoursOf(offset: Offset): number {
  const { count, unit } = partsOf(offset);
  return unit === 'h' ? count : count * HOURS_A_DAY;
}

function lastMoment(
  notBefore: number,
  { window, zone }: { window: SendWindow | null; zone: string },
): number {
  const midnight = minuteOf(localDate(notBefore, zone), 24 * 60, zone);
  const state = windowState(window, zone, notBefore);
  return state.open && state.closesAt !== null ? Math.min(state.closesAt, midnight) : midnight;
}
