/**
 * The GSM 7-bit default alphabet and its extension table (3GPP TS 23.038 sections 6.2.1 and 6.2.1.1). A text
 * with one other character is sent as UCS-2, with 70 characters a segment instead of 160.
 */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿' +
  'abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENSION = '\f^{}\\[~]|€';

/** Septets of each UTF-16 unit: 1 in the basic table, 2 in the extension table, 0 when only UCS-2 has it. */
export const GSM_SEPTETS: Uint8Array = septetTable();

function septetTable(): Uint8Array {
  const table = new Uint8Array(0x1_00_00);
  for (const character of BASIC) table[character.charCodeAt(0)] = 1;
  for (const character of EXTENSION) table[character.charCodeAt(0)] = 2;
  return table;
}

/** True when every character of `text` is in the GSM 7-bit alphabet. */
export function isGsm(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (GSM_SEPTETS[text.charCodeAt(index)] === 0) return false;
  }
  return true;
}
