/*
 * How many SMS a text takes (3GPP 23.038): 160 septets or 70 UCS-2 units alone, 153 or 67 a part when it is
 * longer. A character of two septets or a surrogate pair is never cut: it moves whole into the next part.
 */

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENSION = '\f^{}\\[~]|€';

const GSM = { alone: 160, part: 153 };
const UCS2 = { alone: 70, part: 67 };

/** Septets of each UTF-16 unit; zero: not in the GSM alphabet. */
const SEPTETS = new Uint8Array(65_536);
for (const character of BASIC) SEPTETS[character.charCodeAt(0)] = 1;
for (const character of EXTENSION) SEPTETS[character.charCodeAt(0)] = 2;

/** The number of segments that the network charges for a text. An empty text takes one. */
export function countSegments(text: string): number {
  let septets = 0;
  for (let index = 0; index < text.length; index += 1) {
    const width = SEPTETS[text.charCodeAt(index)] ?? 0;
    if (width === 0) return ucs2Segments(text);
    septets += width;
  }
  return septets <= GSM.alone ? 1 : pack(gsmWidths(text), GSM.part);
}

function ucs2Segments(text: string): number {
  return text.length <= UCS2.alone ? 1 : pack(ucs2Widths(text), UCS2.part);
}

function* gsmWidths(text: string): Generator<number> {
  for (let index = 0; index < text.length; index += 1) yield SEPTETS[text.charCodeAt(index)] ?? 0;
}

function* ucs2Widths(text: string): Generator<number> {
  for (const character of text) yield character.length;
}

function pack(widths: Iterable<number>, room: number): number {
  let parts = 1;
  let used = 0;
  for (const width of widths) {
    if (used + width > room) {
      parts += 1;
      used = 0;
    }
    used += width;
  }
  return parts;
}
