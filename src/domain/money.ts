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
  return `${whole(count)} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}
