/** A calendar date as ISO text, "2026-11-27", or why a cell is none. Neither reason nor detail holds the cell. */
export type DateReading =
  | { ok: true; date: string }
  | { ok: false; reason: 'not a date' | 'ambiguous date'; detail: string };

/** The order of day, month and year in a declared format such as dd/mm/yyyy. */
export type DateFormat = readonly DatePart[];
type DatePart = 'day' | 'month' | 'year' | 'short year';

/** Reminders are about dates near today: what lies outside is a slip of the pen or another number altogether. */
const YEARS = { first: 1990, last: 2189 } as const;
/** English, Swahili. A name may be cut short anywhere behind its third letter. */
const MONTHS = [
  ['january', 'januari'],
  ['february', 'februari'],
  ['march', 'machi'],
  ['april', 'aprili'],
  ['may', 'mei'],
  ['june', 'juni'],
  ['july', 'julai'],
  ['august', 'agosti'],
  ['september', 'septemba'],
  ['october', 'oktoba'],
  ['november', 'novemba'],
  ['december', 'desemba'],
];
const SEPARATORS = /[\s/.,-]+/;
const DAY_MS = 86_400_000;
/** Day 0 of a spreadsheet: it takes 1900 for a leap year, so that day 60 and later count from here. */
const SERIAL_ZERO_MS = Date.UTC(1899, 11, 30);
/** Serials have five digits from 1927 to 2173; a longer number is no date, a shorter one is a day or a year. */
const SERIAL = /^\d{5}(?:\.\d+)?$/;
const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]\d{1,2}:\d{2}.*)?$/;
const CLOCK_TIME = /\s+\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?$/i;

const FORMAT_WORDS: Readonly<Record<string, DatePart>> = {
  d: 'day',
  dd: 'day',
  m: 'month',
  mm: 'month',
  mmm: 'month',
  yy: 'short year',
  yyyy: 'year',
};

/** Reads "dd/mm/yyyy", "m-d-yy" or "d mmm yyyy"; null for what does not name day, month and year once each. */
export function parseDateFormat(text: string): DateFormat | null {
  const parts = text
    .trim()
    .toLowerCase()
    .split(SEPARATORS)
    .map((word) => FORMAT_WORDS[word]);
  const named = parts.filter((part) => part !== undefined);
  const kinds = new Set(named.map((part) => (part === 'short year' ? 'year' : part)));
  return parts.length === 3 && kinds.size === 3 ? named : null;
}

/**
 * Reads a date in the forms that people write: 2026-11-27 (also with a time behind it), the day number of a
 * spreadsheet (46353), a month by name (27 Nov 2026), and 27/11/2026 in the declared order. Without a declared format
 * 03/04/2026 is ambiguous and 27/11/2026 is not.
 */
export function parseDate(cell: string, format: DateFormat | null): DateReading {
  const text = cell.trim();
  const iso = ISO.exec(text);
  if (iso !== null) return fromYear(iso.slice(1, 4), format);
  if (SERIAL.test(text)) return serialDate(Number(text));
  const words = text.replace(CLOCK_TIME, '').split(SEPARATORS);
  if (words.length !== 3) return notADate();
  const named = words.findIndex((word) => monthNamed(word) !== null);
  if (named >= 0) return withMonthName(words, named, format);
  if (!words.every((word) => /^\d{1,4}$/.test(word))) return notADate();
  return format === null ? withoutFormat(words) : inOrder(words, format);
}

/** The ISO date `days` after (or before) another one. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function serialDate(serial: number): DateReading {
  const day = new Date(SERIAL_ZERO_MS + Math.floor(serial) * DAY_MS);
  return calendarDate(day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate());
}

/** What begins with a year of four digits is ISO, but for a declared order that begins with the year. */
function fromYear(words: string[], format: DateFormat | null): DateReading {
  const yearFirst = format?.[0] === 'year' || format?.[0] === 'short year';
  return inOrder(words, yearFirst ? format : ['year', 'month', 'day']);
}

/**
 * "27 Nov 2026" and "Nov 27 2026": the number that is not the day is the year. "26-Nov-27" is of 2027, as spreadsheets show
 * dates, but for a declared order that begins with a year of two digits.
 */
function withMonthName(words: string[], named: number, format: DateFormat | null): DateReading {
  const month = monthNamed(words[named] ?? '') ?? 0;
  const [first = '', second = ''] = words.filter((_, index) => index !== named);
  const yearFirst = first.length === 4 || (second.length !== 4 && beginsWithShortYear(format));
  const [day, year] = yearFirst ? [second, first] : [first, second];
  return calendarDate(yearOf(year), month, Number(day));
}

function beginsWithShortYear(format: DateFormat | null): boolean {
  return format?.find((part) => part === 'day' || part === 'short year') === 'short year';
}

function monthNamed(word: string): number | null {
  const begun = word.toLowerCase().replace(/\.$/, '');
  const index =
    begun.length < 3 ? -1 : MONTHS.findIndex((names) => names.some((name) => name.startsWith(begun)));
  return index < 0 ? null : index + 1;
}

function inOrder(words: string[], format: DateFormat): DateReading {
  const value = (...parts: DatePart[]) => words[format.findIndex((part) => parts.includes(part))] ?? '';
  return calendarDate(yearOf(value('year', 'short year')), Number(value('month')), Number(value('day')));
}

function withoutFormat(words: string[]): DateReading {
  const dayFirst = inOrder(words, ['day', 'month', 'year']);
  const monthFirst = inOrder(words, ['month', 'day', 'year']);
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
