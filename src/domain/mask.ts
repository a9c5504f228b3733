const SECRET_IN_URL = /(\/webhooks\/|[?&](?:apikey|apisecret|token)=)[^\s/?&"']+/gi;
// Whatever is long enough to be one: an id of digits that is masked with them is the smaller harm.
const PHONE = /\+?\d{9,}/g;

/** Masks the middle of a number: 254712345678 becomes 2547****5678. */
export function maskMobile(mobile: string): string {
  const digits = mobile.replace(/^\+/, '');
  return digits.length < 9 ? '****' : `${digits.slice(0, 4)}****${digits.slice(-4)}`;
}

/** Masks everything in a text that looks like a phone number, and tokens in addresses. */
export function maskText(text: string): string {
  return text.replace(SECRET_IN_URL, '$1[secret]').replace(PHONE, maskMobile);
}
