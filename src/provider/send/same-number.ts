/** A country code has one to three digits. */
const MOST_COUNTRY_DIGITS = 3;
/** Fewer digits than this are no subscriber's number: an extension, a code, a zero put in for "none". */
const FEWEST_DIGITS = 7;

/**
 * Whether an echoed number is the one that was sent: `sent` is international digits, `echoed` any of the three shapes of
 * the API document 2.1, or with a plus or `00`. A national number must be all of `sent` but its country code.
 */
export function sameNumber(sent: string, echoed: string): boolean {
  const bare = echoed.replace(/[\s().-]/g, '').replace(/^tel:/, '');
  const international = bare.replace(/^(?:\+|00)/, '');
  if (international === sent) return true;
  if (international !== bare) return false;
  const national = bare.replace(/^0/, '');
  return sent.length - national.length <= MOST_COUNTRY_DIGITS && sent.endsWith(national);
}

/** Whether a text could be somebody's number at all. */
export function looksLikeNumber(text: string): boolean {
  return text.replace(/\D/g, '').length >= FEWEST_DIGITS;
}
