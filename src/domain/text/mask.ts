import { printableLine } from './printable.ts';

const SECRET_IN_URL = /(\/webhooks\/|[?&](?:apikey|apisecret|token)=)[^\s/?&"']+/gi;
// Any run of nine digits or more, because a masked id does less harm than a shown number.
const RUN = String.raw`\+?\d{9,}`;
/** A UUID. Two of its groups may be all digits and look like part of a phone number. */
const UUID = String.raw`[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}`;
const DATE = String.raw`(?:(?:19|20)\d\d[-/. ]\d\d?[-/. ]\d\d?|\d\d?[-/. ]\d\d?[-/. ](?:19|20)\d\d)(?!\d)`;
const SIGN = String.raw`[ \u00a0()/\u2010-\u2015-]`;
/** The next digit, after signs that people write into a number. A point counts only before three digits. */
const NEXT = String.raw`(?:${SIGN}|\.(?=\d{3})){0,2}(?!${DATE})\d`;
/** A number does not begin after `2026-` or `09:`. */
const BEGINS = String.raw`(?<!\d)(?<!\d[:-])`;

/*
 * Numbers of several groups. Such text may also be an amount, an hour, an id or an address. So a match must
 * begin like a phone number and end with its digits.
 */
/** +254 712 345 678: twelve digits where possible, otherwise the digits that there are. */
const WITH_PLUS = String.raw`\+[1-9](?:(?:${NEXT}){11,14}?|(?:${NEXT}){7,10})(?!\d)`;
/** 00254-712-345678. */
const WITH_ZEROS = String.raw`${BEGINS}00[1-9](?:${NEXT}){10,12}(?!\d)`;
/** 0712 345 678, (0712) 345-678. */
const NATIONAL = String.raw`${BEGINS}0[1-9]\d(?=\d{0,2}${SIGN})(?:${NEXT}){7,8}(?!\d)`;
/** 254 712 345 678: the countries of Africa, 21 to 29. A sign follows, because IP addresses have points. */
const AFRICAN = String.raw`${BEGINS}2[1-69]\d(?=${SIGN})(?:${NEXT}){8,10}(?!\d)`;

const RUNS = new RegExp(RUN, 'g');
const NUMBERS = new RegExp(`(${UUID})|${[RUN, WITH_PLUS, WITH_ZEROS, NATIONAL, AFRICAN].join('|')}`, 'g');

/** Each number hides at least this many digits, so a shorter number shows fewer. */
const HIDDEN_DIGITS = 4;
const MOST_SHOWN = 8;

/** Masks the middle of a number: 254712345678 becomes 2547****5678, 0712345678 becomes 071****678. */
export function maskMobile(mobile: string): string {
  const digits = mobile.replace(/^\+/, '');
  if (digits.length < 9) return '****';
  const shown = Math.min(MOST_SHOWN, digits.length - HIDDEN_DIGITS);
  const first = Math.floor(shown / 2);
  return `${digits.slice(0, first)}****${digits.slice(first - shown)}`;
}

/** Masks phone numbers in a text, even with signs between the digits, and also secret tokens in URLs. */
export function maskText(text: string): string {
  return masked(text, new Set());
}

/** Masks the phone numbers of people in a rendered text. Numbers of the template itself, such as a hotline, stay. */
export function maskRendered(text: string, template: string): string {
  const own = [...withPlainDigits(template).matchAll(NUMBERS)].map(([found]) => digitsOf(found));
  return masked(text, new Set(own));
}

function masked(text: string, kept: ReadonlySet<string>): string {
  return withPlainDigits(text)
    .replace(SECRET_IN_URL, '$1[secret]')
    .replace(NUMBERS, (found, id: string | undefined) => {
      if (id !== undefined) return id.replace(RUNS, maskMobile);
      const digits = digitsOf(found);
      return kept.has(digits) ? found : maskMobile(digits);
    });
}

function digitsOf(number: string): string {
  return number.replaceAll(/\D/g, '');
}

const OTHER_DIGITS = /[^\P{Nd}0-9]/gu;

/** Digits of every script as 0 to 9, because ٠٧١٢ is a number as well. */
function withPlainDigits(text: string): string {
  return text.replace(OTHER_DIGITS, (digit) => String(digitOf(digit)));
}

/** Each script has its digits from zero to nine side by side; a few have several such rows. */
function digitOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}

/** Words of a stranger are cut after so many characters. */
const MOST_STRANGERS_CHARS = 200;

/** The words of a provider for pages and files: one line, with covered numbers, at most 200 characters. */
export function strangersWords(words: string): string {
  return maskText(printableLine(words)).trim().slice(0, MOST_STRANGERS_CHARS);
}
