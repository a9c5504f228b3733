/** The wish of an inbound message: no more promotional messages, or such messages again. */
export type Wish = 'stop' | 'start';

/** The length of two SMS; a longer message is for a person to read. */
const MAX_WISH_CHARS = 320;
/** Accents that phones add, in Cyrillic and Greek too; vowel signs of other scripts are no accents. */
const ACCENTS = /[\u0300-\u036f]/gu;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** A word with a code after it, with or without a blank: "STOP*456*9*5#". */
const WORD_AND_CODE = /^(\p{L}+)\s*([^\p{L}\s].*)$/u;
const NO_LETTER_OR_DIGIT = /[^\p{L}\p{M}\p{N}\s]/gu;
/** Dialled digits, with or without the signs at their ends. "45,695" is an amount and no "*456*9*5#". */
const CODE = /^[^\p{L}]*[*#][^\p{L}]*$/u;

/**
 * Makes the reader of wishes from two lists of words. A text is a wish when it *is* one of the words. It is
 * compared after NFKD (full width becomes plain), in lower case, without accents, punctuation and surplus
 * blanks. A code without a word is compared by its groups of digits. A word inside a sentence is no wish:
 * neither "unstoppable" nor "please stop by".
 */
export function wishReader(lists: {
  stop: readonly string[];
  start: readonly string[];
}): (text: string) => Wish | null {
  const wishes = new Map<string, Wish>();
  for (const word of lists.start) wishes.set(plainWords(word), 'start');
  // A word of both lists is a stop, because that mistake is the harmless one.
  for (const word of lists.stop) wishes.set(plainWords(word), 'stop');
  wishes.delete('');
  return (text) => {
    const said = text.trim();
    return said.length > MAX_WISH_CHARS ? null : (wishes.get(plainWords(said)) ?? null);
  };
}

/** The replies that TUMA_OPT_OUT_TEXT asks for: a word with its code, with and without a blank. */
export function typedBack(optOutText: string): string[] {
  const text = optOutText.trim();
  const [, word, code] = WORD_AND_CODE.exec(text) ?? [];
  if (word === undefined || code === undefined) return text === '' ? [] : [text];
  return [`${word}${code}`, `${word} ${code}`];
}

function plainWords(said: string): string {
  const text = said.normalize('NFKD').toLowerCase().replace(ACCENTS, '').replace(INVISIBLE, '');
  if (CODE.test(text)) return (text.match(/\p{N}+/gu) ?? []).map((digits) => `*${digits}`).join('');
  return text.replace(NO_LETTER_OR_DIGIT, '').replace(/\s+/g, ' ').trim();
}
