/** Words as they are compared: on letters only, in lower case, without accents. */
export interface Spoken {
  tokens: string[];
  /** All letters in one row. */
  letters: string;
}

/** A word of up to this many letters must stand alone: "opt" is not part of "option". */
export const MOST_LETTERS_ALONE = 3;
/** "InsufficientFunds" is two words, and "SenderIDNotFound" four. */
const CAMEL = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;

/** Words as they stand in an answer. */
export function spell(words: string): Spoken {
  const tokens = fold(words.replace(CAMEL, ' ')).match(/\p{L}+/gu) ?? [];
  return { tokens, letters: tokens.join('') };
}

/** In lower case, and without accents: services leave them out as they like. "Isn't" and "n'est" are "is not" and "ne est". */
export function fold(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('’', "'");
  return plain.replace(/n't\b/g, ' not').replace(/\bn'/g, 'ne ');
}

/** The letters of a word of the profile. */
export function lettersOf(word: string): string {
  return fold(word).replace(/[^\p{L}]/gu, '');
}

/** Whether a word of the profile stands there. */
export function holds(spoken: Spoken, word: string): boolean {
  return placesOf(spoken, word).length > 0;
}

/**
 * The places of the tokens that a word of the profile stands in. It begins with one of them and may go on in the next: "Techno balance"
 * is no "no balance", and "unblocked" not "blocked".
 */
export function placesOf({ tokens, letters }: Spoken, word: string): number[] {
  if (!letters.includes(word)) return [];
  let begin = 0;
  return tokens.flatMap((token, from) => {
    const starts = letters.startsWith(word, begin);
    begin += token.length;
    if (word.length <= MOST_LETTERS_ALONE) return token === word ? [from] : [];
    return starts ? placesFrom(tokens, { from, length: word.length }) : [];
  });
}

function placesFrom(tokens: string[], { from, length }: { from: number; length: number }): number[] {
  const places: number[] = [];
  for (let [at, reached] = [from, 0]; reached < length; at += 1) {
    places.push(at);
    reached += tokens[at]?.length ?? length;
  }
  return places;
}
