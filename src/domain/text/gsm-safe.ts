import { isGsm } from './gsm.ts';

/** Replacements that Unicode lacks, as "GSM-7 text": "the characters it replaces". */
const CLOSEST: Readonly<Record<string, string>> = {
  "'": '‘’‚‛`´ʹʻʼʽˈ‹›′',
  '"': '“”„‟«»″',
  '-': '‐‑‒–—―−',
  ' ': '\t',
  '\n': '\u2028\u2029',
  '*': '•∙●▪◦',
  '.': '·',
  '/': '÷⁄',
  '|': '¦',
  i: 'ı',
  x: '×',
  '<=': '≤',
  '>=': '≥',
  '(C)': '©',
  '(R)': '®',
  // Invisible marks of copied text.
  '': '\u00ad\u200b\u200c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff',
};

/** Marks of Latin letters; in other scripts such marks are letters. */
const MARKS = /[\u0300-\u036f]/g;
const SPACE = /^\p{Zs}$/u;
/** Fractions, superscripts and digits in circles stay, because "500¹" must not become 5001. */
const OTHER_NUMBER = /^\p{No}$/u;

/** Filled as characters come, and bounded, because a hostile file may hold many. */
const known = new Map<string, string>(
  Object.entries(CLOSEST).flatMap(([becomes, from]) => Array.from(from, (character) => [character, becomes])),
);
const MAX_KNOWN = 10_000;

/** Replaces characters that force UCS-2 by the closest GSM-7 ones; a character without one stays. */
export function gsmSafe(text: string): string {
  if (isGsm(text)) return text;
  return Array.from(text.normalize('NFC'), closest).join('');
}

function closest(character: string): string {
  if (isGsm(character)) return character;
  const seen = known.get(character);
  if (seen !== undefined) return seen;
  const becomes = decomposed(character);
  if (known.size < MAX_KNOWN) known.set(character, becomes);
  return becomes;
}

/** The letter without its marks, or the plain form of a full-width letter or a ligature. */
function decomposed(character: string): string {
  if (SPACE.test(character)) return ' ';
  if (OTHER_NUMBER.test(character)) return character;
  const plain = Array.from(character.normalize('NFKD').replace(MARKS, ''), (part) => known.get(part) ?? part);
  return isGsm(plain.join('')) ? plain.join('') : character;
}
