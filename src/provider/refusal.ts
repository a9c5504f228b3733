import type { SendProfile } from './profile.ts';
import type { RefusalClass } from './provider.ts';

/** The class of a refusal by its code and words; null when they do not surely say that the message was refused. */
export type ReadRefusal = (code: string | null, words: string | null) => RefusalClass | null;

/** A word of up to this many letters must stand alone: "opt" is not part of "option". */
const MOST_LETTERS_ALONE = 3;
const NEGATIONS = new Set(['not', 'cannot', 'never', 'no']);

/**
 * Makes the reader of refusals from the profile's rows. A code that the profile calls uncertain and words that speak of
 * success are never a refusal. Where words and number disagree about the class the words win; they agree when the words
 * hold any word of the number's own class.
 */
export function createRefusalReader(profile: SendProfile): ReadRefusal {
  const uncertain = new Set(profile.uncertain_codes);
  const successWords = new Set(profile.success_words);
  const byCode = new Map(Object.entries(profile.refusal_codes));
  return (code, words) => {
    const number = code?.trim() ?? '';
    const spoken = spell(words ?? '');
    if (uncertain.has(number) || speaksOfSuccess(spoken, successWords)) return null;
    const byNumber = byCode.get(number) ?? null;
    const byWords = classesOf(spoken, profile);
    return byNumber !== null && byWords.includes(byNumber) ? byNumber : (byWords[0] ?? byNumber);
  };
}

interface Spoken {
  tokens: string[];
  /** All letters in one row. */
  letters: string;
}

function spell(words: string): Spoken {
  const tokens = words.toLowerCase().match(/\p{L}+/gu) ?? [];
  return { tokens, letters: tokens.join('') };
}

function speaksOfSuccess({ tokens }: Spoken, successWords: Set<string>): boolean {
  return tokens.some((token, at) => successWords.has(token) && !isDenied(tokens, at));
}

/** "not sent", "cannot be sent", "could not be queued". */
function isDenied(tokens: string[], at: number): boolean {
  return NEGATIONS.has(tokens[at - 1] ?? '') || NEGATIONS.has(tokens[at - 2] ?? '');
}

function classesOf(spoken: Spoken, profile: SendProfile): RefusalClass[] {
  return profile.refusal_words
    .filter((row) => row.words.some((word) => holds(spoken, word)))
    .map((row) => row.refusal);
}

function holds({ tokens, letters }: Spoken, word: string): boolean {
  const wanted = word.toLowerCase().replace(/[^\p{L}]/gu, '');
  if (wanted === '') return false;
  return wanted.length <= MOST_LETTERS_ALONE ? tokens.includes(wanted) : letters.includes(wanted);
}
