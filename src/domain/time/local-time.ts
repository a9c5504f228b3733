import { DateTime, IANAZone } from 'luxon';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?$/;
const WITH_OFFSET = /(?:Z|[+-]\d{2}:\d{2})$/;

/** Reads "2026-11-27T09:00" by the clock of `zone`, or with "Z" or "+03:00"; null: no such time. */
export function parseLocalTime(text: string, zone: string): number | null {
  const trimmed = text.trim();
  const offset = WITH_OFFSET.exec(trimmed)?.[0] ?? '';
  const wall = trimmed.slice(0, trimmed.length - offset.length);
  if (!LOCAL_TIME.test(wall)) return null;
  const local = DateTime.fromISO(wall.replace(' ', 'T') + (offset === '' ? 'Z' : offset), { setZone: true });
  if (!local.isValid) return null;
  if (offset !== '') return local.toMillis();
  const seconds = local.second * 1000;
  return localToInstant(local.toMillis() - seconds, zone) + seconds;
}

/**
 * The instant when a zone's clock shows a whole minute. `wall` is the instant when UTC's clock shows it. For
 * a repeated minute it is the first one, for a skipped minute the next existing one.
 */
export function localToInstant(wall: number, zone: string): number {
  const clock = zoneClock(zone);
  const before = clock(wall - DAY_MS);
  const after = clock(wall + DAY_MS);
  // The larger offset gives the earlier instant.
  for (const offset of [Math.max(before, after), Math.min(before, after)]) {
    if (clock(wall - offset) === offset) return wall - offset;
  }
  return endOfGap({ from: wall - after, to: wall - before }, clock);
}

/** The instant of a minute of an ISO date in a zone. */
export function minuteOf(date: string, minuteOfDay: number, zone: string): number {
  return localToInstant(Date.parse(`${date}T00:00:00Z`) + minuteOfDay * MINUTE_MS, zone);
}

/** The zone's change between two instants: the first minute with the last offset. */
function endOfGap({ from, to }: { from: number; to: number }, clock: (instant: number) => number): number {
  const offset = clock(to);
  let [before, end] = [from, to];
  while (end - before > MINUTE_MS) {
    const middle = before + Math.floor((end - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (clock(middle) === offset) end = middle;
    else before = middle;
  }
  return end;
}

/** The zone's offset from UTC in milliseconds, by instant. */
function zoneClock(zone: string): (instant: number) => number {
  const known = IANAZone.create(zone);
  return (instant) => known.offset(instant) * MINUTE_MS;
}

/** By zone: making one takes longer than using it a thousand times. */
const DATES = new Map<string, Intl.DateTimeFormat>();

/** The ISO date of a zone's calendar at an instant. */
export function localDate(instant: number, zone: string): string {
  let format = DATES.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    DATES.set(zone, format);
  }
  return format.format(instant);
}

/** "2026-11-27 09:00", by the clock of a zone. */
export function localClock(instant: number, zone: string): string {
  return DateTime.fromMillis(instant, { zone }).toFormat('yyyy-MM-dd HH:mm');
}
