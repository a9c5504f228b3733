/* The changes that spreadsheets, phones and people make to a number's text before it reaches a CSV. */

/** Zero-width marks, direction marks and the soft hyphen: phones copy them along with a number. */
const INVISIBLE = /[\u00AD\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g;
/** Excel's way to keep a leading zero: ="0712345678". */
const FORMULA_TEXT = /^="([^"]*)"$/;
/** Excel's mark for "this is text", as typed on several keyboards, and the scheme of a link. */
const PREFIX = /^(?:['\u2018\u2019`]+|tel:)\s*/i;
/** A country code between brackets, as some address books write it: (+254) 712345678. */
const BRACKETED_CODE = /^[([{]\s*((?:\+|00)[\d\s-]*)[)\]}]/;
const SCIENTIFIC = /^\+?(\d)(?:[.,](\d+))?e\+?(\d{1,2})$/i;
/** The form in which pandas and Excel write a whole number that is stored as a float. */
const FLOAT_ENDING = /^(\+?[1-9]\d{6,14})[.,]0*$/;
const ZERO_FLOAT_ENDING = /^0\d+[.,]0{1,2}$/;

/** The number's text without additions around it, nor brackets around its country code; no digit is changed. */
export function bareNumberText(text: string): string {
  const trimmed = text.normalize('NFKC').replace(INVISIBLE, '').trim();
  const bare = trimmed.replace(FORMULA_TEXT, '$1').replace(PREFIX, '').trim();
  return bare.replace(BRACKETED_CODE, '$1');
}

/** The remains of a number after a spreadsheet. */
export type SpreadsheetNumber = { kind: 'whole'; digits: string } | { kind: 'damaged' } | { kind: 'plain' };

/** Reads "2.54712345678E+11" or "254712345678.0". `damaged`: digits are lost; `plain`: no float at all. */
export function readSpreadsheetNumber(text: string): SpreadsheetNumber {
  const scientific = SCIENTIFIC.exec(text);
  if (scientific !== null) return readScientific(scientific);
  const float = FLOAT_ENDING.exec(text);
  if (float !== null) return { kind: 'whole', digits: float[1] ?? '' };
  // A float never keeps a leading zero, so ".0" here may be two digits of the number.
  return ZERO_FLOAT_ENDING.test(text) ? { kind: 'damaged' } : { kind: 'plain' };
}

function readScientific(match: RegExpExecArray): SpreadsheetNumber {
  const fraction = match[2] ?? '';
  const exponent = Number(match[3]);
  // Fewer decimals than the exponent: the missing digits were rounded away, and zeros would be a guess.
  if (fraction.length < exponent) return { kind: 'damaged' };
  const rest = fraction.slice(exponent);
  if (/[1-9]/.test(rest)) return { kind: 'damaged' };
  return { kind: 'whole', digits: (match[1] ?? '') + fraction.slice(0, exponent) };
}

/** API document 2.1: a number without its country code has nine digits, also in reports of any country. */
const LOCAL_DIGITS = 9;
const DIGITS = /^\d+$/;
/** A mobile with its country code. Fewer digits are a part of a number, or a short code. */
const WHOLE = /^[1-9]\d{9,14}$/;

/** True: a report names a whole mobile, which can be compared with those of messages. */
export function namesWhole(reported: string | null): boolean {
  return reported !== null && WHOLE.test(reported);
}

/**
 * True: a report names another mobile than its message's. Both are digits as in messages (`254712345678`). A
 * report without a mobile, or with a part of one, cannot be compared and contradicts nothing.
 */
export function namesAnother(sent: string, reported: string | null): boolean {
  if (reported === null || reported === sent || !DIGITS.test(sent) || !WHOLE.test(reported)) return false;
  // One of them was cut, or has additions.
  if (sent.includes(reported) || reported.includes(sent)) return false;
  return sent.slice(-LOCAL_DIGITS) !== reported.slice(-LOCAL_DIGITS);
}
