const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const TIME = /^(\d{1,2}):(\d{2})$/;
const LAST_MINUTE = 24 * 60;

/** Reads "08:00" as minutes of the day, up to "24:00" = 1440; null for anything else. */
export function parseMinuteOfDay(text: string): number | null {
  const match = TIME.exec(text.trim());
  if (match === null) return null;
  const [hour, minute] = [Number(match[1]), Number(match[2])];
  const minuteOfDay = hour * 60 + minute;
  return minute < 60 && minuteOfDay <= LAST_MINUTE ? minuteOfDay : null;
}

/** Reads "mon-sat", "mon,wed,fri" or "fri-mon" as ISO weekdays (1 = Monday), in order; else null. */
export function parseDays(text: string): number[] | null {
  const days = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const [first, last, ...rest] = part.split('-').map((name) => DAYS.indexOf(name.trim()));
    if (first === undefined || first === -1 || last === -1 || rest.length > 0) return null;
    for (const day of daysBetween(first, last ?? first)) days.add(day + 1);
  }
  return [...days].sort((left, right) => left - right);
}

/** Counted round the end of the week: Friday to Monday is four days. */
function daysBetween(first: number, last: number): number[] {
  const count = ((last - first + DAYS.length) % DAYS.length) + 1;
  return Array.from({ length: count }, (_, ahead) => (first + ahead) % DAYS.length);
}
