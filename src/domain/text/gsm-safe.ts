import { isGsm } from './gsm.ts';

/**
 * Replacements that Unicode does not give by itself, as "what it becomes": "the characters it replaces". Only what a
 * reader takes for the same; a currency, an emoji or another script has no such thing and stays.
 */
const CLOSEST: Readonly<Record<string, string>> = {
  "'": '‘’‚‛`´ʹʻʼʽˈˊˋ‹›′‵❛❜',
  '"': '“”„‟«»″‶ʺˮ❝❞〝〞',
  '-': '‐‑‒–—―−⁃﹣',
  ' ': '\t\u1680\u180e',
  '\n': '\u000b\u0085\u2028\u2029',
  '*': '•∙●▪◦‣∗',
  '.': '·',
  '...': '⋯',
  '/': '÷⁄∕',
  '|': '¦∣',
  x: '×',
  '<=': '≤',
  '>=': '≥',
  '(C)': '©',
  '(R)': '®',
  A: 'Α',
  B: 'ΒƁ',
  E: 'ΕƐ',
  H: 'ΗĦ',
  I: 'Ι',
  K: 'ΚƘ',
  M: 'Μ',
  N: 'ΝŊ',
  O: 'ΟƆ',
  P: 'Ρ',
  T: 'ΤŦ',
  X: 'Χ',
  Y: 'ΥƳ',
  Z: 'Ζ',
  D: 'ĐƊÐ',
  L: 'Ł',
  G: 'Ɠ',
  Th: 'Þ',
  OE: 'Œ',
  SS: 'ẞ',
  b: 'ɓ',
  d: 'đɗð',
  e: 'ɛ',
  g: 'ɠ',
  h: 'ħ',
  i: 'ı',
  k: 'ƙĸ',
  l: 'ł',
  n: 'ŋ',
  o: 'ɔ',
  t: 'ŧ',
  th: 'þ',
  oe: 'œ',
  y: 'ƴ',
};

/** Seen by nobody: they are dropped. */
const INVISIBLE =
  '\u00ad\u034f\u061c\u200b\u200c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff';

/** They shape emoji, so they go only from a text that has none left. */
const EMOJI_GLUE = /\u200d|\ufe0e|\ufe0f/g;
/** Marks of Latin letters; those of other scripts are letters of their own. */
const MARKS = /[\u0300-\u036f]/g;
const SPACE = /^\p{Zs}$/u;
/** Fractions, superscripts, digits in circles: not those that are digits themselves, such as full-width ones. */
const OTHER_NUMBER = /^\p{No}$/u;
const STARTS_WITH_DIGIT = /^\p{N}/u;
const ENDS_WITH_DIGIT = /\p{N}$/u;

/** Filled as characters are met: a few dozen in a real file. Bounded, for a hostile one. */
const known = new Map<string, string>(listed());
const MAX_KNOWN = 10_000;

function* listed(): Iterable<[string, string]> {
  for (const [becomes, characters] of Object.entries(CLOSEST)) {
    for (const character of characters) yield [character, becomes];
  }
  for (const character of INVISIBLE) yield [character, ''];
}

/**
 * Replaces what forces a text into UCS-2 by the closest GSM-7 characters: curly quotes, dashes, odd spaces, letters
 * with marks (those that GSM-7 has, such as é and ñ, stay). What has no close one stays, and stays UCS-2.
 */
export function gsmSafe(text: string): string {
  if (isGsm(text)) return text;
  let safe = '';
  const characters = Array.from(text.normalize('NFC'));
  for (const [at, character] of characters.entries()) {
    const becomes = closest(character);
    const after = characters[at + 1] ?? '';
    safe += becomes === character ? character : besideDigits(becomes, { character, before: safe, after });
  }
  const unglued = safe.replace(EMOJI_GLUE, '');
  return isGsm(unglued) ? unglued : safe;
}

/** "500¹" must not become 5001, nor "1½" 11/2: an amount stays what it is. */
function besideDigits(
  becomes: string,
  { character, before, after }: { character: string; before: string; after: string },
): string {
  if (!OTHER_NUMBER.test(character)) return becomes;
  if (STARTS_WITH_DIGIT.test(after)) return character;
  if (!ENDS_WITH_DIGIT.test(before)) return becomes;
  return becomes.includes('/') ? ` ${becomes}` : character;
}

function closest(character: string): string {
  if (isGsm(character)) return character;
  const seen = known.get(character);
  if (seen !== undefined) return seen;
  const becomes = decomposed(character);
  if (known.size < MAX_KNOWN) known.set(character, becomes);
  return becomes;
}

/** Tries the letter without its marks, then the plain form of a compatibility character (full width, ligature, ½). */
function decomposed(character: string): string {
  if (SPACE.test(character)) return ' ';
  const bare = character.normalize('NFKD').replace(MARKS, '');
  let plain = '';
  for (const part of bare) plain += known.get(part) ?? part;
  return isGsm(plain) ? plain : character;
}
