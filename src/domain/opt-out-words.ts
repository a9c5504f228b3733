/** What an inbound message asks for by an exact word: no more promotional messages, or to get them again. */
export type Wish = 'stop' | 'start';

/** No wish is longer; what is, is a message for a person to read. */
const MAX_WISH_CHARS = 60;
/** Accents of Latin letters, which phones add by themselves; the marks of other scripts are letters of their own. */
const ACCENTS = /[\u0300-\u036f]/gu;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const NO_LETTER_OR_DIGIT = /[^\p{L}\p{M}\p{N}\s]/gu;

/**
 * Makes the reader of wishes from two lists of words. A text is a wish when it *is* one of the words: compared after NFKD
 * (full width becomes plain), in lower case, without accents, punctuation and surplus blanks. A word inside of others is
 * none: neither "unstoppable" nor "please stop by" asks for anything.
 */
export function wishReader(lists: {
  stop: readonly string[];
  start: readonly string[];
}): (text: string) => Wish | null {
  const wishes = new Map<string, Wish>();
  for (const word of lists.start) wishes.set(plainWords(word), 'start');
  // A word of both lists is a stop: of the two mistakes it is the harmless one.
  for (const word of lists.stop) wishes.set(plainWords(word), 'stop');
  wishes.delete('');
  return (text) => (text.length > MAX_WISH_CHARS ? null : (wishes.get(plainWords(text)) ?? null));
}

function plainWords(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(ACCENTS, '')
    .replace(INVISIBLE, '')
    .replace(NO_LETTER_OR_DIGIT, '')
    .replace(/\s+/g, ' ')
    .trim();
}
