import { DateTime, IANAZone } from 'luxon';

/** A date and minutes counted from its midnight (0 to 1440), as a wall clock in some zone shows them. */
export interface LocalMinute {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  minuteOfDay: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?$/;
const WITH_OFFSET = /(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads "2026-11-27T09:00" (or with a space, or with seconds) as the wall clock of `zone`, and with "Z" or "+03:00" as
 * that instant. Milliseconds since the epoch; null when it is no such time. A time that the zone skips becomes the
 * next minute that exists, of one that comes twice the first is meant.
 */
export function parseLocalTime(text: string, zone: string): number | null {
  const trimmed = text.trim();
  const offset = WITH_OFFSET.exec(trimmed)?.[0] ?? '';
  const wall = trimmed.slice(0, trimmed.length - offset.length);
  if (!LOCAL_TIME.test(wall)) return null;
  const local = DateTime.fromISO(wall.replace(' ', 'T') + (offset === '' ? 'Z' : offset), { setZone: true });
  if (!local.isValid) return null;
  if (offset !== '') return local.toMillis();
  const minuteOfDay = local.hour * 60 + local.minute;
  const { year, month, day } = local;
  return localToInstant({ year, month, day, minuteOfDay }, zone) + local.second * 1000;
}

/** The instant of a local time in a zone: the first when it comes twice, the next that exists when it is skipped. */
export function localToInstant({ year, month, day, minuteOfDay }: LocalMinute, zone: string): number {
  const wall = Date.UTC(year, month - 1, day, 0, minuteOfDay);
  const clock = zoneClock(zone);
  const before = clock(wall - DAY_MS);
  const after = clock(wall + DAY_MS);
  // The larger offset gives the earlier instant.
  for (const offset of [Math.max(before, after), Math.min(before, after)]) {
    if (clock(wall - offset) === offset) return wall - offset;
  }
  return endOfGap({ from: wall - after, to: wall - before }, clock);
}

/** The zone's change between two instants: the first minute with the offset that holds at the end. */
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

/** The ISO date that the calendar of a zone shows at an instant. */
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
