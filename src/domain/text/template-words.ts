import { DateTime } from 'luxon';
import { formatMoney, grouped, parseAmount, readAmount, unsigned } from '../money.ts';
import type { PlainReason } from '../row-reason.ts';
import { type DateFormat, parseDate } from '../time/dates.ts';

/* Dates and amounts in texts: `<<date due "d MMMM yyyy">>` and `<<money balance>>`. */

/** The languages of the names of months and days. */
export const LANGUAGES = ['en', 'sw'] as const;
/** One of LANGUAGES. */
export type Language = (typeof LANGUAGES)[number];

/** The settings that decide how a cell is read and written. */
export interface WordSettings {
  language: Language;
  /** The currency that may stand in a cell. */
  currency: string;
  /** The order of day and month in cells such as 03/04/2026; null: not declared. */
  dateFormat: DateFormat | null;
}

/** The words of a cell, or why it has none. The detail never quotes the cell. */
export type Written = { ok: true; text: string } | { ok: false; reason: PlainReason; detail: string };

/** The form of a date without one in the template. */
const USUAL_FORM = 'd MMMM yyyy';
const FORM_PARTS = /d{1,2}|M{1,4}|yyyy|yy|EEEE?|[^A-Za-z']/g;
const LOCALES: Record<Language, string> = { en: 'en-GB', sw: 'sw' };
const DATE_TAG = /^date\s+(.+?)(?:\s+"([^"]*)")?$/u;
const MONEY_TAG = /^money\s+(.+)$/u;
/** Dates of a list repeat. */
const MOST_KNOWN = 10_000;

/** A helper in a tag: its field, and the writer of cells. */
export interface WordTag {
  field: string;
  /** Null: the form of the date is wrong. */
  write: ((cell: string) => Written) | null;
  /** The helper with its form, equal for equal output. */
  key: string;
}

/** The helper of a tag's words without its default; null: the words name no helper. */
export function wordTag(words: string, settings: WordSettings): WordTag | null {
  const [, dated, form = USUAL_FORM] = DATE_TAG.exec(words) ?? [];
  if (dated !== undefined) {
    const write = isForm(form) ? dateWriter(form, settings) : null;
    return { field: dated, write, key: `date ${form}` };
  }
  const [, amount] = MONEY_TAG.exec(words) ?? [];
  if (amount === undefined) return null;
  return { field: amount, write: (cell) => moneyText(cell, settings), key: 'money' };
}

function isForm(form: string): boolean {
  return /[dMyE]/.test(form) && form.replaceAll(FORM_PARTS, '') === '';
}

function dateWriter(form: string, { language, dateFormat }: WordSettings): (cell: string) => Written {
  const known = new Map<string, Written>();
  return (cell) => {
    const seen = known.get(cell);
    if (seen !== undefined) return seen;
    const reading = parseDate(cell, dateFormat);
    const written: Written = reading.ok
      ? {
          ok: true,
          text: DateTime.fromISO(reading.date, { zone: 'utc', locale: LOCALES[language] }).toFormat(form),
        }
      : reading;
    if (known.size < MOST_KNOWN) known.set(cell, written);
    return written;
  };
}

function moneyText(cell: string, { currency }: WordSettings): Written {
  const { amount: written, isNegative } = unsigned(cell);
  const amount = parseAmount(written, currency);
  const thousands =
    !written.includes(',') && readAmount(written, { currency, decimal: 'unknown' }) === 'two ways';
  if (amount !== null && !thousands)
    return { ok: true, text: grouped(formatMoney(isNegative ? 0 - amount : amount)) };
  const detail = `write it as 1200.00, 1,200.00 or ${currency} 1,200`;
  return { ok: false, reason: 'not an amount', detail };
}

/** The settings for texts, from those of a job or a campaign. */
export function wordsFor(of: {
  language?: Language;
  currency: string;
  remind?: { format: DateFormat | null } | null;
}): WordSettings {
  return { language: of.language ?? 'en', currency: of.currency, dateFormat: of.remind?.format ?? null };
}
