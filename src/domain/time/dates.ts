/** A calendar date as ISO text, "2026-11-27", or the problem of a cell. It never quotes the cell. */
export type DateReading =
  | { ok: true; date: string }
  | { ok: false; reason: 'not a date' | 'ambiguous date'; detail: string };

/** The order of day, month and year in a declared format such as dd/mm/yyyy. */
export type DateFormat = readonly DatePart[];
type DatePart = 'day' | 'month' | 'year';

/** Reminders concern dates near today, so another year is a typing error or another number. */
const YEARS = { first: 1990, last: 2189 } as const;
/** English, then Swahili. A name may be cut short anywhere behind its third letter. */
const MONTHS = [
  'january february march april may june july august september october november december',
  'januari februari machi aprili mei juni julai agosti septemba oktoba novemba desemba',
].map((names) => names.split(' '));
const SEPARATORS = /[\s/.,-]+/;
const DAY_MS = 86_400_000;
/** Day 0 of a spreadsheet. It takes 1900 for a leap year, so day 60 and later count from here. */
const SERIAL_ZERO_MS = Date.UTC(1899, 11, 30);
/** Serials have five digits from 1927 to 2173; other lengths are a day, a year or no date. */
const SERIAL = /^\d{5}(?:\.\d+)?$/;
/** The time at the end of a cell: 14:30, 14.30, 14h30, 2:30 pm, 2pm, 14:30:00. A zone behind it is not read. */
const TIME_OF_DAY =
  /(?:^|T|\s)(\d{1,2})(?:(?:[:.h](\d{2}))(?::\d{2}(?:\.\d+)?)?|(?=\s*[ap]\.?m))\s*(?:([ap])\.?m\.?|h(?:ou)?rs?)?$/i;
/** 1430 and 0930; a spreadsheet drops the zero. More digits are a day number. */
const JOINED_TIME = /^(\d{1,2})(\d{2})\s*(?:h|hrs)?$/i;
/** A time of a spreadsheet: the part of a day that is over. */
const DAY_PART = /^0?\.(\d+)$/;
const DAY_MINUTES = 1_440;
const QUARTERS_A_DAY = 96;
const CLOCK_TIME = /(?:T|\s+)\d{1,2}:\d{2}.*$/;
/** Other times behind a date, which may also be a part of it: 3 4.26. */
const LOOSE_TIME = /\s+\d{1,2}(?:[.h]\d{2})?\s*(?:[ap]\.?m\.?|h(?:ou)?rs?)?$/i;

const YEAR_FIRST: DateFormat = ['year', 'month', 'day'];
const DAY_FIRST: DateFormat = ['day', 'month', 'year'];
const MONTH_FIRST: DateFormat = ['month', 'day', 'year'];

const FORMAT_WORDS: Readonly<Record<string, DatePart>> = {
  d: 'day',
  dd: 'day',
  m: 'month',
  mm: 'month',
  mmm: 'month',
  yy: 'year',
  yyyy: 'year',
};

/**
 * Reads "dd/mm/yyyy", "m-d-yy" or "d mmm yyyy"; null unless day, month and year come once each. Null also for `yy`
 * first, because "26-Nov-27" would then have two readings.
 */
export function parseDateFormat(text: string): DateFormat | null {
  const parts = text
    .trim()
    .toLowerCase()
    .split(SEPARATORS)
    .map((word) => FORMAT_WORDS[word]);
  const named = parts.filter((part) => part !== undefined);
  if (/^\s*yy\b/i.test(text)) return null;
  return parts.length === 3 && new Set(named).size === 3 ? named : null;
}

/** True: a day as spreadsheets count them, such as 46353. */
export function isDayNumber(cell: string): boolean {
  return SERIAL.test(cell.trim());
}

/** Reads 2026-11-27, 27 Nov 2026, a day number (46353), or 27/11/2026 in the declared order. */
export function parseDate(cell: string, format: DateFormat | null): DateReading {
  const text = cell.trim();
  if (SERIAL.test(text)) return serialDate(Number(text));
  const words = wordsOfDate(text.replace(CLOCK_TIME, ''));
  if (words.length !== 3) return notADate();
  const named = words.findIndex((word) => monthNamed(word) > 0);
  if (named >= 0) return withMonthName(words, named);
  if (words[0]?.length === 4) return inOrder(words, format?.[0] === 'year' ? format : YEAR_FIRST);
  return format === null ? withoutFormat(words) : inOrder(words, format);
}

/** Reads the time of day of "2026-11-27 14:30", "2pm", "1430" or 46353.5 as a minute; null: there is none. */
export function parseTimeOfDay(cell: string): number | null {
  const text = cell.trim();
  if (SERIAL.test(text) || DAY_PART.test(text)) return minuteOfNumber(text);
  const [, hours, minutes = '0', half = ''] = TIME_OF_DAY.exec(text) ?? JOINED_TIME.exec(text) ?? [];
  const hour = half === '' ? Number(hours) : hourOfHalf(Number(hours), half.toLowerCase() === 'p');
  const minute = Number(minutes);
  return hour < 24 && minute < 60 ? hour * 60 + minute : null;
}

/** The time of a spreadsheet; null: a day without a time, or no part that a spreadsheet writes. */
function minuteOfNumber(text: string): number | null {
  const isPart = DAY_PART.test(text);
  if (isPart ? !isWrittenPart(text) : !text.includes('.')) return null;
  return Math.min(Math.round((Number(text) % 1) * DAY_MINUTES), DAY_MINUTES - 1);
}

/** False: 0.30 may be half past midnight. A spreadsheet writes no zero at the end, and a rounded part has more digits. */
function isWrittenPart(text: string): boolean {
  const decimals = DAY_PART.exec(text)?.[1] ?? '';
  if (decimals.endsWith('0')) return false;
  return decimals.length > 2 || Number.isInteger(Number(text) * QUARTERS_A_DAY);
}

function wordsOfDate(text: string): string[] {
  const words = text.split(SEPARATORS);
  return words.length > 3 ? text.replace(LOOSE_TIME, '').split(SEPARATORS) : words;
}

function hourOfHalf(hour: number, afternoon: boolean): number {
  return hour >= 1 && hour <= 12 ? (hour % 12) + (afternoon ? 12 : 0) : Number.NaN;
}

/** The ISO date `days` after (or before) the given one. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function serialDate(serial: number): DateReading {
  const day = new Date(SERIAL_ZERO_MS + Math.floor(serial) * DAY_MS);
  return calendarDate(day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate());
}

/** "27 Nov 2026", "Nov 27 2026", "2026 Nov 27"; "26-Nov-27" is of 2027, as spreadsheets show dates. */
function withMonthName(words: string[], named: number): DateReading {
  const month = monthNamed(words[named] ?? '');
  const order = named === 0 ? MONTH_FIRST : words[0]?.length === 4 ? YEAR_FIRST : DAY_FIRST;
  return inOrder(words.with(named, String(month)), order);
}

/** 1 to 12; 0: the word names no month. */
function monthNamed(word: string): number {
  if (word.length < 3) return 0;
  const isMeant = (name: string) => name.startsWith(word.toLowerCase());
  return Math.max(...MONTHS.map((names) => names.findIndex(isMeant) + 1));
}

function inOrder(words: string[], format: DateFormat): DateReading {
  const value = (part: DatePart) => words[format.indexOf(part)] ?? '';
  const [month, day] = [value('month'), value('day')];
  if (!/^\d{1,2} \d{1,2}$/.test(`${month} ${day}`)) return notADate();
  return calendarDate(yearOf(value('year')), Number(month), Number(day));
}

function withoutFormat(words: string[]): DateReading {
  const dayFirst = inOrder(words, DAY_FIRST);
  const monthFirst = inOrder(words, MONTH_FIRST);
  if (!dayFirst.ok) return monthFirst;
  if (!monthFirst.ok || monthFirst.date === dayFirst.date) return dayFirst;
  return {
    ok: false,
    reason: 'ambiguous date',
    detail: 'day/month or month/day? Say which in the job file, as `format: dd/mm/yyyy` of `remind`',
  };
}

/** Four digits, or two of this century; anything else is no year. */
function yearOf(word: string): number {
  if (/^\d{4}$/.test(word)) return Number(word);
  return /^\d{2}$/.test(word) ? 2000 + Number(word) : Number.NaN;
}

function calendarDate(year: number, month: number, day: number): DateReading {
  const instant = new Date(Date.UTC(year, month - 1, day));
  const exists = instant.getUTCMonth() === month - 1 && instant.getUTCDate() === day;
  if (!exists || year < YEARS.first || year > YEARS.last) return notADate();
  return { ok: true, date: instant.toISOString().slice(0, 10) };
}

function notADate(): DateReading {
  return { ok: false, reason: 'not a date', detail: 'write it as 2026-11-27' };
}
