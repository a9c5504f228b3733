import { addDays } from './dates.ts';
import { localDate, minuteOf } from './local-time.ts';

/** The hours of messages in the campaign's zone: minutes [from, to) on ISO weekdays (1 = Monday). */
export interface SendWindow {
  fromMinute: number;
  toMinute: number;
  days: number[];
  /** No message is claimed in the last minutes, so that a backlog still arrives in time. Default: 0. */
  marginMinutes?: number;
}

/** The state of a window: open until `closesAt` (null: for ever), or closed until `opensAt`. Milliseconds. */
export type WindowState = { open: true; closesAt: number | null } | { open: false; opensAt: number };

/** A change of the clock may cost a weekly window one week, so two weeks always hold an opening. */
const DAYS_AHEAD = 15;
const WHOLE_DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;
const SUNDAY = 7;

/** The state of a window by a zone's wall clock. Touching openings are one, of 15 days at most. */
export function windowState(window: SendWindow | null, zone: string, now: number): WindowState {
  if (window === null || isAlways(window)) return { open: true, closesAt: null };
  let closesAt: number | null = null;
  for (const opening of openings(window, zone, now)) {
    if (closesAt === null && opening.from > now) return { open: false, opensAt: opening.from };
    if (closesAt !== null && opening.from > closesAt) break;
    closesAt = opening.to;
  }
  if (closesAt === null) throw new RangeError('A send window without an opening in two weeks.');
  return { open: true, closesAt };
}

/** The window less the margin at its end, in which the networks deliver. In the margin it is closed. */
export function sendingHours(window: SendWindow | null, zone: string, now: number): WindowState {
  const state = windowState(window, zone, now);
  const marginMs = (window?.marginMinutes ?? 0) * MINUTE_MS;
  if (!state.open || state.closesAt === null) return state;
  const closesAt = state.closesAt - marginMs;
  if (now < closesAt) return { open: true, closesAt };
  const after = windowState(window, zone, state.closesAt);
  return { open: false, opensAt: after.open ? state.closesAt : after.opensAt };
}

/** True for a window that never closes. */
function isAlways(window: SendWindow): boolean {
  return window.fromMinute === 0 && window.toMinute === WHOLE_DAY_MINUTES && window.days.length === 7;
}

/** The openings that end after `now`, in order. */
function* openings(window: SendWindow, zone: string, now: number): Iterable<{ from: number; to: number }> {
  const today = localDate(now, zone);
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead++) {
    const date = addDays(today, ahead);
    const weekday = new Date(date).getUTCDay() || SUNDAY;
    if (!window.days.includes(weekday)) continue;
    const from = minuteOf(date, window.fromMinute, zone);
    const to = minuteOf(date, window.toMinute, zone);
    if (to > now && to > from) yield { from, to };
  }
}
