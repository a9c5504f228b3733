/** API document 2.1: a number without its country code has nine digits, so a report may name a number of any country by them. */
const LOCAL_DIGITS = 9;
const DIGITS = /^\d+$/;
/** A mobile with its country code. Fewer digits are a part of a number, or a short code. */
const WHOLE = /^[1-9]\d{9,14}$/;

/**
 * Whether a report names another mobile than the one that a message was sent to. Both are digits as messages have them
 * (`254712345678`). A report without a mobile, or with a part of one, cannot be compared and contradicts nothing.
 */
export function namesAnother(sent: string, reported: string | null): boolean {
  if (reported === null || reported === sent || !DIGITS.test(sent) || !WHOLE.test(reported)) return false;
  // One of them was cut short, or has more around it.
  if (sent.includes(reported) || reported.includes(sent)) return false;
  return sent.slice(-LOCAL_DIGITS) !== reported.slice(-LOCAL_DIGITS);
}
