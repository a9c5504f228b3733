import {
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
  type CountryCode,
  type PhoneNumber,
} from 'libphonenumber-js/max';
import { bareNumberText, readSpreadsheetNumber } from './mobile-text.ts';

/** The reasons why a text is no usable mobile, in the words of the plan's table and of the rejects file. */
export const MOBILE_REASONS = [
  'no number',
  'not a number',
  'several numbers',
  'excel damage',
  'short code',
  'too short',
  'too long',
  'landline',
  'not a mobile',
  'invalid number',
  'unknown country',
] as const;
/** One of MOBILE_REASONS. */
export type MobileReason = (typeof MOBILE_REASONS)[number];

/**
 * `mobile` is in international form without a plus (the provider's API document 2.1): "254712345678". `country` is
 * the number's own (ISO 3166, two letters); empty: it belongs to none.
 */
export type MobileResult =
  | { ok: true; mobile: string; country: string }
  | {
      ok: false;
      reason: MobileReason;
      /** One sentence for a person; never holds the number. */
      detail: string;
    };

/**
 * The shapes of nearly every Kenyan list, 40 times faster than the library. Every match is the same mobile in
 * the library (a property test compares them). Other texts go to the library.
 */
const KENYAN_MOBILE = /^(?:\+?254|0)?(?:7\d{8}|1(?:0[0-8]|1\d)\d{6})$/;
const SUBSCRIBER_DIGITS = 9;
/** Groups of digits with single blanks or dashes between them, which are safe to close up. */
const GROUPED = /^\+?\d+(?:[ -]\d+)+$/;
const PHONE_CHARACTERS = /^\+?[\p{Nd}\s().\-\u2010-\u2015\u2212/]+$/u;
/** Google's contacts have " ::: " between them. */
const BETWEEN_NUMBERS = /[/,;:&|\n]|\s(?:or|and|au|na)\s/i;
const NOT_DIGITS = /\P{Nd}+/gu;
/** Superscripts and circled digits, which mark footnotes and are no digits of a number. */
const NOTE_DIGIT = /\p{No}/u;
const SERVICE_CODE = /^[*#][\d*#]+$/;
const WHOLE_NUMBER_DIGITS = 7;
/** E.164, with the country code. */
const NUMBER_MOST_DIGITS = 15;
/** No mobile of the world has fewer. */
const MOBILE_DIGITS = 5;
const SHORT_CODE_DIGITS = 6;
const SEVERAL: MobileResult = refuse('several numbers', 'This is more than one number.');

/**
 * Reads one mobile as people write it. `country` (ISO 3166, two letters) is the country of numbers without a
 * code. Numbers of other countries need a plus or 00, unless they can be nothing else.
 */
export function parseMobile(text: string, country: string): MobileResult {
  return kenyanMobile(text, country) ?? parseAnyShape(text, country);
}

function kenyanMobile(text: string, country: string): MobileResult | null {
  if (country !== 'KE') return null;
  return KENYAN_MOBILE.test(text)
    ? { ok: true, mobile: `254${text.slice(-SUBSCRIBER_DIGITS)}`, country: 'KE' }
    : null;
}

function parseAnyShape(text: string, country: string): MobileResult {
  if (!isSupportedCountry(country))
    return refuse('unknown country', 'The country in the settings is not known.');
  const bare = NOTE_DIGIT.test(text) ? text.trim() : bareNumberText(text);
  if (bare === '') return refuse('no number', 'The cell is blank, or an error of the spreadsheet.');
  const number = readSpreadsheetNumber(bare);
  if (number.kind === 'damaged') {
    return refuse('excel damage', 'A spreadsheet has rounded the number: format the column as text.');
  }
  return parseDigits(number.kind === 'whole' ? number.digits : bare, country);
}

function parseDigits(digits: string, country: CountryCode): MobileResult {
  const grouped = GROUPED.test(digits) ? digits.replace(/[ -]/g, '') : digits;
  const read = kenyanMobile(grouped, country) ?? refusedByShape(digits) ?? parseByLibrary(grouped, country);
  // A long number may be written in two halves, but two short numbers may together look like a foreign one.
  const isSeveral = read.ok ? areMobiles(digits, country) : isTwoNumbers(digits, read.reason, country);
  return isSeveral ? SEVERAL : read;
}

/** True: what is no number by itself is two of them, whatever joins them (0712345678-0722345678). */
function isTwoNumbers(text: string, reason: MobileReason, country: CountryCode): boolean {
  if (reason === 'short code') return false;
  return holdsSeveral(text, '+') || holdsSeveral(text, NOT_DIGITS) || isJoinedPair(text, country);
}

/** True: all digits in a row are those of two mobiles. One number alone has at most 15. */
function isJoinedPair(text: string, country: CountryCode): boolean {
  const digits = text.replaceAll(NOT_DIGITS, '');
  if (digits.length <= NUMBER_MOST_DIGITS || digits.length > 2 * NUMBER_MOST_DIGITS) return false;
  for (let cut = digits.length - NUMBER_MOST_DIGITS; cut <= NUMBER_MOST_DIGITS; cut++) {
    const halves = [digits.slice(0, cut), digits.slice(cut)];
    if (halves.every((half) => parseByLibrary(half, country).ok)) return true;
  }
  return false;
}

/** True: each part between blanks and dashes is a mobile by itself. Most parts are short and cost no call. */
function areMobiles(text: string, country: CountryCode): boolean {
  const parts = text.split(/[^+\p{Nd}]+/u);
  if (parts.length === 1 || parts.some((part) => countDigits(part) < MOBILE_DIGITS)) return false;
  return parts.every((part) => parseByLibrary(part, country).ok);
}

function refusedByShape(text: string): MobileResult | null {
  if (holdsSeveral(text, BETWEEN_NUMBERS)) return SEVERAL;
  if (SERVICE_CODE.test(text)) return refuse('short code', 'This is a service code, not a number.');
  if (!PHONE_CHARACTERS.test(text) || text.startsWith('-') || countDigits(text) === 0) {
    return refuse('not a number', 'This is more than a phone number, or none.');
  }
  return null;
}

function holdsSeveral(text: string, between: RegExp | string): boolean {
  return text.split(between).filter((part) => countDigits(part) >= WHOLE_NUMBER_DIGITS).length > 1;
}

function parseByLibrary(text: string, country: CountryCode): MobileResult {
  let found: PhoneNumber | null = null;
  for (const candidate of candidates(text)) {
    const number = parsePhoneNumberFromString(candidate, { defaultCountry: country, extract: false });
    if (number?.isValid() !== true) continue;
    // 62812345678 may be a landline of Indonesia without its zero. After the country's own code a mobile is
    // meant.
    if (found === null || (isMobile(number) && number.country === country)) found = number;
    if (isMobile(found)) break;
  }
  return found === null ? explainInvalid(text, country) : judgeKind(found);
}

/** The text itself, then the international forms that the library lacks: 00…, and a code without plus. */
function candidates(text: string): string[] {
  if (text.startsWith('+')) return [text];
  if (text.startsWith('00')) return [text, `+${text.slice(2)}`];
  return text.startsWith('0') ? [text] : [text, `+${text}`];
}

function isMobile(number: PhoneNumber): boolean {
  const type = number.getType();
  return type === 'MOBILE' || type === 'FIXED_LINE_OR_MOBILE';
}

function judgeKind(number: PhoneNumber): MobileResult {
  if (isMobile(number)) return { ok: true, mobile: number.number.slice(1), country: number.country ?? '' };
  const type = number.getType();
  if (type === 'FIXED_LINE') return refuse('landline', 'This is a landline; it cannot receive SMS.');
  const kind = type?.toLowerCase().replaceAll('_', ' ') ?? 'special';
  return refuse('not a mobile', `This is a ${kind} number; it cannot receive SMS.`);
}

function digitsWords(digits: number): string {
  return digits === 1 ? '1 digit is' : `${digits} digits are`;
}

function explainInvalid(text: string, country: CountryCode): MobileResult {
  const digits = countDigits(text);
  const international = text.startsWith('+') || text.startsWith('00');
  if (digits <= SHORT_CODE_DIGITS && !text.startsWith('0') && !international) {
    return refuse('short code', `${digitsWords(digits)} a short code, not a mobile.`);
  }
  const asked = text.startsWith('00') ? `+${text.slice(2)}` : text;
  const length = validatePhoneNumberLength(asked, { defaultCountry: country });
  if (length === 'TOO_SHORT') return refuse('too short', `${digitsWords(digits)} too few.`);
  if (length === 'TOO_LONG') return refuse('too long', `${digitsWords(digits)} too many.`);
  if (international && length === 'INVALID_COUNTRY') {
    return refuse('unknown country', 'No country has this country code.');
  }
  return refuse('invalid number', `No such number of ${digits} digits exists in ${whereOf(asked, country)}.`);
}

function whereOf(text: string, country: CountryCode): string {
  return text.startsWith('+') ? 'the country it names' : `${country} (+${getCountryCallingCode(country)})`;
}

function countDigits(text: string): number {
  return text.match(/\p{Nd}/gu)?.length ?? 0;
}

function refuse(reason: MobileReason, detail: string): MobileResult {
  return { ok: false, reason, detail };
}
