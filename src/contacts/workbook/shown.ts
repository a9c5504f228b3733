import { format, getFormatFromId, getFormatInfo } from 'numfmt';

/* A cell with a number has a value, and a number format by which a person sees it. */

/** A cell in two texts, which are mostly equal. */
export interface CellText {
  /** The number in full, an ISO date with its time, or a time of day: for keys, mobiles, dates and amounts. */
  value: string;
  /** As a person sees it in the spreadsheet. */
  shown: string;
}

/** A number format of a workbook. */
export interface NumberFormat {
  textOf(number: number): CellText;
  /** True: it writes dates in the order of the computer that shows them; here the day comes first. */
  isLocaleDate: boolean;
}

/** A spreadsheet keeps 15 significant digits. */
const DIGITS = 15;
const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;
/** Day 0 of a spreadsheet. It takes 1900 for a leap year, so day 60 and later count from here. */
const SERIAL_ZERO_MS = Date.UTC(1899, 11, 30);
/** Days between the two calendars of spreadsheets. */
const DAYS_TO_1904 = 1_462;
const GENERAL = 'General';
const EXPONENT = /\dE[+-]?\d/i;
/** A spreadsheet allows no longer code. */
const CODE_MAX_CHARACTERS = 255;
/** Dates whose order is that of the computer: m/d/y in the United States, d/m/y in Kenya. */
const LOCALE_DATES: Readonly<Record<number, string>> = { 14: 'dd/mm/yyyy', 22: 'dd/mm/yyyy hh:mm' };
const LONG_LOCALE_DATE = /^\[\$-(?:x-sysdate|F800)\]/i;
const LONG_DAY_FIRST = 'dddd, d mmmm yyyy';

/** The format of a number format's id and code, which is null for a usual id. `date1904`: days count from 1904. */
export function numberFormat(
  { id, code }: { id: number; code: string | null },
  date1904: boolean,
): NumberFormat {
  const isLocaleDate = id in LOCALE_DATES || (code !== null && LONG_LOCALE_DATE.test(code));
  const pattern = patternOf(id, code);
  const kind = kindOf(pattern);
  if (kind === 'date' || kind === 'time')
    return { isLocaleDate, textOf: (number) => dateText(number, { pattern, kind, date1904 }) };
  if (kind === 'plain') return { isLocaleDate, textOf: plainText };
  return {
    isLocaleDate,
    textOf: (number) => ({ value: fullNumber(number), shown: shownNumber(number, pattern) }),
  };
}

/** The number in full: without an exponent, and without the rounding errors of a computer. */
export function fullNumber(number: number): string {
  if (Number.isInteger(number) && Math.abs(number) < 10 ** DIGITS) return String(number);
  const rounded = Number(number.toPrecision(DIGITS));
  const text = String(rounded);
  if (!text.includes('e')) return text;
  return rounded.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
}

function plainText(number: number): CellText {
  const text = fullNumber(number);
  return { value: text, shown: text };
}

function patternOf(id: number, code: string | null): string {
  const localeDate = LOCALE_DATES[id];
  if (localeDate !== undefined) return localeDate;
  if (code === null) return getFormatFromId(id) ?? GENERAL;
  if (code.length > CODE_MAX_CHARACTERS) return GENERAL;
  return LONG_LOCALE_DATE.test(code) ? LONG_DAY_FIRST : code;
}

/** `plain`: shown in full. */
function kindOf(pattern: string): 'date' | 'time' | 'number' | 'plain' {
  const { type } = getFormatInfo(pattern);
  if (type === 'date' || type === 'datetime') return 'date';
  if (type === 'time') return 'time';
  return /^(?:general|@)$/i.test(pattern) || type === 'error' ? 'plain' : 'number';
}

function shownNumber(number: number, pattern: string): string {
  const shown = formatted(pattern, number);
  // An exponent cuts digits off, and nobody wants to read one in a message.
  if (shown === null || EXPONENT.test(shown)) return fullNumber(number);
  // A format may show what is below zero by its colour alone, which a text does not have.
  const signed = number >= 0 || !/[1-9]/.test(shown) || /[-−(]/.test(shown);
  return signed ? shown : `-${shown}`;
}

function dateText(
  number: number,
  { pattern, kind, date1904 }: { pattern: string; kind: 'date' | 'time'; date1904: boolean },
): CellText {
  const isDuration = /\[[hms]+\]/i.test(pattern);
  // A time of day or a span of hours has no day.
  const isTime = isDuration || (kind === 'time' && number >= 0 && number < 1);
  const serial = date1904 && !isTime ? number + DAYS_TO_1904 : number;
  // A time may lack a billionth of its last second.
  const whole = (Math.round((serial * DAY_MS) / SECOND_MS) * SECOND_MS) / DAY_MS;
  const shown = formatted(pattern, whole);
  const value = isDuration ? formatted('[h]:mm:ss', whole) : isoText(whole, isTime);
  return { value: value ?? fullNumber(number), shown: shown ?? value ?? fullNumber(number) };
}

/** "2026-12-25", "2026-12-25 08:30" or "08:30"; seconds only where there are some. Null: no date. */
function isoText(serial: number, isTime: boolean): string | null {
  const instant = new Date(SERIAL_ZERO_MS + Math.round(serial * DAY_MS));
  if (Number.isNaN(instant.getTime()) || serial < 0) return null;
  const [day = '', time = ''] = instant.toISOString().split('T');
  const clock = time.slice(0, time.startsWith(':00', 5) ? 5 : 8);
  if (isTime) return clock;
  return clock === '00:00' ? day : `${day} ${clock}`;
}

/** Null: the format is wrong, or has no words for this number. */
function formatted(pattern: string, number: number): string | null {
  try {
    const text = format(pattern, number);
    return /^#+$/.test(text) ? null : text.replaceAll(/\s+/g, ' ').trim();
  } catch {
    return null;
  }
}
