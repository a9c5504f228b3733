import { localDate, localToInstant } from './local-time.ts';

/** The firing times of a recurring job: the matching values of each field, in order. */
export interface Cron {
  minutes: number[];
  hours: number[];
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  /** 0 is Sunday. */
  weekdays: ReadonlySet<number>;
  /** True: day of the month and weekday are both given, and either one is enough, as in cron. */
  eitherDay: boolean;
}

interface Field {
  name: string;
  least: number;
  most: number;
  words?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day', least: 1, most: 31 },
  {
    name: 'month',
    least: 1,
    most: 12,
    words: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'weekday', least: 0, most: 7, words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
/** A star, or a value with the end of its range; then a step. */
const PART = /^(?:\*|([a-z\d]+)(?:-([a-z\d]+))?)(?:\/(\d{1,2}))?$/;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A local hour that begins this long before an instant is over, even when the clock is put forward in it. */
const MOST_SHIFT_MS = 2 * HOUR_MS;
/** The longest possible wait: 29 February over a century without one. */
const MOST_DAYS = 8 * 366 + 2;

/** Reads five fields such as "0 9 * * mon"; null for anything else, and for a date that never comes. */
export function parseCron(text: string): Cron | null {
  const words = text.trim().toLowerCase().split(/\s+/);
  if (words.length !== FIELDS.length) return null;
  const values = FIELDS.map((field, index) => valuesOf(words[index] ?? '', field));
  const [minutes, hours, days, months, weekdays] = values;
  if (!minutes || !hours || !days || !months || !weekdays) return null;
  const cron = {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((day) => day % 7)),
    eitherDay: [words[2], words[4]].every((word) => word?.startsWith('*') === false),
  };
  return nextFiring(cron, 'UTC', Date.UTC(2096, 2, 1)) === null ? null : cron;
}

/** The first firing after an instant, in the zone, as `localToInstant` reads a local time; null: none. */
export function nextFiring(cron: Cron, zone: string, after: number): number | null {
  const first = Date.parse(`${localDate(after, zone)}T00:00:00Z`);
  for (let ahead = 0; ahead < MOST_DAYS; ahead++) {
    const day = new Date(first + ahead * DAY_MS);
    if (!matchesDay(cron, day)) continue;
    const instant = firingOn(cron, day, { zone, after });
    if (instant !== null) return instant;
  }
  return null;
}

function firingOn(cron: Cron, day: Date, { zone, after }: { zone: string; after: number }): number | null {
  let soonest: number | null = null;
  for (const hour of cron.hours) {
    // Hours are skipped at once, because a job of every five minutes has two thousand firings a week.
    if (localToInstant(day.getTime() + hour * HOUR_MS, zone) < after - MOST_SHIFT_MS) continue;
    for (const minute of cron.minutes) {
      const instant = localToInstant(day.getTime() + hour * HOUR_MS + minute * MINUTE_MS, zone);
      if (instant > after && (soonest === null || instant < soonest)) soonest = instant;
    }
    if (soonest !== null) return soonest;
  }
  return null;
}

function matchesDay({ days, months, weekdays, eitherDay }: Cron, day: Date): boolean {
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const [ofMonth, ofWeek] = [days.has(day.getUTCDate()), weekdays.has(day.getUTCDay())];
  return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

/** The values of a list, in order; null: a part is wrong. */
function valuesOf(word: string, field: Field): number[] | null {
  const ranges = word.split(',').map((part) => rangeOf(part, field));
  if (ranges.includes(null)) return null;
  return [...new Set(ranges.flatMap((range) => range ?? []))].sort((left, right) => left - right);
}

/** The values of `*`, `3`, `mon-fri`, or one of these with a step. */
function rangeOf(part: string, field: Field): number[] | null {
  const match = PART.exec(part);
  if (match === null) return null;
  const [from, to] = endsOf(match, field);
  const step = Number(match[3] ?? 1);
  if (step === 0 || from === null || to === null || from > to) return null;
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

/** A single value with a step means "from there on". */
function endsOf([, first, last, step]: RegExpExecArray, field: Field): [number | null, number | null] {
  if (first === undefined) return [field.least, field.most];
  const from = valueOf(first, field);
  if (last !== undefined) return [from, valueOf(last, field)];
  return [from, step === undefined ? from : field.most];
}

function valueOf(text: string, { least, most, words }: Field): number | null {
  const named = words?.indexOf(text) ?? -1;
  if (named >= 0) return named;
  if (!/^\d{1,2}$/.test(text)) return null;
  const value = Number(text);
  return value >= least && value <= most ? value : null;
}
