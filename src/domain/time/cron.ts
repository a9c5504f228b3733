import { localDate, localToInstant } from './local-time.ts';

/** When a recurring job fires: the values of each field that match, in order. */
export interface Cron {
  minutes: number[];
  hours: number[];
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  /** 0 is Sunday. */
  weekdays: ReadonlySet<number>;
  /** Both the day of the month and the weekday are given: either one is enough, as cron has it. */
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
const DAY_MS = 86_400_000;
/** A local hour that begins so long before an instant lies behind it, also when the clocks are put forward in it. */
const MOST_SHIFT_MS = 2 * 3_600_000;
/** The longest wait there is: 29 February over a century that has none. */
const MOST_DAYS = 8 * 366 + 2;

/**
 * Reads five fields (minute hour day month weekday), each `*`, a value, a list, a range or a step; months and weekdays
 * by name too: "0 9 * * mon". Null for anything else, and for what never comes, such as 30 February.
 */
export function parseCron(text: string): Cron | null {
  const words = text.trim().toLowerCase().split(/\s+/);
  if (words.length !== FIELDS.length) return null;
  const sets = FIELDS.flatMap((field, index) => valuesOf(words[index] ?? '', field) ?? []);
  const [minutes, hours, days, months, weekdays] = sets;
  if (!minutes || !hours || !days || !months || !weekdays) return null;
  const cron = {
    minutes: sorted(minutes),
    hours: sorted(hours),
    days,
    months,
    weekdays: new Set([...weekdays].map((day) => day % 7)),
    eitherDay: isGiven(words[2]) && isGiven(words[4]),
  };
  return nextFiring(cron, 'UTC', Date.UTC(2096, 2, 1)) === null ? null : cron;
}

/** False for `*`, with or without a step. */
function isGiven(word = '*'): boolean {
  return !word.startsWith('*');
}

/**
 * The first firing after an instant, in the zone; null: there is none. A local time that is skipped fires at the next
 * minute that exists, one that comes twice fires at the first.
 */
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
  const date = { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate() };
  let soonest: number | null = null;
  for (const hour of cron.hours) {
    // Not minute by minute: after a week without the program a job of every five minutes asks two thousand times.
    if (localToInstant({ ...date, minuteOfDay: hour * 60 }, zone) < after - MOST_SHIFT_MS) continue;
    for (const minute of cron.minutes) {
      const instant = localToInstant({ ...date, minuteOfDay: hour * 60 + minute }, zone);
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

function valuesOf(word: string, field: Field): Set<number> | null {
  const values = new Set<number>();
  for (const part of word.split(',')) {
    const range = rangeOf(part, field);
    if (range === null) return null;
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return values;
}

interface Range {
  from: number;
  to: number;
  step: number;
}

/** One part of a list: a span, and after a slash its step. */
function rangeOf(part: string, field: Field): Range | null {
  const match = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part);
  const span = match === null ? null : spanOf(match[1] ?? '', field);
  if (span === null) return null;
  const step = match?.[2] === undefined ? 1 : Number(match[2]);
  if (step === 0) return null;
  // A value with a step means "from there on".
  const to = match?.[2] !== undefined && span.single ? field.most : span.to;
  return { from: span.from, to, step };
}

function spanOf(span: string, field: Field): { from: number; to: number; single: boolean } | null {
  if (span === '*') return { from: field.least, to: field.most, single: false };
  const [first = '', last = first, ...more] = span.split('-');
  const [from, to] = [valueOf(first, field), valueOf(last, field)];
  if (more.length > 0 || from === null || to === null || from > to) return null;
  return { from, to, single: !span.includes('-') };
}

function valueOf(text: string, { least, most, words }: Field): number | null {
  const named = words?.indexOf(text) ?? -1;
  if (text !== '' && named >= 0) return named;
  if (!/^\d{1,2}$/.test(text)) return null;
  const value = Number(text);
  return value >= least && value <= most ? value : null;
}

function sorted(values: ReadonlySet<number>): number[] {
  return [...values].sort((left, right) => left - right);
}
