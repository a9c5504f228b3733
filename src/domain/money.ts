/**
 * Money is an integer count of micro units: 1 KES = 1_000_000. Six decimals are more than any known provider
 * charges. A safe integer still holds nine thousand million shillings. So sums are exact to the cent.
 */
export type MoneyMicro = number;

/** After this many free messages the price is zero; fewer may be a gift to a new account. */
export const FREE_TO_BELIEVE = 10;

const DECIMALS = 6;
const MICRO = 10 ** DECIMALS;
const GROUPED_AMOUNT = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const PLAIN_AMOUNT = /^\d{1,9}(?:\.(\d{1,6})0*)?$/;

/** Reads a plain decimal amount such as "0.80". Returns null for a sign, a comma, a word, "1e3" and so on. */
export function parseMoney(text: string): MoneyMicro | null {
  const trimmed = text.trim();
  const match = PLAIN_AMOUNT.exec(trimmed);
  if (match === null) return null;
  const whole = Number(trimmed.split('.')[0]);
  const fraction = Number((match[1] ?? '').padEnd(DECIMALS, '0'));
  return whole * MICRO + fraction;
}

/** Reads "KES 5,000" or "5000.50"; null for anything else, another currency included. */
export function parseAmount(text: string, currency: string): MoneyMicro | null {
  const letters = /[a-z]+/i.exec(text)?.[0] ?? '';
  if (letters !== '' && letters.toUpperCase() !== currency.toUpperCase()) return null;
  const number = text.replace(letters, '').trim();
  if (number.includes(',') && !GROUPED_AMOUNT.test(number)) return null;
  return parseMoney(number.replaceAll(',', ''));
}

/** Below zero as spreadsheets write it: -5, KES -5, -KES 5, 5-, (5), KES (5). */
const BELOW_ZERO = [
  /^([a-z]*)\s*[-\u2012\u2013\u2212]\s*(.+)$/i,
  /^()(.+?)\s*[-\u2012\u2013\u2212]$/,
  /^([a-z]*)\s*\((.+)\)$/i,
];

/** The amount of a cell without its sign, as text, and whether it is below zero. */
export function unsigned(text: string): { amount: string; isNegative: boolean } {
  const trimmed = text.trim();
  for (const form of BELOW_ZERO) {
    const [, currency = '', amount] = form.exec(trimmed) ?? [];
    if (amount !== undefined) return { amount: `${currency} ${amount}`.trim(), isNegative: true };
  }
  return { amount: trimmed, isNegative: false };
}

/** The decimal mark of a provider's amounts; `unknown`: nobody has said it. */
export type DecimalMark = 'unknown' | 'comma' | 'point';
/** An amount as a provider writes it; `two ways`: 1.000 may be one or a thousand; null: no amount. */
export type ReadAmount = MoneyMicro | 'two ways' | null;

const MOST_DIGITS = 15;
const CURRENCY_WORD = /^[a-z]{3}\b|\b[a-z]{3}$/i;
const DIGITS = /^\d+(?:[.,]\d+)*$/;
const BY_POINT = /^(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?$/;
const BY_COMMA = /^(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,\d+)?$/;

/**
 * Reads a provider's amount: "0.80", "1,000.00", "KES 0.80", at most 15 digits. Until the decimal mark is
 * known, a point is one where nothing else is possible: "1.000" and "0,80" have two readings.
 */
export function readAmount(text: string, how: { currency: string; decimal: DecimalMark }): ReadAmount {
  const digits = digitsOf(text.trim(), how.currency);
  if (digits === null) return null;
  const point = BY_POINT.test(digits) ? parseMoney(digits.replaceAll(',', '')) : null;
  const comma = BY_COMMA.test(digits) ? parseMoney(digits.replaceAll('.', '').replace(',', '.')) : null;
  if (how.decimal !== 'unknown') return how.decimal === 'point' ? point : comma;
  return comma === null || comma === point ? point : 'two ways';
}

const NEGATIVE = /^([a-z]{3})?\s*[-\u2212]\s*(.+)$/i;

/** Reads a provider's credit: an amount that may be below zero, such as "-12.40" or "KES -12.40". */
export function readCredit(text: string, how: { currency: string; decimal: DecimalMark }): ReadAmount {
  const [, currency = '', amount] = NEGATIVE.exec(text.trim()) ?? [];
  if (amount === undefined) return readAmount(text, how);
  const owed = readAmount(`${currency} ${amount}`.trim(), how);
  return typeof owed === 'number' ? 0 - owed : owed;
}

/** The amount without its currency; null: another currency, another sign, or too many digits. */
function digitsOf(text: string, currency: string): string | null {
  const word = CURRENCY_WORD.exec(text)?.[0] ?? currency;
  const digits = text.replace(CURRENCY_WORD, '').trim();
  if (word.toUpperCase() !== currency || !DIGITS.test(digits)) return null;
  return digits.replace(/\D/g, '').length > MOST_DIGITS ? null : digits;
}

/** Writes an amount exactly, with two decimals or more: "0.80", "0.805". Throws on a broken sum. */
export function formatMoney(amount: MoneyMicro): string {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`${amount} is not an amount in micro units.`);
  const digits = String(Math.abs(amount)).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '').padEnd(2, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -DECIMALS)}.${fraction}`;
}

/** A hundredth of a cent. */
const SHARE_UNIT = 100;

/** The part of an amount for one of `count`, in hundredths of a cent: nobody reads smaller parts. */
export function share(amount: MoneyMicro, count: number): MoneyMicro {
  return Math.round(amount / count / SHARE_UNIT) * SHARE_UNIT;
}

/** 12345 as 12,345. */
export function whole(count: number): string {
  return count.toLocaleString('en-US');
}

/** "12345.60" as "12,345.60": the digits stay as they are. */
export function grouped(amount: string): string {
  const [units = '', decimals = ''] = amount.split('.');
  return `${units.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${decimals}`;
}

/** `1 row`, `2 rows`, `1,200 replies`: a count and its noun. */
export function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${whole(count)} ${/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}
